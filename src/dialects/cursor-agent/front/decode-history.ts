// A plain history that a client hands over without blobs (agent.v1 ConversationHistory, seen in the newest schemas only).
import {
  type ImagePart,
  type Message,
  omitUndefined,
  type Part,
  type TextPart,
} from '../../../core/index.ts';
import type {
  ConversationHistory,
  ConversationHistoryAssistantContent,
  ConversationHistoryImageContent,
  ConversationHistoryUserContent,
} from '../../../gen/agent/v1/conversation_action_pb.ts';

export function decodeHistory({ messages }: ConversationHistory): Message[] {
  return messages.flatMap(({ message }): Message[] => {
    switch (message.case) {
      case 'user':
        return [{ role: 'user', content: message.value.content.flatMap(readMedia) }];
      case 'assistant':
        return [{ role: 'assistant', content: message.value.content.flatMap(readAssistant) }];
      case 'tool': {
        const { toolCallId, toolName, content, isError } = message.value;
        const part = omitUndefined({
          type: 'tool-result' as const,
          callId: toolCallId,
          name: toolName === '' ? undefined : toolName,
          content: content.flatMap(readMedia),
          isError: isError === true ? true : undefined,
        });
        return [{ role: 'tool', content: [part] }];
      }
      default:
        return [];
    }
  });
}

function readMedia({
  content,
}: ConversationHistoryUserContent | { content: MediaContent }): (TextPart | ImagePart)[] {
  if (content.case === 'text') return [{ type: 'text', text: content.value.text }];
  if (content.case !== 'image') return [];
  const { data, mimeType } = content.value;
  return [{ type: 'image', source: omitUndefined({ type: 'base64' as const, data, mediaType: mimeType }) }];
}
type MediaContent =
  | { case: 'text'; value: { text: string } }
  | { case: 'image'; value: ConversationHistoryImageContent }
  | { case: undefined; value?: undefined };

function readAssistant({ content }: ConversationHistoryAssistantContent): Part[] {
  switch (content.case) {
    case 'text':
      return [{ type: 'text', text: content.value.text }];
    case 'reasoning': {
      const { text, signature } = content.value;
      return [omitUndefined({ type: 'reasoning' as const, text, form: 'raw' as const, signature })];
    }
    case 'redactedReasoning':
      return [{ type: 'reasoning', text: '', form: 'redacted', encrypted: content.value.data }];
    case 'toolCall': {
      const { toolCallId, toolName, argsJson } = content.value;
      const call = { callId: toolCallId, name: toolName, kind: 'function' as const, argumentsText: argsJson };
      return [{ type: 'tool-call', ...call }];
    }
    default:
      return [];
  }
}
