import type { GatewayError, TurnEvent } from '../../core/index.ts';
import type { PendingCall } from './pending-call.ts';

export type QueueItem =
  | { readonly type: 'events'; readonly events: readonly TurnEvent[] }
  /** Every call of a round is out; nothing goes on without their results. */
  | { readonly type: 'round'; readonly calls: readonly PendingCall[] }
  | { readonly type: 'end'; readonly error?: GatewayError };

const MAX_EVENTS = 1_024;

/** Between the reader of the stream, which never waits for a parked client, and the turn, which does. */
export class RunQueue {
  readonly #items: QueueItem[] = [];
  #eventCount = 0;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  #isClosed = false;

  push(item: QueueItem): void {
    if (item.type === 'events') {
      if (item.events.length === 0) return;
      this.#eventCount += item.events.length;
    }
    this.#items.push(item);
    this.#wakeReader?.();
  }

  /** The next item; events that wait together come together. */
  async take(): Promise<QueueItem> {
    for (;;) {
      const item = this.#items.shift();
      if (item) return item.type === 'events' ? this.#mergeEvents(item.events) : item;
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  /** Resolves when there is room, or nobody will take anything any more. */
  async room(): Promise<void> {
    while (this.#eventCount > MAX_EVENTS && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#wakeWriter?.();
  }

  #mergeEvents(first: readonly TurnEvent[]): QueueItem {
    const events = [...first];
    for (let next = this.#items[0]; next?.type === 'events'; next = this.#items[0]) {
      events.push(...next.events);
      this.#items.shift();
    }
    this.#eventCount -= events.length;
    this.#wakeWriter?.();
    return { type: 'events', events };
  }
}
