// What a waiting turn leaves behind, so that another process can take it up: JSON, kept by the gateway.
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
} from '../../gen/agent/v1/conversation_state_pb.ts';
import type { PendingCall } from './pending-call.ts';

export interface ResumePoint {
  readonly conversationId: string;
  readonly model: string;
  /** Absent when no checkpoint holds the waiting calls: the run must then begin again from the transcript. */
  readonly checkpoint?: ConversationStateStructure;
  readonly calls: readonly WaitingCall[];
}

export interface WaitingCall {
  readonly callId: string;
  readonly name: string;
  readonly argumentsText: string;
}

export function encodeResumePoint(
  point: Omit<ResumePoint, 'calls'> & { readonly calls: readonly PendingCall[] },
): JsonObject {
  const { conversationId, model, checkpoint, calls } = point;
  const bytes = checkpoint && toBinary(ConversationStateStructureSchema, checkpoint);
  return {
    conversationId,
    model,
    ...(bytes ? { checkpoint: Buffer.from(bytes).toString('base64') } : {}),
    calls: calls.map(({ callId, name, argumentsText, exec }) => ({
      callId,
      name,
      argumentsText,
      execId: exec.execId,
      execNumber: exec.id,
    })),
  };
}

/** Undefined for anything that is not a resume point of this version: the transcript says everything too. */
export function decodeResumePoint(json: JsonObject): ResumePoint | undefined {
  const { conversationId, model, checkpoint, calls } = json;
  if (typeof conversationId !== 'string' || typeof model !== 'string' || !Array.isArray(calls))
    return undefined;
  const waiting = calls.filter(isJsonObject).map(({ callId, name, argumentsText }) => ({
    callId: String(callId),
    name: String(name),
    argumentsText: String(argumentsText),
  }));
  const state = typeof checkpoint === 'string' ? readCheckpoint(checkpoint) : undefined;
  return { conversationId, model, calls: waiting, ...(state ? { checkpoint: state } : {}) };
}

function readCheckpoint(base64: string): ConversationStateStructure | undefined {
  try {
    return fromBinary(ConversationStateStructureSchema, Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
