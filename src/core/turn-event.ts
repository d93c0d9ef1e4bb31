import type { GatewayError } from './errors.ts';
import type { FinishReason } from './finish-reason.ts';
import type { Extra, JsonObject, JsonValue } from './json.ts';
import type { ReasoningPart, ToolCallKind, ToolResultPart } from './message.ts';
import type { Usage } from './usage.ts';

/** Who runs a call, and how its result comes back. */
export type ToolExecutor = 'client' | 'gateway' | 'upstream';
export type ResultVia = 'next-request' | 'in-stream';

export interface TurnStart {
  readonly type: 'turn-start';
  /** The upstream's own id for the answer, if it gave one. */
  readonly responseId?: string;
  readonly model?: string;
  readonly createdAtMs?: number;
  readonly extra?: Extra;
}

export interface TextStart {
  readonly type: 'text-start';
  readonly id: string;
  /** A refusal is text too, but every dialect marks it. */
  readonly form?: 'refusal';
}
export interface TextDelta {
  readonly type: 'text-delta';
  readonly id: string;
  readonly text: string;
  readonly logprobs?: JsonValue;
}
export interface TextEnd {
  readonly type: 'text-end';
  readonly id: string;
  readonly annotations?: readonly JsonValue[];
}

export interface ReasoningStart {
  readonly type: 'reasoning-start';
  readonly id: string;
  readonly form: ReasoningPart['form'];
}
export interface ReasoningDelta {
  readonly type: 'reasoning-delta';
  readonly id: string;
  readonly text: string;
}
export interface ReasoningEnd {
  readonly type: 'reasoning-end';
  readonly id: string;
  readonly signature?: string;
  readonly encrypted?: string;
  readonly origin?: string;
  readonly extra?: Extra;
}

/** Sound or pictures that the model makes. */
export interface MediaStart {
  readonly type: 'media-start';
  readonly id: string;
  readonly kind: 'audio' | 'image' | 'file';
  readonly mediaType?: string;
}
export interface MediaDelta {
  readonly type: 'media-delta';
  readonly id: string;
  /** Base64; the pieces concatenate. */
  readonly data?: string;
  readonly transcript?: string;
}
export interface MediaEnd {
  readonly type: 'media-end';
  readonly id: string;
  readonly extra?: Extra;
}

export interface ToolInputStart {
  readonly type: 'tool-input-start';
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolCallKind;
  readonly namespace?: string;
  readonly itemId?: string;
  readonly extra?: Extra;
}
export interface ToolInputDelta {
  readonly type: 'tool-input-delta';
  readonly callId: string;
  readonly text: string;
}
export interface ToolInputEnd {
  readonly type: 'tool-input-end';
  readonly callId: string;
}

/** A complete call. Follows its `tool-input-end`; a call that was cut off has none. */
export interface ToolCall {
  readonly type: 'tool-call';
  readonly callId: string;
  readonly name: string;
  readonly kind: ToolCallKind;
  readonly argumentsText: string;
  /** The parsed arguments; absent when the text is not JSON, and then `inputProblem` says why. */
  readonly input?: JsonValue;
  readonly inputProblem?: string;
  readonly executor: ToolExecutor;
  readonly resultVia: ResultVia;
  readonly namespace?: string;
  readonly itemId?: string;
  readonly extra?: Extra;
}

export interface ToolProgress {
  readonly type: 'tool-progress';
  readonly callId: string;
  readonly text?: string;
  readonly detail?: JsonValue;
}
export interface ApprovalRequest {
  readonly type: 'approval-request';
  readonly approvalId: string;
  readonly callId: string;
  readonly reason?: string;
}
export interface ApprovalResponse {
  readonly type: 'approval-response';
  readonly approvalId: string;
  readonly callId: string;
  readonly approved: boolean;
  readonly reason?: string;
}
/** The result of a call that was executed inside the turn (by the gateway or the upstream). */
export interface ToolResult {
  readonly type: 'tool-result';
  readonly result: ToolResultPart;
}

/**
 * Every call of a round is out, and an upstream that keeps its stream open waits for their results.
 * `resume` is what it needs to take the turn up again if the stream is lost meanwhile.
 */
export interface AwaitingResults {
  readonly type: 'awaiting-results';
  readonly callIds: readonly string[];
  readonly usage?: Usage;
  readonly resume?: JsonObject;
}

/** Counts so far; a later one replaces an earlier one. */
export interface UsageUpdate {
  readonly type: 'usage';
  readonly usage: Usage;
}
export interface Warning {
  readonly type: 'warning';
  readonly code: string;
  readonly message: string;
}
/** A frame of a known dialect that this version does not understand: kept, counted, shown. */
export interface OpaqueEvent {
  readonly type: 'opaque';
  readonly dialect: string;
  readonly value: JsonValue;
}

export interface TurnEnd {
  readonly type: 'turn-end';
  readonly reason: FinishReason;
  /** The upstream's own word, kept when ours is coarser. */
  readonly rawReason?: string;
  readonly stopSequence?: string;
  readonly usage?: Usage;
  readonly extra?: Extra;
}
export interface TurnError {
  readonly type: 'turn-error';
  readonly error: GatewayError;
  readonly usage?: Usage;
}

export type TurnEvent =
  | TurnStart
  | TextStart
  | TextDelta
  | TextEnd
  | ReasoningStart
  | ReasoningDelta
  | ReasoningEnd
  | MediaStart
  | MediaDelta
  | MediaEnd
  | ToolInputStart
  | ToolInputDelta
  | ToolInputEnd
  | ToolCall
  | ToolProgress
  | ApprovalRequest
  | ApprovalResponse
  | ToolResult
  | AwaitingResults
  | UsageUpdate
  | Warning
  | OpaqueEvent
  | TurnEnd
  | TurnError;

export type TerminalEvent = TurnEnd | TurnError;

export function isTerminal(event: TurnEvent): event is TerminalEvent {
  return event.type === 'turn-end' || event.type === 'turn-error';
}
