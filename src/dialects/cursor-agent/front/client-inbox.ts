// Reads one client's messages for as long as its stream lives, and hands each to whoever waits for it.
import { GatewayError, invalidRequest } from '../../../core/index.ts';
import type { ConversationAction } from '../../../gen/agent/v1/conversation_action_pb.ts';
import type { AgentClientMessage, AgentRunRequest } from '../../../gen/agent/v1/run_pb.ts';
import type { MessageChannel } from '../../native-front.ts';
import { clientGone } from './client-gone.ts';
import type { ExecRequests } from './exec-requests.ts';
import type { KvRequests } from './kv-requests.ts';
import type { QueryRequests } from './query-requests.ts';
import { readClientMessage } from './run-setup.ts';

export interface ClientInboxOptions {
  readonly channel: MessageChannel;
  readonly exec: ExecRequests;
  readonly query: QueryRequests;
  readonly kv: KvRequests;
  /** What the client asks for after its first message. */
  readonly onAction: (action: ConversationAction | AgentRunRequest) => void;
  /** The client has no more to say; what it has asked for goes on. */
  readonly onEnd: () => void;
  /** The client said something that cannot be understood: the run ends with it. */
  readonly onFault: (error: GatewayError) => void;
  readonly onDrift: (kind: string) => void;
}

export class ClientInbox {
  /** The message that the stream begins with. */
  readonly first: Promise<AgentClientMessage>;
  readonly #options: ClientInboxOptions;
  #resolveFirst: (message: AgentClientMessage) => void = () => {};
  #rejectFirst: (error: GatewayError) => void = () => {};
  #hasBegun = false;

  constructor(options: ClientInboxOptions) {
    this.#options = options;
    this.first = new Promise((resolve, reject) => {
      this.#resolveFirst = resolve;
      this.#rejectFirst = reject;
    });
    this.first.catch(() => {}); // whoever opened the stream awaits it; a second reader is not needed
  }

  /** Reads to the end. Never rejects: a fault is told to those who wait. */
  async read(): Promise<void> {
    const { channel } = this.#options;
    try {
      for await (const bytes of channel.incoming) this.#receive(readClientMessage(bytes));
      this.#close(clientGone());
      this.#rejectFirst(invalidRequest('The stream ended before its first message; send a run_request.'));
      this.#options.onEnd();
    } catch (thrown) {
      const error = channel.signal.aborted ? clientGone() : GatewayError.from(thrown, 'invalid-request');
      this.#close(error);
      this.#rejectFirst(error);
      this.#options.onFault(error);
    }
  }

  /** Everyone who waits for an answer hears that none will come. */
  #close(error: GatewayError): void {
    const { exec, query, kv } = this.#options;
    exec.fail(error);
    query.fail(error);
    kv.close();
  }

  #receive(client: AgentClientMessage): void {
    const { exec, query, kv, onAction, onDrift } = this.#options;
    const { message } = client;
    if (message.case === 'clientHeartbeat') return;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#resolveFirst(client);
      return;
    }
    switch (message.case) {
      case 'execClientMessage':
        exec.receive(message.value);
        return;
      case 'execClientControlMessage':
        exec.receiveControl(message.value);
        return;
      case 'kvClientMessage':
        kv.receive(message.value);
        return;
      case 'interactionResponse':
        query.receive(message.value);
        return;
      case 'conversationAction':
      case 'runRequest':
        onAction(message.value);
        return;
      case 'prewarmRequest':
        onDrift('prewarm_request inside a run');
        return;
      case undefined:
        for (const { no } of client.$unknown ?? []) onDrift(`agent_client_message field ${no}`);
        return;
      default:
        message satisfies never;
    }
  }
}
