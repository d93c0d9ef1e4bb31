import { estimateTokens, type Message, type ToolDefinition, type Usage } from '../core/index.ts';
import { COMPACTION_SHARE } from './compaction.ts';
import { countTools, estimateMessages } from './context-size.ts';

/** No model is smaller; below this there would be no room for a summary. */
const MIN_WINDOW = 1_000;
/** After a compaction the conversation must grow by this much of the window before the next one. */
const REGROWTH_SHARE = 0.1;

/** Knows how full the model's window is: the upstream's own count where there is one, with a guess for the rest. */
export class ContextMeter {
  readonly #window: number | undefined;
  #counted: { readonly tokens: number; readonly messages: number } | undefined;
  #overheadTokens = 0;
  #floor = 0;

  constructor(window: number | undefined) {
    this.#window = window;
  }

  /** What every request carries beside the conversation. */
  setOverhead(system: string, tools: readonly ToolDefinition[]): void {
    this.#overheadTokens = estimateTokens(system.length + countTools(tools));
  }

  /** A turn ended; `messages` of the conversation are in its count. */
  count(usage: Usage, messages: number): void {
    if (!usage.estimated) this.#counted = { tokens: usage.inputTokens + usage.outputTokens, messages };
  }

  tokens(messages: readonly Message[]): number {
    if (!this.#counted) return this.#overheadTokens + estimateMessages(messages);
    return this.#counted.tokens + estimateMessages(messages.slice(this.#counted.messages));
  }

  isFull(messages: readonly Message[]): boolean {
    if (this.#window === undefined) return false;
    return this.tokens(messages) > Math.max(this.#window * COMPACTION_SHARE, this.#floor);
  }

  compacted(messages: readonly Message[]): void {
    this.#counted = undefined;
    this.#floor = this.tokens(messages) + (this.#window ?? 0) * REGROWTH_SHARE;
  }

  /** The room there is. An upstream that says it overflowed is right, whatever was configured. */
  window(messages: readonly Message[], hasOverflowed: boolean): number {
    const known = this.#window ?? Number.POSITIVE_INFINITY;
    if (!hasOverflowed && this.#window !== undefined) return this.#window;
    return Math.max(MIN_WINDOW, Math.min(known, Math.floor(this.tokens(messages) * 0.9)));
  }
}
