import type { JsonValue } from './json.ts';
import type { ReasoningPart } from './message.ts';
import { type CallHead, type ToolInputOptions, ToolInputs } from './tool-input.ts';
import type { ReasoningEnd, TurnEvent } from './turn-event.ts';

type ReasoningForm = ReasoningPart['form'];
type Prose = { readonly id: string; readonly kind: 'text' | 'refusal' | `reasoning-${ReasoningForm}` };

/**
 * Opens and closes spans for dialects whose wire has none (chat chunks just carry text).
 * At most one text or reasoning span is open at a time; tool inputs may interleave.
 */
export class TurnSpans {
  readonly tools: ToolInputs;
  #prose: Prose | undefined;
  #proseCount = 0;
  #audioId: string | undefined;

  constructor(options: ToolInputOptions = {}) {
    this.tools = new ToolInputs(options);
  }

  text(text: string, out: TurnEvent[], options?: { form?: 'refusal'; logprobs?: JsonValue }): void {
    const id = this.#enter(options?.form ?? 'text', out);
    const logprobs = options?.logprobs;
    out.push(
      logprobs === undefined ? { type: 'text-delta', id, text } : { type: 'text-delta', id, text, logprobs },
    );
  }

  reasoning(text: string, out: TurnEvent[], form: ReasoningForm = 'raw'): void {
    const id = this.#enter(`reasoning-${form}`, out);
    if (text !== '') out.push({ type: 'reasoning-delta', id, text });
  }

  /** Ends an open reasoning span with what proves it; opens one first if the proof came without any text. */
  endReasoning(
    proof: Omit<ReasoningEnd, 'type' | 'id'>,
    out: TurnEvent[],
    form: ReasoningForm = 'raw',
  ): void {
    const isOpen = this.#prose?.kind.startsWith('reasoning-');
    const id = isOpen && this.#prose ? this.#prose.id : this.#enter(`reasoning-${form}`, out);
    this.#prose = undefined;
    out.push({ type: 'reasoning-end', id, ...proof });
  }

  endText(annotations: readonly JsonValue[], out: TurnEvent[]): void {
    const isOpen = this.#prose?.kind === 'text';
    const id = isOpen && this.#prose ? this.#prose.id : this.#enter('text', out);
    this.#prose = undefined;
    out.push({ type: 'text-end', id, annotations });
  }

  audio(delta: { data?: string; transcript?: string }, out: TurnEvent[]): void {
    if (this.#audioId === undefined) {
      this.#audioId = 'audio-0';
      out.push({ type: 'media-start', id: this.#audioId, kind: 'audio' });
    }
    out.push({ type: 'media-delta', id: this.#audioId, ...delta });
  }

  startTool(head: CallHead, out: TurnEvent[]): void {
    this.closeProse(out);
    this.tools.start(head, out);
  }

  closeProse(out: TurnEvent[]): void {
    const prose = this.#prose;
    if (!prose) return;
    this.#prose = undefined;
    const isReasoning = prose.kind.startsWith('reasoning-');
    out.push({ type: isReasoning ? 'reasoning-end' : 'text-end', id: prose.id });
  }

  /** The answer is whole: every open call becomes a `tool-call`. */
  complete(out: TurnEvent[]): void {
    this.#closeMedia(out);
    this.tools.finishAll(out);
  }

  /** The answer was cut: spans close, unfinished calls do not become calls. */
  abort(out: TurnEvent[]): void {
    this.#closeMedia(out);
    this.tools.abortAll(out);
  }

  #closeMedia(out: TurnEvent[]): void {
    this.closeProse(out);
    if (this.#audioId === undefined) return;
    out.push({ type: 'media-end', id: this.#audioId });
    this.#audioId = undefined;
  }

  #enter(kind: Prose['kind'], out: TurnEvent[]): string {
    if (this.#prose?.kind === kind) return this.#prose.id;
    this.closeProse(out);
    const id = `p${this.#proseCount++}`;
    this.#prose = { id, kind };
    if (kind === 'text') out.push({ type: 'text-start', id });
    else if (kind === 'refusal') out.push({ type: 'text-start', id, form: 'refusal' });
    else out.push({ type: 'reasoning-start', id, form: kind.slice('reasoning-'.length) as ReasoningForm });
    return id;
  }
}
