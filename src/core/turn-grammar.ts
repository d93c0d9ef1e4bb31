import { isTerminal, type TurnEvent } from './turn-event.ts';

/**
 * Which event may follow which:
 *
 *   turn  = turn-start? body* terminal
 *   body  = span | tool-call | usage | warning | opaque | tool-progress | approval-* | tool-result
 *         | awaiting-results                 only while no span is open
 *   span  = X-start X-delta* X-end           every span that opens closes before the terminal
 *   call  = tool-input-start delta* end tool-call?   the call is absent when the input was cut off
 *
 * `turn-start` is absent only when the turn failed before the upstream said anything.
 */
export class TurnGrammar {
  #started = false;
  #ended = false;
  readonly #openSpans = new Map<string, TurnEvent>();
  readonly #closedInputs = new Set<string>();
  readonly #usedIds = new Set<string>();

  /** Returns what is wrong with this event at this place, or undefined. */
  check(event: TurnEvent): string | undefined {
    if (this.#ended) return `${event.type} after the end of the turn`;
    if (event.type === 'turn-start') {
      if (this.#started) return 'a second turn-start';
      this.#started = true;
      return undefined;
    }
    if (!this.#started && event.type !== 'turn-error') return `${event.type} before turn-start`;
    if (isTerminal(event)) {
      this.#ended = true;
      const open = [...this.#openSpans.keys()];
      return open.length > 0 ? `${event.type} while spans are open: ${open.join(', ')}` : undefined;
    }
    return this.#checkBody(event);
  }

  /** The events that close what is open, for a turn that must end here. */
  closingEvents(): TurnEvent[] {
    return [...this.#openSpans.values()];
  }

  /** Call when no more events come. */
  finish(): string | undefined {
    return this.#ended ? undefined : 'the stream stopped without a terminal event';
  }

  #checkBody(event: TurnEvent): string | undefined {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'media-start':
        return this.#open(`${spanName(event.type)} ${event.id}`, endOf(event.type, event.id));
      case 'text-delta':
      case 'reasoning-delta':
      case 'media-delta':
        return this.#within(`${spanName(event.type)} ${event.id}`, event.type);
      case 'text-end':
      case 'reasoning-end':
      case 'media-end':
        return this.#close(`${spanName(event.type)} ${event.id}`);
      case 'tool-input-start':
        return this.#open(`tool-input ${event.callId}`, { type: 'tool-input-end', callId: event.callId });
      case 'tool-input-delta':
        return this.#within(`tool-input ${event.callId}`, event.type);
      case 'tool-input-end':
        this.#closedInputs.add(event.callId);
        return this.#close(`tool-input ${event.callId}`);
      case 'awaiting-results':
        return this.#openSpans.size > 0 ? 'awaiting-results while spans are open' : undefined;
      case 'tool-call':
        return this.#closedInputs.delete(event.callId)
          ? undefined
          : `tool-call ${event.callId} without a finished input, or twice`;
      default:
        return undefined;
    }
  }

  #open(span: string, end: TurnEvent): string | undefined {
    if (this.#usedIds.has(span)) return `${span} opened twice`;
    this.#usedIds.add(span);
    this.#openSpans.set(span, end);
    return undefined;
  }

  #within(span: string, type: string): string | undefined {
    return this.#openSpans.has(span) ? undefined : `${type} outside of ${span}`;
  }

  #close(span: string): string | undefined {
    return this.#openSpans.delete(span) ? undefined : `${span} closed without being open`;
  }
}

function spanName(type: string): string {
  return type.slice(0, type.indexOf('-'));
}

function endOf(type: 'text-start' | 'reasoning-start' | 'media-start', id: string): TurnEvent {
  if (type === 'text-start') return { type: 'text-end', id };
  return type === 'reasoning-start' ? { type: 'reasoning-end', id } : { type: 'media-end', id };
}

/** The first violation in a whole turn, with its position, or undefined. For tests. */
export function findGrammarProblem(events: readonly TurnEvent[]): string | undefined {
  const grammar = new TurnGrammar();
  for (const [index, event] of events.entries()) {
    const problem = grammar.check(event);
    if (problem) return `event ${index}: ${problem}`;
  }
  return grammar.finish();
}
