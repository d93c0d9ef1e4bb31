export { DEFAULT_THRESHOLDS, type GuardThresholds } from './guards.ts';
export { isHarnessNote } from './harness-note.ts';
export { DEFAULT_MAX_STEPS, type TokenPrices } from './limits.ts';
export type { ModelPort } from './model-port.ts';
export { type CallLedger, type CallState, runOnce } from './once.ts';
export { DEFAULT_PROMPTS, type PromptTexts } from './prompts/index.ts';
export { runAgent } from './run-agent.ts';
export { DEFAULT_MAX_DEPTH, type RunAgentOptions, type RunTimer } from './run-options.ts';
