// The smallest client that a backend can talk to: answers whatever is asked, keeps blobs, and notes what it heard.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { AgentConnection } from '../../../src/dialects/cursor-agent/agent-connection.ts';
import type { ExecServerMessage } from '../../../src/gen/agent/v1/exec_pb.ts';
import type { KvServerMessage } from '../../../src/gen/agent/v1/kv_pb.ts';
import {
  AgentClientMessageSchema,
  type AgentRunRequestSchema,
  type AgentServerMessage,
} from '../../../src/gen/agent/v1/run_pb.ts';

export type ClientFrame = MessageInitShape<typeof AgentClientMessageSchema>['message'];

export const clientMessage = (message: ClientFrame) =>
  create(AgentClientMessageSchema, message === undefined ? {} : { message });

type RunRequestInit = Exclude<MessageInitShape<typeof AgentRunRequestSchema>, { $typeName: string }>;

/** A run request that asks for something, with two tools declared. */
export function runRequest(text = 'Hello?', init: Omit<RunRequestInit, '$typeName' | '$unknown'> = {}) {
  const userMessage = { text, messageId: 'message-1', mode: 1 as const };
  const tools = ['alpha', 'beta'].map((toolName) => ({
    name: `kit-${toolName}`,
    toolName,
    providerIdentifier: 'kit',
    description: 'A tool.',
  }));
  return clientMessage({
    case: 'runRequest',
    value: {
      conversationState: { mode: 1 },
      action: { action: { case: 'userMessageAction', value: { userMessage } } },
      mcpTools: { mcpTools: tools },
      conversationId: 'conversation-1',
      ...init,
    },
  });
}

export class SampleClient {
  readonly heard: AgentServerMessage[] = [];
  readonly #connection: AgentConnection;
  readonly #blobs = new Map<string, Uint8Array>();

  constructor(connection: AgentConnection) {
    this.#connection = connection;
  }

  get text(): string {
    return this.heard
      .map(({ message }) => {
        if (message.case !== 'interactionUpdate') return '';
        return message.value.message.case === 'textDelta' ? message.value.message.value.text : '';
      })
      .join('');
  }

  get hasTurnEnded(): boolean {
    return this.heard.some(
      ({ message }) => message.case === 'interactionUpdate' && message.value.message.case === 'turnEnded',
    );
  }

  /** Sends the request and answers everything until the run ends; throws what the run throws. */
  async play(request = runRequest()): Promise<void> {
    await this.#connection.send(request);
    for await (const message of this.#connection.messages) {
      this.heard.push(message);
      await this.#answer(message);
    }
  }

  async #answer({ message }: AgentServerMessage): Promise<void> {
    if (message.case === 'kvServerMessage') await this.#answerKv(message.value);
    else if (message.case === 'execServerMessage') await this.#answerExec(message.value);
    else if (message.case === 'interactionQuery') {
      await this.#send({ case: 'interactionResponse', value: { id: message.value.id } });
    }
  }

  async #answerKv({ id, message }: KvServerMessage): Promise<void> {
    if (message.case === 'setBlobArgs') {
      this.#blobs.set(Buffer.from(message.value.blobId).toString('hex'), message.value.blobData);
      await this.#send({
        case: 'kvClientMessage',
        value: { id, message: { case: 'setBlobResult', value: {} } },
      });
    } else if (message.case === 'getBlobArgs') {
      const blobData = this.#blobs.get(Buffer.from(message.value.blobId).toString('hex'));
      const value = blobData === undefined ? {} : { blobData };
      await this.#send({ case: 'kvClientMessage', value: { id, message: { case: 'getBlobResult', value } } });
    }
  }

  async #answerExec({ id, message }: ExecServerMessage): Promise<void> {
    if (message.case === 'requestContextArgs') {
      const result = { case: 'success' as const, value: { requestContext: {} } };
      await this.#sendResult(id, { case: 'requestContextResult', value: { result } });
    } else if (message.case === 'mcpArgs') {
      const content = [
        { content: { case: 'text' as const, value: { text: `${message.value.toolName} done` } } },
      ];
      const result = { case: 'success' as const, value: { content } };
      await this.#sendResult(id, { case: 'mcpResult', value: { result } });
    } else {
      const error = `No exec ${message.case ?? 'of this kind'}.`;
      await this.#send({
        case: 'execClientControlMessage',
        value: { message: { case: 'throw', value: { id, error } } },
      });
    }
    await this.#send({
      case: 'execClientControlMessage',
      value: { message: { case: 'streamClose', value: { id } } },
    });
  }

  #sendResult(
    id: number,
    message: Extract<ClientFrame, { case: 'execClientMessage' }>['value']['message'],
  ): Promise<void> {
    return this.#send({
      case: 'execClientMessage',
      value: message === undefined ? { id } : { id, message },
    });
  }

  #send(frame: ClientFrame): Promise<void> {
    return this.#connection.send(clientMessage(frame));
  }
}
