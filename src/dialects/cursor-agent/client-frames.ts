// The frames a client sends during a run, each in its envelope.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ExecClientMessageSchema, ExecServerMessage } from '../../gen/agent/v1/exec_pb.ts';
import type { KvClientMessageSchema } from '../../gen/agent/v1/kv_pb.ts';
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
} from '../../gen/agent/v1/run_pb.ts';

/** The typed result of an exec, without its envelope. */
export type ExecAnswer = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>['message']>;

export function runFrame(request: AgentRunRequest): AgentClientMessage {
  return create(AgentClientMessageSchema, { message: { case: 'runRequest', value: request } });
}

export function kvFrame(value: MessageInitShape<typeof KvClientMessageSchema>): AgentClientMessage {
  return create(AgentClientMessageSchema, { message: { case: 'kvClientMessage', value } });
}

/** The results of one exec (several for a shell stream) and the close that must follow them. */
export function answerFrames(
  { id, execId }: Pick<ExecServerMessage, 'id' | 'execId'>,
  answers: readonly ExecAnswer[],
): AgentClientMessage[] {
  const results = answers.map((message) =>
    create(AgentClientMessageSchema, {
      message: { case: 'execClientMessage', value: { id, execId, message } },
    }),
  );
  return [...results, closeFrame(id)];
}

/** The answer to an exec that has no typed result of its own. */
export function throwFrames(id: number, error: string): AgentClientMessage[] {
  const thrown = create(AgentClientMessageSchema, {
    message: {
      case: 'execClientControlMessage',
      value: { message: { case: 'throw', value: { id, error } } },
    },
  });
  return [thrown, closeFrame(id)];
}

export function heartbeatFrame(id: number): AgentClientMessage {
  return create(AgentClientMessageSchema, {
    message: {
      case: 'execClientControlMessage',
      value: { message: { case: 'heartbeat', value: { id } } },
    },
  });
}

function closeFrame(id: number): AgentClientMessage {
  return create(AgentClientMessageSchema, {
    message: {
      case: 'execClientControlMessage',
      value: { message: { case: 'streamClose', value: { id } } },
    },
  });
}
