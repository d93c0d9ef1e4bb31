import { GatewayError } from '../../core/index.ts';
import type { StreamMethod } from '../../dialects/native-front.ts';
import { REAL_TIMERS, type Timers } from '../../dialects/upstream-timers.ts';

/** What is left of the time to finish when the last streams are ended: their last frames have to travel. */
const LAST_WORDS_MS = 1_000;

/**
 * The end of open streams when the gateway stops. They would be cut without a word otherwise, since a run may wait for
 * its client's tools for longer than anybody waits for a gateway.
 */
export class NativeDrain {
  readonly #open = new Map<(reason: GatewayError) => void, StreamMethod['form']>();
  readonly #timers: Timers;
  #ended: ReadonlySet<StreamMethod['form']> = new Set();

  constructor(timers: Timers = REAL_TIMERS) {
    this.#timers = timers;
  }

  get size(): number {
    return this.#open.size;
  }

  /** `end` is called once, at the latest before the connections are cut. Call the result when the stream is over. */
  join(form: StreamMethod['form'], end: (reason: GatewayError) => void): () => void {
    if (this.#ended.has(form)) end(shuttingDown());
    else this.#open.set(end, form);
    return () => this.#open.delete(end);
  }

  /**
   * Streams with appends end now: their client's next append would need a connection that is no longer accepted. The
   * others may finish within the time.
   */
  begin(graceMs: number): void {
    this.#end(['appended']);
    this.#timers.after(Math.max(0, graceMs - LAST_WORDS_MS), () => this.#end(['appended', 'bidi']));
  }

  #end(forms: readonly StreamMethod['form'][]): void {
    this.#ended = new Set(forms);
    for (const [end, form] of this.#open) if (forms.includes(form)) end(shuttingDown());
  }
}

function shuttingDown(): GatewayError {
  return new GatewayError(
    'upstream-unavailable',
    'The gateway is shutting down. Try again: the conversation goes on from its last checkpoint.',
    { retryable: true },
  );
}
