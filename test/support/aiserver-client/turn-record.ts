import type {
  StreamUnifiedChatResponse,
  StreamUnifiedChatResponseWithTools,
} from '../../../src/gen/aiserver/v1/chat_response_pb.ts';
import type {
  ClientSideToolV2Call,
  StreamedBackToolCallV2,
} from '../../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { Judge } from './judge.ts';

/** What one answer said, over however many connections. */
export class TurnRecord {
  readonly messages: StreamUnifiedChatResponseWithTools[] = [];
  readonly judge = new Judge();
  /** Breaches of what the carrier's form promises, beside those of the order. */
  readonly breaches: string[] = [];
  connections = 0;

  note(message: StreamUnifiedChatResponseWithTools): void {
    this.messages.push(message);
    this.judge.see(message);
  }

  get violations(): readonly string[] {
    return [...this.breaches, ...this.judge.violations];
  }

  /** One word for each message. */
  get outline(): readonly string[] {
    return this.messages.map(({ response }) => {
      if (response.case !== 'streamUnifiedChatResponse') return response.case ?? 'nothing';
      return chatFields(response.value).join('+') || 'silence';
    });
  }

  get chats(): readonly StreamUnifiedChatResponse[] {
    return this.messages.flatMap(({ response }) =>
      response.case === 'streamUnifiedChatResponse' ? [response.value] : [],
    );
  }

  get text(): string {
    return this.chats.map(({ text }) => text).join('');
  }

  get thinking(): string {
    return this.chats.map(({ thinking }) => thinking?.text ?? '').join('');
  }

  /** The calls to run, each as its last message has it. */
  get calls(): readonly ClientSideToolV2Call[] {
    const byId = new Map<string, ClientSideToolV2Call>();
    for (const { response } of this.messages) {
      if (response.case === 'clientSideToolV2Call') byId.set(response.value.toolCallId, response.value);
    }
    return [...byId.values()];
  }

  get shown(): readonly StreamedBackToolCallV2[] {
    return this.chats.flatMap(({ toolCallV2 }) => (toolCallV2 ? [toolCallV2] : []));
  }
}

/** The fields that a chat response has. */
export function chatFields(chat: StreamUnifiedChatResponse): string[] {
  const { $typeName: _, $unknown: __, text, ...fields } = chat;
  const present = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return text === '' ? present : ['text', ...present];
}
