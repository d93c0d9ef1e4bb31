import type { IdSource, Message, TurnEvent } from '../core/index.ts';

/**
 * Keeps call ids unique within a conversation. Several local model servers count from `call_0` in every answer;
 * taken as they are, such ids would give one call the result of another.
 */
export class CallIds {
  readonly #used = new Set<string>();
  readonly #newId: IdSource;

  constructor(newId: IdSource) {
    this.#newId = newId;
  }

  /** Ids of a conversation that goes on. */
  remember(messages: readonly Message[]): void {
    for (const message of messages) {
      for (const part of message.content) if (part.type === 'tool-call') this.#used.add(part.callId);
    }
  }

  /** For the events of one turn: the same event, or a copy with a fresh id where the id was used before. */
  forTurn(): (event: TurnEvent) => TurnEvent {
    const renamed = new Map<string, string>();
    return (event) => {
      if (event.type === 'tool-input-start') {
        if (this.#used.has(event.callId)) renamed.set(event.callId, this.#fresh());
        else this.#used.add(event.callId);
      }
      if (renamed.size === 0) return event;
      if ('callId' in event) {
        const callId = renamed.get(event.callId);
        return callId === undefined ? event : { ...event, callId };
      }
      if (event.type === 'tool-result') {
        const callId = renamed.get(event.result.callId);
        return callId === undefined ? event : { ...event, result: { ...event.result, callId } };
      }
      return event;
    };
  }

  #fresh(): string {
    let id = this.#newId('call_');
    while (this.#used.has(id)) id = this.#newId('call_');
    this.#used.add(id);
    return id;
  }
}
