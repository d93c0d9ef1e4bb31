export type { GuardThresholds } from './guards.ts';
export type { TokenPrices } from './limits.ts';
export type { ModelPort } from './model-port.ts';
export { type CallLedger, type CallState, runOnce } from './once.ts';
export type { PromptTexts } from './prompts/index.ts';
export { runAgent } from './run-agent.ts';
export type { RunAgentOptions, RunTimer } from './run-options.ts';
