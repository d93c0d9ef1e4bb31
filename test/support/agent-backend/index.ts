export {
  BackendRun,
  type ExecArgs,
  type ExecCall,
  type ExecOutcome,
  type Query,
  type ServerFrame,
  type Update,
} from './backend-run.ts';
export { RunClosed } from './client-inbox.ts';
export { type Interleaving, type InterleavingStep, interleavings } from './interleaving.ts';
export { ManualTimers } from './manual-timers.ts';
export type { CutKind } from './run-carrier.ts';
export { type ClientFrame, clientMessage, runRequest, SampleClient } from './sample-client.ts';
export {
  type AgentScript,
  execChat,
  finishTurn,
  heartbeatsOnly,
  kvStorm,
  type PlainChatOptions,
  plainChat,
  silent,
  toolChat,
} from './scripts.ts';
export type { SeenCall } from './seen-call.ts';
export { type AgentBackend, type AgentBackendOptions, startAgentBackend } from './start-agent-backend.ts';
export {
  issueCalls,
  pendingCalls,
  playInterleaving,
  resultText,
  type ScriptedCall,
  settleCalls,
} from './tool-calls.ts';
export { json, type Reply } from './unary-answers.ts';
