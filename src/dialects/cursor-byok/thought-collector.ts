import type { ReasoningPart, ToolCallPart, TurnEvent, TurnResult } from '../../core/index.ts';
import type { ReasoningCache } from './reasoning-cache.ts';

type Form = ReasoningPart['form'];

/** Gathers what one turn thought and called, and remembers it when the turn ended well. */
export class ThoughtCollector {
  readonly #cache: ReasoningCache;
  readonly #scope: string;
  readonly #spans = new Map<string, { form: Form; text: string }>();
  readonly #calls: Pick<ToolCallPart, 'callId' | 'name' | 'argumentsText'>[] = [];

  constructor(cache: ReasoningCache, scope: string) {
    this.#cache = cache;
    this.#scope = scope;
  }

  add(event: TurnEvent): void {
    if (event.type === 'reasoning-start') this.#spans.set(event.id, { form: event.form, text: '' });
    else if (event.type === 'reasoning-delta') {
      const span = this.#spans.get(event.id);
      if (span) span.text += event.text;
    } else if (event.type === 'tool-call') {
      const { callId, name, argumentsText } = event;
      this.#calls.push({ callId, name, argumentsText });
    } else if (event.type === 'turn-end') this.#remember([...this.#spans.values()]);
  }

  addResult(result: TurnResult): void {
    const thoughts = result.content.filter((part) => part.type === 'reasoning');
    this.#calls.push(...result.content.filter((part) => part.type === 'tool-call'));
    this.#remember(thoughts);
  }

  #remember(thoughts: readonly { readonly form: Form; readonly text: string }[]): void {
    const spoken = thoughts.filter((thought) => thought.text !== '' && thought.form !== 'redacted');
    const form = spoken[0]?.form;
    if (form === undefined) return;
    const text = spoken.map((thought) => thought.text).join('\n\n');
    this.#cache.remember(this.#scope, this.#calls, { text, form });
  }
}
