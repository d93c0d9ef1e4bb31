import {
  type Message,
  type ToolResultPart,
  type TurnEvent,
  TurnFold,
  type TurnRequest,
  TurnSpans,
} from '../../core/index.ts';

const WITHOUT_CONTENT = new Set<TurnEvent['type']>(['opaque', 'warning', 'usage']);

/** Whether a client would see anything of these events. */
export function hasContent(events: readonly TurnEvent[]): boolean {
  return events.some(({ type }) => !WITHOUT_CONTENT.has(type));
}

/** What a turn has said so far, over all the runs it took: spans, ids, and the transcript to begin again from. */
export class TurnProgress {
  readonly spans = new TurnSpans({ executor: 'client', resultVia: 'in-stream' });
  readonly usedCallIds = new Set<string>();
  readonly #request: TurnRequest;
  readonly #rounds: Message[] = [];
  readonly #releasedCallIds = new Set<string>();
  #fold = new TurnFold();
  #prelude: TurnEvent[] = [];
  #hasStarted = false;

  constructor(request: TurnRequest) {
    this.#request = request;
  }

  /** From the first content on, the turn can no longer be tried elsewhere. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The events that may leave now: none before there is content, so that an early error can still be thrown. */
  release(events: readonly TurnEvent[]): TurnEvent[] {
    const isFirst = !this.#hasStarted && hasContent(events);
    if (!this.#hasStarted && !isFirst) {
      this.#prelude.push(...events);
      return [];
    }
    this.#hasStarted = true;
    const released: TurnEvent[] = isFirst
      ? [{ type: 'turn-start', model: this.#request.model }, ...this.#prelude, ...events]
      : [...events];
    this.#prelude = [];
    for (const event of released) {
      this.#fold.add(event);
      if (event.type === 'tool-input-start') this.#releasedCallIds.add(event.callId);
    }
    return released;
  }

  /** Between rounds every span that was given out is closed; those still open were never seen, nor were their calls. */
  forgetUnreleased(): void {
    this.spans.abort([]);
    this.usedCallIds.clear();
    for (const callId of this.#releasedCallIds) this.usedCallIds.add(callId);
  }

  /** The model's words and calls were answered by these results; what follows is a new message of it. */
  closeRound(results: readonly ToolResultPart[]): void {
    this.#rounds.push({ role: 'assistant', content: this.#fold.result().content });
    this.#rounds.push({ role: 'tool', content: results });
    this.#fold = new TurnFold();
  }

  /** The request as if the client had sent it now, with all that was said and answered since. */
  currentRequest(): TurnRequest {
    if (this.#rounds.length === 0) return this.#request;
    return { ...this.#request, messages: [...this.#request.messages, ...this.#rounds] };
  }
}
