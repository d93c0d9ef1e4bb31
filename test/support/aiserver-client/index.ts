export { CARRIERS, type CarrierKind } from './carrier.ts';
export { ChatClient, type ChatTurn, type RequestInit } from './chat-client.ts';
export { type Cut, IdempotentTurn } from './idempotent-turn.ts';
export { openStage, type Stage } from './open-chat-stage.ts';
export { TurnRecord } from './turn-record.ts';
export { type McpTool, SUPPORTED_NUMBERS, Workspace } from './workspace.ts';
