// A client of unified chat that is stricter than any known one: it carries out calls on a folder and notes every message
// that breaks the order of docs/protocols/cursor-aiserver.md.
import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Client, ConnectError, createClient } from '@connectrpc/connect';
import { AiService } from '../../../src/gen/aiserver/v1/ai_service_pb.ts';
import {
  ConversationMessage_MessageType as MessageType,
  type StreamUnifiedChatRequestSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatRequest_UnifiedMode as UnifiedMode,
} from '../../../src/gen/aiserver/v1/chat_request_pb.ts';
import type { StreamUnifiedChatResponseWithTools } from '../../../src/gen/aiserver/v1/chat_response_pb.ts';
import { ChatService } from '../../../src/gen/aiserver/v1/chat_service_pb.ts';
import type {
  ClientSideToolV2Call,
  ClientSideToolV2Result,
} from '../../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { type CarrierKind, type CarrierOptions, createUnaryTransport, openChat } from './carrier.ts';
import { TurnRecord } from './turn-record.ts';
import { SUPPORTED_NUMBERS, type Workspace } from './workspace.ts';

export type RequestInit = Exclude<
  MessageInitShape<typeof StreamUnifiedChatRequestSchema>,
  { $typeName: string }
>;

export interface ChatClientOptions {
  readonly url: string;
  readonly carrier: CarrierKind;
  readonly model: string;
  readonly workspace: Workspace;
  readonly key?: string;
  readonly isCompressed?: boolean;
  readonly appendsBytes?: boolean;
}

export interface AskOptions {
  /** Fields beside those that every request has. */
  readonly request?: RequestInit;
  /** The client closes its side after the request and runs no call, as gateways of stateless clients do. */
  readonly isStateless?: boolean;
  readonly signal?: AbortSignal;
  readonly onMessage?: (message: StreamUnifiedChatResponseWithTools) => void;
  /** Changes what the client says of a call; several results are sent one after the other. */
  readonly answer?: (result: ClientSideToolV2Result) => readonly ClientSideToolV2Result[];
}

export type TurnEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'left' }
  | { readonly kind: 'failed'; readonly error: ConnectError };

export interface ChatTurn {
  readonly record: TurnRecord;
  readonly end: TurnEnd;
  readonly results: readonly ClientSideToolV2Result[];
}

export class ChatClient {
  readonly options: ChatClientOptions;

  constructor(options: ChatClientOptions) {
    this.options = options;
  }

  get chat(): Client<typeof ChatService> {
    return createClient(ChatService, createUnaryTransport({ ...this.options, headers: this.headers() }));
  }

  get ai(): Client<typeof AiService> {
    return createClient(AiService, createUnaryTransport({ ...this.options, headers: this.headers() }));
  }

  headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.options.key ?? 'any'}`,
      'x-cursor-client-type': 'ide',
      'x-cursor-client-version': '2.3.0',
      'x-ghost-mode': 'true',
      'x-session-id': randomUUID(),
    };
  }

  carrierOptions(more: Readonly<Record<string, string>> = {}): CarrierOptions {
    const { carrier: kind, url, isCompressed = false, appendsBytes = false } = this.options;
    const headers = { ...this.headers(), ...more };
    return { kind, url, headers, requestId: randomUUID(), isCompressed, appendsBytes };
  }

  /** What an IDE sends for one word of its user in agent mode. */
  request(text: string, more: RequestInit = {}): RequestInit {
    const { workspace, model } = this.options;
    return {
      conversation: [{ type: MessageType.HUMAN, text, bubbleId: randomUUID() }],
      modelDetails: { modelName: model },
      unifiedMode: UnifiedMode.AGENT,
      isAgentic: true,
      supportedTools: [...SUPPORTED_NUMBERS],
      mcpTools: workspace.declared,
      conversationId: randomUUID(),
      workspaceFolders: [{ uri: `file://${workspace.folder}`, name: 'work' }],
      ...more,
    };
  }

  async ask(text: string, options: AskOptions = {}): Promise<ChatTurn> {
    const { workspace } = this.options;
    const record = new TurnRecord();
    record.connections++;
    const results: ClientSideToolV2Result[] = [];
    const carrier = openChat(this.carrierOptions());
    const send = (request: MessageInitShape<typeof StreamUnifiedChatRequestWithToolsSchema>['request']) =>
      carrier.send(create(StreamUnifiedChatRequestWithToolsSchema, request ? { request } : {}));
    const runCall = async (call: ClientSideToolV2Call) => {
      const result = await workspace.run(call);
      for (const said of options.answer?.(result) ?? [result]) {
        results.push(said);
        record.judge.answered(call.toolCallId);
        send({ case: 'clientSideToolV2Result', value: said });
      }
    };
    const leave = () => carrier.cut();
    options.signal?.addEventListener('abort', leave, { once: true });
    send({ case: 'streamUnifiedChatRequest', value: this.request(text, options.request) });
    if (options.isStateless) carrier.halfClose();
    try {
      for await (const message of carrier.frames) {
        record.note(message);
        const { response } = message;
        if (response.case === 'clientSideToolV2Call' && isWhole(response.value) && !options.isStateless)
          void runCall(response.value);
        options.onMessage?.(message);
      }
      record.judge.end();
      return { record, end: { kind: 'done' }, results };
    } catch (thrown) {
      if (options.signal?.aborted) return { record, end: { kind: 'left' }, results };
      return { record, end: { kind: 'failed', error: ConnectError.from(thrown) }, results };
    } finally {
      options.signal?.removeEventListener('abort', leave);
    }
  }
}

/** A streamed call is run when its last message is there. */
export function isWhole({ isStreaming, isLastMessage }: ClientSideToolV2Call): boolean {
  return !isStreaming || isLastMessage;
}
