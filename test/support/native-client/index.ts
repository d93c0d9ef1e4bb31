export { type AnswerQuery, approve } from './answer-query.ts';
export type { CarrierKind } from './carrier.ts';
export { ConversationMemory } from './conversation-memory.ts';
export { NativeAgent, NativeClient, type SendOptions, type Turn } from './native-client.ts';
export type { Cut } from './run-attempt.ts';
export { TurnRecord } from './turn-record.ts';
export { CUSTOM_SERVER, type DeclaredTool, Workspace } from './workspace/index.ts';
