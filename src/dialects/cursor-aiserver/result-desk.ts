import { GatewayError } from '../../core/index.ts';
import type { ClientSideToolV2Result } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import type { Timers } from '../upstream-timers.ts';

interface Waiting {
  readonly number: number;
  resolve(result: ClientSideToolV2Result | undefined): void;
  reject(error: GatewayError): void;
}

export interface AwaitOptions {
  readonly number: number;
  readonly signal: AbortSignal;
  /** Without it the desk waits as long as the client is there. */
  readonly timeoutMs?: number | undefined;
}

/** Where results of calls are expected, in any order, each once. */
export class ResultDesk {
  readonly #waiting = new Map<string, Waiting>();
  readonly #timers: Timers;
  readonly #onDrift: (kind: string) => void;
  #isClosed = false;

  constructor(timers: Timers, onDrift: (kind: string) => void) {
    this.#timers = timers;
    this.#onDrift = onDrift;
  }

  /** The client has said that it will send nothing more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves with undefined when the time is up; rejects when nobody can answer any more. */
  await(wireId: string, options: AwaitOptions): Promise<ClientSideToolV2Result | undefined> {
    const { number, signal, timeoutMs } = options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(calledOff(wireId));
      if (this.#isClosed) return reject(nobodyThere(wireId));
      const leave = () => {
        this.#waiting.delete(wireId);
        signal.removeEventListener('abort', onAbort);
        stopTimer?.();
      };
      const settle = <Value>(act: (value: Value) => void) => {
        return (value: Value) => {
          leave();
          act(value);
        };
      };
      const waiting = { number, resolve: settle(resolve), reject: settle(reject) };
      const onAbort = () => waiting.reject(calledOff(wireId));
      const stopTimer =
        timeoutMs === undefined ? undefined : this.#timers.after(timeoutMs, () => waiting.resolve(undefined));
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(wireId, waiting);
    });
  }

  /** A result that no call waits for, one that comes twice included, is counted and dropped. */
  deliver(result: ClientSideToolV2Result): void {
    const waiting = this.#find(result);
    if (waiting === undefined) this.#onDrift('ClientSideToolV2Result without a call');
    else if (waiting.number !== result.tool) this.#onDrift('ClientSideToolV2Result of another tool');
    waiting?.resolve(result);
  }

  close(): void {
    this.#isClosed = true;
    for (const [wireId, waiting] of [...this.#waiting]) waiting.reject(nobodyThere(wireId));
  }

  #find({ toolCallId, tool }: ClientSideToolV2Result): Waiting | undefined {
    const exact = this.#waiting.get(toolCallId);
    if (exact) return exact;
    // Clients that use ids as names of things keep only the line in front of a break; some keep no id at all.
    const alike = [...this.#waiting].filter(([wireId, { number }]) =>
      toolCallId === '' ? number === tool : firstLine(wireId) === firstLine(toolCallId),
    );
    return alike.length === 1 ? alike[0]?.[1] : undefined;
  }
}

function firstLine(id: string): string {
  return id.split('\n', 1)[0] ?? id;
}

function calledOff(wireId: string): GatewayError {
  return new GatewayError('cancelled', `Call ${quote(wireId)} was called off before the client answered it.`);
}

function nobodyThere(wireId: string): GatewayError {
  return new GatewayError(
    'cancelled',
    `The client closed its side of the stream before it answered call ${quote(wireId)}.`,
  );
}

function quote(text: string): string {
  return JSON.stringify(text);
}
