// Entries to the messages of a plain chat body: Anthropic blocks, Responses items and mixed parts are gone.
import { type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import type { CallEntry, ContentPart, Entry, ResultEntry, SpeechEntry } from './transcript.ts';

export interface WrittenItems {
  readonly items: JsonObject[];
  readonly repairs: readonly string[];
}

interface AssistantDraft {
  readonly content: ContentPart[];
  readonly calls: CallEntry[];
  thought: string;
  name: string | undefined;
}

export function writeChatMessages(entries: readonly Entry[]): WrittenItems {
  const items: JsonObject[] = [];
  const repairs: string[] = [];
  let draft: AssistantDraft | undefined;
  const flush = () => {
    const message = draft && writeAssistant(draft);
    if (message) items.push(message);
    draft = undefined;
  };
  const open = (startsMessage: boolean): AssistantDraft => {
    // Calls must be followed by their results, so only a message without calls can be followed by another.
    if (draft && startsMessage && draft.content.length > 0 && draft.calls.length === 0) flush();
    draft ??= { content: [], calls: [], thought: '', name: undefined };
    return draft;
  };
  for (const entry of entries) {
    switch (entry.kind) {
      case 'speech': {
        if (entry.role === 'assistant') {
          const target = open(entry.opensMessage);
          target.content.push(...entry.content);
          target.name ??= entry.name;
          break;
        }
        flush();
        const message = writeSpeech(entry);
        if (message) items.push(message);
        break;
      }
      case 'thought': {
        const target = open(true);
        target.thought += target.thought === '' ? entry.text : `\n\n${entry.text}`;
        break;
      }
      case 'call':
        open(false).calls.push(entry);
        break;
      case 'result':
        flush();
        items.push(writeResult(entry));
        break;
      case 'item':
        repairs.push(`left out an item that chat has no word for: ${String(entry.item.type)}`);
        break;
      default:
        entry satisfies never;
    }
  }
  flush();
  return { items, repairs };
}

function writeSpeech(entry: SpeechEntry): JsonObject | undefined {
  const content = writeContent(entry.content);
  if (content.length === 0) return undefined;
  return omitUndefined({ role: entry.role, content, name: entry.name });
}

function writeAssistant(draft: AssistantDraft): JsonObject | undefined {
  const content = writeContent(draft.content);
  const isSilent = content.length === 0;
  if (isSilent && draft.calls.length === 0) return undefined;
  return omitUndefined({
    role: 'assistant',
    // OpenAI refuses an empty list here, and an empty list of calls as well.
    content: isSilent ? null : content,
    name: draft.name,
    reasoning_content: draft.thought === '' ? undefined : draft.thought,
    tool_calls: draft.calls.length > 0 ? draft.calls.map(writeCall) : undefined,
  });
}

function writeCall({ callId: id, name, isCustom, argumentsText }: CallEntry): JsonObject {
  return isCustom
    ? { id, type: 'custom', custom: { name, input: argumentsText } }
    : { id, type: 'function', function: { name, arguments: argumentsText } };
}

function writeResult(entry: ResultEntry): JsonObject {
  const content = typeof entry.content === 'string' ? entry.content : writeContent(entry.content);
  return omitUndefined({
    role: 'tool',
    tool_call_id: entry.callId ?? '',
    name: entry.name,
    content,
    cache_control: entry.cache,
  });
}

/** One string where one string says it all. */
function writeContent(content: readonly ContentPart[]): string | JsonValue[] {
  const parts = content.flatMap((part) => writePart(part) ?? []);
  const [only] = content;
  const isPlain = content.length === 1 && only?.type === 'text' && !only.cache;
  return isPlain ? only.text : parts;
}

const DETAILS: ReadonlySet<string> = new Set(['low', 'high', 'auto']);

function writePart(part: ContentPart): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return omitUndefined({ type: 'text', text: part.text, cache_control: part.cache });
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'image': {
      // Chat has no word for a picture by file id.
      if (part.url === undefined) return undefined;
      const image = omitUndefined({ url: part.url, detail: part.detail && chatDetail(part.detail) });
      return omitUndefined({ type: 'image_url', image_url: image, cache_control: part.cache });
    }
    case 'file': {
      const file_data = part.data ?? part.url;
      return {
        type: 'file',
        file: omitUndefined({ file_data, file_id: part.fileId, filename: part.filename }),
      };
    }
    case 'other':
      return part.value;
    default:
      return part satisfies never;
  }
}

/** `original` and later words of the Responses dialect mean more than chat can say. */
function chatDetail(detail: string): string {
  if (DETAILS.has(detail)) return detail;
  return detail === 'original' ? 'high' : 'auto';
}
