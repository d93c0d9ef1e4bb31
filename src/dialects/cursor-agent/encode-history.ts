// The three channels through which a history reaches an agent backend. Known from public clients:
// `root_prompt_messages_json` (blob ids of JSON model messages) is what the backend builds its prompt from;
// `conversation_history` exists in the newest schemas only; plain text works everywhere and says the least.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { JsonObject } from '../../core/index.ts';
import type { ConversationHistorySchema } from '../../gen/agent/v1/conversation_action_pb.ts';
import type { BlobStore } from './blob-store.ts';
import type { HistoryEntry, HistoryImage } from './history-entries.ts';

/** Stores one JSON blob per message and returns their ids. */
export function encodePromptBlobs(entries: readonly HistoryEntry[], blobs: BlobStore): Uint8Array[] {
  return entries.map((entry) => blobs.add(Buffer.from(JSON.stringify(encodePromptMessage(entry)), 'utf8')));
}

function encodePromptMessage(entry: HistoryEntry): JsonObject {
  switch (entry.role) {
    case 'user': {
      const images = entry.images.map(({ data, mediaType }) => ({
        type: 'image',
        image: data,
        mimeType: mediaType,
      }));
      return { role: 'user', content: [...textParts(entry.text), ...images] };
    }
    case 'assistant': {
      const calls = entry.calls.map(({ id, name, args }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        args,
      }));
      return { role: 'assistant', content: [...textParts(entry.text), ...calls] };
    }
    case 'tool': {
      const { id, name } = entry.call;
      const result: JsonObject = {
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        // This form holds text only.
        result:
          entry.images.length === 0 ? entry.text : `${entry.text}\n[${entry.images.length} image(s)]`.trim(),
      };
      if (entry.isError) result.isError = true;
      return { role: 'tool', id, content: [result] };
    }
    default:
      return entry satisfies never;
  }
}

function textParts(text: string): JsonObject[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

export function encodeHistoryField(
  entries: readonly HistoryEntry[],
): MessageInitShape<typeof ConversationHistorySchema> {
  return { messages: entries.map((entry) => ({ message: encodeHistoryMessage(entry) })) };
}

function encodeHistoryMessage(entry: HistoryEntry) {
  switch (entry.role) {
    case 'user':
      return { case: 'user' as const, value: { content: textAndImages(entry.text, entry.images) } };
    case 'assistant': {
      const text =
        entry.text === '' ? [] : [{ content: { case: 'text' as const, value: { text: entry.text } } }];
      const calls = entry.calls.map(({ id, name, args }) => ({
        content: {
          case: 'toolCall' as const,
          value: { toolCallId: id, toolName: name, argsJson: JSON.stringify(args) },
        },
      }));
      return { case: 'assistant' as const, value: { content: [...text, ...calls] } };
    }
    case 'tool': {
      const { call, isError } = entry;
      const content = textAndImages(entry.text, entry.images);
      return {
        case: 'tool' as const,
        value: { toolCallId: call.id, toolName: call.name, content, ...(isError ? { isError } : {}) },
      };
    }
    default:
      return entry satisfies never;
  }
}

function textAndImages(text: string, images: readonly HistoryImage[]) {
  return [
    { content: { case: 'text' as const, value: { text } } },
    ...images.map(({ data, mediaType }) => ({
      content: { case: 'image' as const, value: { data, mimeType: mediaType } },
    })),
  ];
}

export function encodePlainText(entries: readonly HistoryEntry[]): string {
  if (entries.length === 0) return '';
  return `<conversation>\n${entries.map(sayEntry).join('\n\n')}\n</conversation>`;
}

function sayEntry(entry: HistoryEntry): string {
  if (entry.role === 'user') return `User: ${entry.text}`;
  if (entry.role === 'tool') {
    const kind = entry.isError ? 'Error' : 'Result';
    return `${kind} of ${entry.call.name} (${entry.call.id}): ${entry.text}`;
  }
  const calls = entry.calls.map(
    ({ id, name, args }) => `Called ${name} (${id}) with ${JSON.stringify(args)}`,
  );
  return [`Assistant: ${entry.text}`, ...calls].join('\n');
}
