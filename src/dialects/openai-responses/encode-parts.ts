// Parts of messages and tool results, canon to wire. Everything but an assistant's words is `input_*`.
import {
  type AudioPart,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type Part,
  type RefusalPart,
  type TextPart,
  type ToolResultPart,
} from '../../core/index.ts';
import { encodeAnnotations } from './encode-annotations.ts';
import { encodeUrl } from './media-url.ts';
import { OPENAI_RESPONSES, partExtra } from './schema.ts';

/** A list, or an empty string when there is nothing: an empty list is refused. */
export function encodeInputContent(parts: readonly Part[]): JsonValue {
  const content = parts.flatMap((part) => encodeInputPart(part) ?? []);
  return content.length === 0 ? '' : content;
}

/** Undefined for a part that has no form here: a thought, a call, a part of another dialect. */
export function encodeInputPart(part: Part): JsonObject | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text, ...partExtra(part) };
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return encodeImage(part);
    case 'file':
      return encodeFile(part);
    case 'audio':
      return encodeAudio(part);
    case 'opaque':
      return part.dialect === OPENAI_RESPONSES ? objectOrNothing(part.value) : undefined;
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      return undefined;
    default:
      return part satisfies never;
  }
}

export function encodeOutputPart(part: TextPart | RefusalPart): JsonObject {
  const { message: _message, ...rest } = partExtra(part) ?? {};
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text, ...rest };
  return omitUndefined({
    type: 'output_text',
    text: part.text,
    annotations: encodeAnnotations(part.annotations, part.text.length),
    logprobs: part.logprobs,
    ...rest,
  }) as JsonObject; // JSON values only
}

/** Plain text stays a string; several parts, pictures and files make a list. */
export function encodeResultOutput(result: ToolResultPart): JsonValue {
  const content = result.isError ? markError(result.content) : result.content;
  const [first] = content;
  if (content.length === 0) return '';
  if (content.length === 1 && first?.type === 'text' && !first.extra) return first.text;
  return content.flatMap((part) => encodeInputPart(part) ?? []);
}

/** A result of this dialect cannot say that it failed except in words; they are added only if the text has none. */
function markError(content: ToolResultPart['content']): ToolResultPart['content'] {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (/error|fail|denied|refused|exception/i.test(text)) return content;
  const [first, ...rest] = content;
  if (first?.type === 'text') return [{ ...first, text: `Error: ${first.text}` }, ...rest];
  return [{ type: 'text', text: 'Error: the tool failed.' }, ...content];
}

function encodeImage(part: ImagePart): JsonObject {
  const { source } = part;
  const where: JsonObject =
    source.type === 'id' ? { file_id: source.id } : { image_url: encodeUrl(source, 'image/png') };
  // OpenAI's own default, and a required field in its schema.
  return { type: 'input_image', detail: part.detail ?? 'auto', ...where, ...partExtra(part) };
}

function encodeFile(part: FilePart): JsonObject {
  const { source } = part;
  let where: JsonObject;
  if (source.type === 'id') where = { file_id: source.id };
  else if (source.type === 'url') where = { file_url: source.url };
  else where = { file_data: encodeUrl(source, undefined) };
  const filename = part.filename ?? (source.type === 'base64' ? 'file' : undefined);
  return omitUndefined({ type: 'input_file', filename, ...where, ...partExtra(part) }) as JsonObject; // JSON values only
}

function encodeAudio(part: AudioPart): JsonObject | undefined {
  if (part.source.type !== 'base64') return undefined;
  const format = part.format ?? part.source.mediaType?.split('/')[1] ?? 'wav';
  return { type: 'input_audio', input_audio: { data: part.source.data, format }, ...partExtra(part) };
}

function objectOrNothing(value: JsonValue): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
