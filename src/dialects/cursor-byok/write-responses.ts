// Entries to the input items of a plain Responses body.
import { type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import type { CallEntry, ContentPart, Entry, ResultEntry, SpeechEntry } from './transcript.ts';
import type { WrittenItems } from './write-chat.ts';

export function writeResponsesItems(entries: readonly Entry[]): WrittenItems {
  const items: JsonObject[] = [];
  const repairs: string[] = [];
  const customCallIds = new Set<string>();
  for (const entry of entries) {
    switch (entry.kind) {
      case 'speech':
        if (entry.content.length > 0) items.push(writeSpeech(entry));
        break;
      case 'call':
        if (entry.isCustom) customCallIds.add(entry.callId);
        items.push(writeCall(entry));
        break;
      case 'result':
        items.push(writeResult(entry, customCallIds));
        break;
      case 'item':
        items.push(entry.item);
        break;
      case 'thought':
        // A thought without the proof of its vendor is refused there.
        repairs.push('left out a thought without proof');
        break;
      default:
        entry satisfies never;
    }
  }
  return { items, repairs };
}

function writeSpeech(entry: SpeechEntry): JsonObject {
  const content = writeContent(entry.content, entry.role === 'assistant');
  return { type: 'message', ...entry.item, role: entry.role, content };
}

function writeCall(call: CallEntry): JsonObject {
  const { callId: call_id, name, argumentsText } = call;
  return call.isCustom
    ? { type: 'custom_tool_call', ...call.item, call_id, name, input: argumentsText }
    : { type: 'function_call', ...call.item, call_id, name, arguments: argumentsText };
}

function writeResult(entry: ResultEntry, customCallIds: ReadonlySet<string>): JsonObject {
  const call_id = entry.callId ?? '';
  const output = typeof entry.content === 'string' ? entry.content : writeContent(entry.content, false);
  const type = customCallIds.has(call_id) ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id, output };
}

function writeContent(content: readonly ContentPart[], isAssistant: boolean): string | JsonValue[] {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') return only.text;
  return content.map((part) => writePart(part, isAssistant));
}

function writePart(part: ContentPart, isAssistant: boolean): JsonObject {
  switch (part.type) {
    case 'text':
      // The model's own words are output; everybody else's, the developer's too, are input.
      return isAssistant
        ? { type: 'output_text', text: part.text, annotations: [] }
        : { type: 'input_text', text: part.text };
    case 'refusal':
      return { type: 'refusal', refusal: part.text };
    case 'image': {
      const { url: image_url, fileId: file_id, detail } = part;
      return omitUndefined({ type: 'input_image', image_url, file_id, detail });
    }
    case 'file': {
      const { data: file_data, url: file_url, fileId: file_id, filename } = part;
      return omitUndefined({ type: 'input_file', file_data, file_url, file_id, filename });
    }
    case 'other':
      return part.value;
    default:
      return part satisfies never;
  }
}
