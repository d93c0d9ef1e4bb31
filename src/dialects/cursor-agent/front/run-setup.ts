import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { GatewayError, invalidRequest } from '../../../core/index.ts';
import type { ConversationAction } from '../../../gen/agent/v1/conversation_action_pb.ts';
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
  type PrewarmRequest,
} from '../../../gen/agent/v1/run_pb.ts';

/** What a stream begins with: a run, or the preparation of one whose action follows. */
export interface RunSetup {
  readonly request: AgentRunRequest | PrewarmRequest;
  readonly action: ConversationAction | undefined;
  readonly conversationId: string;
}

export function readClientMessage(bytes: Uint8Array): AgentClientMessage {
  try {
    return fromBinary(AgentClientMessageSchema, bytes);
  } catch (cause) {
    throw new GatewayError(
      'invalid-request',
      `A message of ${bytes.length} bytes is not an agent.v1.AgentClientMessage: ` +
        `${cause instanceof Error ? cause.message : 'it cannot be read'}.`,
      { cause },
    );
  }
}

export function readSetup({ message }: AgentClientMessage): RunSetup {
  if (message.case === 'runRequest') return setUpRun(message.value);
  if (message.case === 'prewarmRequest') {
    return { request: message.value, action: undefined, conversationId: message.value.conversationId ?? '' };
  }
  throw invalidRequest(
    `A stream begins with a run_request or a prewarm_request, not with ${message.case ?? 'an unknown message'}.`,
  );
}

export function setUpRun(request: AgentRunRequest): RunSetup & { readonly action: ConversationAction } {
  const { action, conversationId } = request;
  if (!action) throw invalidRequest('The run_request has no action; send a user_message_action.', 'action');
  return { request, action, conversationId: conversationId ?? '' };
}

/**
 * A client that keeps no checkpoints sends a state without a single byte; we are its memory. One that means to begin
 * anew says at least in which mode.
 */
export function isBlankState(state: ConversationStateStructure | undefined): boolean {
  return state === undefined || toBinary(ConversationStateStructureSchema, state).length === 0;
}
