import { fromBinary } from '@bufbuild/protobuf';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import {
  type StreamUnifiedChatRequestWithToolsIdempotent as Request,
  StreamUnifiedChatRequestWithToolsIdempotentSchema as RequestSchema,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { MessageChannel, NativeContext } from '../native-front.ts';
import { NativeOutbox } from '../native-outbox.ts';
import { IdempotentRun, type RunSettings } from './idempotent-run.ts';
import { SILENCE_MS } from './response-stream.ts';

const MAX_RUNS = 1000;
/** How long a finished answer can still be fetched. */
const KEEP_MS = 60_000;

/** The runs of this process that clients may come back to, by owner and idempotency key. */
export class IdempotentRuns {
  readonly #runs = new Map<string, IdempotentRun>();
  readonly #settings: RunSettings;
  readonly #keepAlive: Uint8Array;

  constructor(settings: RunSettings, keepAlive: Uint8Array) {
    this.#settings = settings;
    this.#keepAlive = keepAlive;
  }

  async open(channel: MessageChannel, context: NativeContext): Promise<void> {
    const sender = new NativeOutbox(channel, {
      timers: this.#settings.timers,
      silenceMs: SILENCE_MS,
      keepAlive: this.#keepAlive,
    });
    try {
      const incoming = decodeAll(channel.incoming);
      const named = context.headers['x-idempotency-key'];
      // A client that comes back may have nothing to say: only one without the header is waited for.
      const first = named ? undefined : await incoming.next();
      const key = named || (first?.done === false ? (first.value.idempotencyKey ?? '') : '');
      const lastEventId = readEventId(context.headers['x-idempotency-event-id']);
      const run = this.#find(key, lastEventId, context);
      const broken = new AbortController();
      const gone = AbortSignal.any([channel.signal, broken.signal]);
      const served = run.serve(sender, lastEventId, gone);
      void this.#listen(run, first?.done === false ? [first.value] : [], incoming, sender).catch(
        (thrown: unknown) => {
          run.fail(thrown, sender);
          broken.abort(thrown);
        },
      );
      await served;
      // Ends this connection alone: half a message is what a lost connection leaves, and the client sends it again.
      if (broken.signal.aborted) throw broken.signal.reason;
    } finally {
      sender.close();
    }
  }

  async #listen(
    run: IdempotentRun,
    first: readonly Request[],
    rest: AsyncIterable<Request>,
    sender: NativeOutbox,
  ): Promise<void> {
    for (const message of first) await run.accept(message, sender);
    for await (const message of rest) await run.accept(message, sender);
    run.disconnect(sender);
  }

  #find(key: string, lastEventId: number, context: NativeContext): IdempotentRun {
    const name = JSON.stringify([context.owner, key || context.newId('unnamed_')]);
    const known = this.#runs.get(name);
    if (known) return known;
    this.#makeRoom();
    const forget = () => {
      if (this.#runs.get(name) === run) this.#runs.delete(name);
    };
    const run: IdempotentRun = new IdempotentRun(this.#settings, context, lastEventId, () => {
      // A client whose first message was lost with its connection begins anew under the same key.
      if (run.hasRequest) this.#settings.timers.after(KEEP_MS, forget);
      else forget();
    });
    this.#runs.set(name, run);
    return run;
  }

  #makeRoom(): void {
    if (this.#runs.size < MAX_RUNS) return;
    const [ended] = [...this.#runs].find(([, run]) => run.isEnded) ?? [];
    if (ended === undefined) {
      throw new GatewayError(
        'rate-limited',
        `${MAX_RUNS} runs are under way; try again when some have ended.`,
      );
    }
    this.#runs.delete(ended);
  }
}

async function* decodeAll(incoming: AsyncIterable<Uint8Array>): AsyncGenerator<Request, undefined> {
  for await (const bytes of incoming) yield decode(bytes);
  return undefined;
}

function decode(bytes: Uint8Array): Request {
  try {
    return fromBinary(RequestSchema, bytes);
  } catch {
    throw invalidRequest(`A message of ${bytes.length} bytes is no ${RequestSchema.typeName}.`);
  }
}

/** Clients begin with "0". */
function readEventId(header: string | undefined): number {
  const id = Number(header ?? 0);
  return Number.isSafeInteger(id) && id > 0 ? id : 0;
}
