// One open run over either transport: order, heartbeats, liveness, and how it ends.
// The 5 s heartbeat and the 30 s rule are those of the official clients.
import { create, toBinary } from '@bufbuild/protobuf';
import { GatewayError } from '../../../core/index.ts';
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentServerMessage,
} from '../../../gen/agent/v1/run_pb.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { AgentConnection } from '../agent-connection.ts';
import { decodeHttpError } from './errors.ts';
import { Liveness } from './liveness.ts';
import type { RunChannel } from './run-channel.ts';
import { checkStreamType, ServerFrames } from './server-frames.ts';

export interface RunConnectionOptions {
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly idleMs: number;
}

const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 30_000;
/** How long a failed write leaves the reader to find the server's own word on it. */
const LAST_WORD_MS = 500;
const MAX_ERROR_BYTES = 64 * 1024;

const HEARTBEAT = create(AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } });

export class RunConnection implements AgentConnection {
  readonly messages: AsyncIterable<AgentServerMessage>;
  readonly #channel: RunChannel;
  readonly #options: RunConnectionOptions;
  readonly #liveness: Liveness;
  readonly #onAbort = () => this.#fail(cancelled('The turn was cancelled.', this.#options.signal.reason));
  #fault: GatewayError | undefined;
  #isOver = false;
  #cancelHeartbeat: (() => void) | undefined;
  #cancelLastWord: (() => void) | undefined;
  #isBeating = false;

  constructor(channel: RunChannel, options: RunConnectionOptions) {
    this.#channel = channel;
    this.#options = options;
    this.#liveness = new Liveness({
      timers: options.timers,
      silenceMs: SILENCE_MS,
      idleMs: options.idleMs,
      upstream: channel.upstream,
      onDead: (error) => this.#fail(error),
    });
    const reading = this.#read();
    this.messages = { [Symbol.asyncIterator]: () => reading };
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  /** False while the run waits for us, such as for the results of tools: then heartbeats alone are no stall. */
  setExpecting(isExpecting: boolean): void {
    this.#liveness.setExpecting(isExpecting);
  }

  async send(message: AgentClientMessage): Promise<void> {
    if (this.#fault) throw this.#fault;
    if (this.#isOver) throw cancelled('The run has ended; nothing can be sent any more.');
    if (!this.#cancelHeartbeat) this.#scheduleHeartbeat();
    const { timers, idleMs } = this.#options;
    // Whoever waits here does not read, so the liveness of the answer does not see a server that takes nothing.
    const cancelTimer = timers.after(idleMs, () => {
      const message = `${this.#channel.upstream} took no data for ${idleMs} ms.`;
      this.#fail(new GatewayError('deadline-exceeded', message, { detail: { reason: 'run_stalled' } }));
    });
    try {
      await this.#channel.write(toBinary(AgentClientMessageSchema, message));
    } catch (thrown) {
      const error = this.#fault ?? GatewayError.from(thrown, 'upstream-unavailable');
      if (!this.#isOver) {
        this.#cancelLastWord ??= timers.after(LAST_WORD_MS, () => this.#fail(error));
      }
      throw error;
    } finally {
      cancelTimer();
    }
  }

  close(): void {
    this.#fail(cancelled('The run was closed.'));
  }

  async *#read(): AsyncGenerator<AgentServerMessage> {
    try {
      const frames = await this.#begin();
      const chunks = this.#channel.body[Symbol.asyncIterator]();
      while (!frames.hasEnded) {
        this.#liveness.startWaiting();
        const next = await chunks.next();
        this.#liveness.stopWaiting();
        if (next.done) throw frames.cutError();
        for (const message of frames.push(next.value)) {
          if (this.#fault) throw this.#fault;
          if (!isHeartbeat(message)) this.#liveness.sawContent();
          yield message;
        }
      }
      this.#end();
      this.#channel.finish();
      chunks.next().catch(() => {}); // takes the end of the body, so that the connection can be used again
    } catch (thrown) {
      const error = this.#fault ?? GatewayError.from(thrown, 'upstream-malformed');
      this.#fail(error);
      throw error;
    } finally {
      if (!this.#isOver) this.close(); // the reader left before the end
    }
  }

  async #begin(): Promise<ServerFrames> {
    const { upstream } = this.#channel;
    this.#liveness.startWaiting();
    const { status, headers } = await this.#channel.head;
    if (status !== 200) {
      throw decodeHttpError(status, headers, await readText(this.#channel.body), upstream);
    }
    checkStreamType(headers, upstream);
    return new ServerFrames(headers, upstream);
  }

  /** Each beat waits for the one before it: a stuck line gets no pile of them. */
  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat = this.#options.timers.after(HEARTBEAT_MS, () => {
      this.#scheduleHeartbeat();
      if (this.#isBeating) return;
      this.#isBeating = true;
      // A failure has already been noted by `send`.
      const done = () => {
        this.#isBeating = false;
      };
      this.send(HEARTBEAT).then(done, done);
    });
  }

  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.#fault = error;
    this.#end();
    this.#channel.abort();
  }

  #end(): void {
    this.#isOver = true;
    this.#liveness.close();
    this.#cancelHeartbeat?.();
    this.#cancelLastWord?.();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }
}

function isHeartbeat({ message }: AgentServerMessage): boolean {
  return message.case === 'interactionUpdate' && message.value.message.case === 'heartbeat';
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function cancelled(message: string, cause?: unknown): GatewayError {
  return new GatewayError('cancelled', message, { cause });
}
