import { GatewayError, isTerminal } from '../core/index.ts';
import type { EventBatch } from '../dialects/dialect.ts';

/** Past this a segment can no longer be read again from its start; every buffer has a bound. */
const MAX_KEPT_CHARACTERS = 8 * 1024 * 1024;

/**
 * One round of a held turn, from one request to the next: read once, or again by a client that retries.
 * It is pulled only as fast as its fastest reader reads.
 */
export class TurnSegment {
  readonly #pull: () => Promise<EventBatch | undefined>;
  readonly #kept: EventBatch[] = [];
  #dropped = 0;
  #characters = 0;
  #isDone = false;
  #pulling: Promise<void> | undefined;

  /** `pull` resolves with undefined when the segment is over. */
  constructor(pull: () => Promise<EventBatch | undefined>) {
    this.#pull = pull;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** False once its beginning had to be let go. */
  get isReplayable(): boolean {
    return this.#dropped === 0;
  }

  async *read(): AsyncGenerator<EventBatch> {
    for (let position = 0; ; ) {
      if (position < this.#dropped) {
        throw new GatewayError('conflict', 'This reader fell too far behind another one of the same turn.');
      }
      const batch = this.#kept[position - this.#dropped];
      if (batch) {
        position++;
        yield batch;
      } else if (this.#isDone) return;
      else await this.#advance();
    }
  }

  #advance(): Promise<void> {
    this.#pulling ??= this.#pull()
      .then((batch) => {
        if (batch) this.#keep(batch);
        else this.#isDone = true;
      })
      .finally(() => {
        this.#pulling = undefined;
      });
    return this.#pulling;
  }

  #keep(batch: EventBatch): void {
    this.#kept.push(batch);
    // Readers stop at the terminal event and never ask for what comes after it.
    const last = batch.events.at(-1);
    if (last && isTerminal(last)) this.#isDone = true;
    for (const event of batch.events) if ('text' in event) this.#characters += event.text?.length ?? 0;
    while (this.#characters > MAX_KEPT_CHARACTERS && this.#kept.length > 1) {
      const [oldest] = this.#kept.splice(0, 1);
      this.#dropped++;
      for (const event of oldest?.events ?? [])
        if ('text' in event) this.#characters -= event.text?.length ?? 0;
    }
  }
}
