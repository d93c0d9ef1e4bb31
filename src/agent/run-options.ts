import type { AgentTask, IdSource, ToolPort } from '../core/index.ts';
import type { GuardThresholds } from './guards.ts';
import type { TokenPrices } from './limits.ts';
import type { ModelPort } from './model-port.ts';
import type { PromptTexts } from './prompts/index.ts';

/** Calls back once after `ms`, unless the returned function is called before. */
export type RunTimer = (ms: number, callback: () => void) => () => void;

export interface RunAgentOptions {
  readonly task: AgentTask;
  readonly model: ModelPort;
  readonly tools: ToolPort;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  readonly newId: IdSource;
  /** What a model costs; needed where the task bounds what a run may spend. */
  readonly prices?: (model: string) => TokenPrices | undefined;
  /** How many tokens a model takes; without it the conversation is compacted only when the upstream says so. */
  readonly contextWindow?: (model: string) => number | undefined;
  /** Texts that stand instead of ours, from the configuration. */
  readonly prompts?: Partial<PromptTexts>;
  /** How deep runs may nest; 0 means that calls cannot start tasks of their own. */
  readonly maxDepth?: number;
  readonly guards?: Partial<GuardThresholds>;
  /** Wakes the loop when the time of a run is up. */
  readonly timer?: RunTimer;
}

export const DEFAULT_MAX_DEPTH = 2;

/** A run that waits for its time limit keeps no process alive. */
export const systemTimer: RunTimer = (ms, callback) => {
  // Longer delays overflow the timer of the platform and would fire at once; 24 days are no limit any more.
  const handle = setTimeout(callback, Math.min(ms, 2 ** 31 - 1));
  handle.unref();
  return () => clearTimeout(handle);
};
