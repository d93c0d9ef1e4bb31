// Cursor does not show `reasoning_content`. Who wants to see thoughts can have them inside the answer: a folded
// `<details>` block, which Cursor renders, or a `<think>` block, which it shows as plain text.
import type { TurnEvent } from '../../core/index.ts';

export const THINKING_STYLES = ['off', 'details', 'think'] as const;
export type ThinkingStyle = (typeof THINKING_STYLES)[number];

const FRAMES = {
  details: { open: '<details><summary>Thinking</summary>\n\n', close: '\n\n</details>\n\n' },
  think: { open: '<think>\n', close: '\n</think>\n\n' },
} as const;

const MARKS = [
  { open: '<details><summary>Thinking</summary>', close: '</details>' },
  { open: '<think>\n', close: '</think>' },
] as const;

/** The model must not read its own shown thoughts as something it said. A block that was cut off stays. */
export function stripThinking(text: string): string {
  return MARKS.reduce((rest, { open, close }) => {
    let kept = '';
    let from = 0;
    for (;;) {
      const start = rest.indexOf(open, from);
      const end = start === -1 ? -1 : rest.indexOf(close, start);
      if (end === -1) return kept + rest.slice(from);
      kept += rest.slice(from, start);
      from = end + close.length;
      while (rest[from] === '\n') from++;
    }
  }, text);
}

export function frameThinking(text: string, style: ThinkingStyle): string {
  return style === 'off' || text === '' ? '' : FRAMES[style].open + text + FRAMES[style].close;
}

/** Mirrors thoughts into text spans. A block is closed before the first word or call, never in between. */
export class VisibleThinking {
  readonly #style: ThinkingStyle;
  #blocks = 0;
  #openId: string | undefined;
  #isNewSpan = false;

  constructor(style: ThinkingStyle) {
    this.#style = style;
  }

  startSpan(): void {
    this.#isNewSpan = true;
  }

  show(text: string, out: TurnEvent[]): void {
    if (this.#style === 'off' || text === '') return;
    if (this.#openId === undefined) {
      this.#openId = `thinking-${this.#blocks++}`;
      out.push({ type: 'text-start', id: this.#openId });
      out.push({ type: 'text-delta', id: this.#openId, text: FRAMES[this.#style].open });
    } else if (this.#isNewSpan) out.push({ type: 'text-delta', id: this.#openId, text: '\n\n' });
    this.#isNewSpan = false;
    out.push({ type: 'text-delta', id: this.#openId, text });
  }

  close(out: TurnEvent[]): void {
    if (this.#openId === undefined || this.#style === 'off') return;
    out.push({ type: 'text-delta', id: this.#openId, text: FRAMES[this.#style].close });
    out.push({ type: 'text-end', id: this.#openId });
    this.#openId = undefined;
  }
}
