// The content of one message or tool result, wire to canon: a string, null, or a list of parts.
import {
  type AudioPart,
  type Extra,
  type FilePart,
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type OpaquePart,
  omitUndefined,
  type RefusalPart,
  type TextPart,
  type ToolResultPart,
} from '../../core/index.ts';
import {
  expectObject,
  expectString,
  optionalString,
  restWithoutNulls,
  wrongType,
} from '../../wire/expect-field.ts';
import { decodeFileData, decodeUrl } from './media-url.ts';
import { OPENAI_RESPONSES } from './schema.ts';

export type ContentPart = TextPart | RefusalPart | ImagePart | FilePart | AudioPart | OpaquePart;

/** An empty string, an empty list and null all mean the same: no parts. */
export function decodeContent(value: JsonValue | undefined, path: string): ContentPart[] {
  if (value === null) return [];
  if (typeof value === 'string') return plainText(value);
  if (!Array.isArray(value)) throw wrongType(path, 'a string or an array of parts', value);
  return value.flatMap((item, index) => decodePart(item, `${path}[${index}]`));
}

function plainText(text: string): TextPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function decodePart(value: JsonValue, path: string): ContentPart[] {
  if (typeof value === 'string') return plainText(value);
  const part = expectObject(value, path);
  const type = part.type ?? (typeof part.text === 'string' ? 'input_text' : undefined);
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text': // the chat word; mixed bodies exist
      return decodeText(part, path);
    case 'refusal':
      return [
        omitUndefined({
          type: 'refusal' as const,
          text: expectString(part.refusal, `${path}.refusal`),
          extra: keep(part, ['refusal']),
        }),
      ];
    case 'input_image':
    case 'image_url': // the chat word
      return [decodeImage(part, path)];
    case 'input_file':
      return [decodeFile(part, path)];
    case 'input_audio':
      return [decodeAudio(part, path)];
    default:
      expectString(type, `${path}.type`);
      return [{ type: 'opaque', dialect: OPENAI_RESPONSES, value: part }];
  }
}

function decodeText(part: JsonObject, path: string): TextPart[] {
  // Null or empty text says nothing, and several servers refuse it.
  if (part.text === null || part.text === '') return [];
  return [
    omitUndefined({
      type: 'text' as const,
      text: expectString(part.text, `${path}.text`),
      annotations: nonEmptyList(part.annotations),
      logprobs: nonEmptyList(part.logprobs),
      // `parsed` is what OpenAI's client library adds for its caller; the server does not know the field.
      extra: keep(part, ['text', 'annotations', 'logprobs', 'parsed']),
    }),
  ];
}

function nonEmptyList(value: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function decodeImage(part: JsonObject, path: string): ImagePart {
  const nested = isJsonObject(part.image_url) ? part.image_url : undefined;
  const fileId = optionalString(part.file_id, `${path}.file_id`);
  const url = optionalString(nested ? nested.url : part.image_url, `${path}.image_url`);
  if (url === undefined && fileId === undefined) {
    throw wrongType(`${path}.image_url`, 'a URL (or `file_id` must be given)', part.image_url);
  }
  return omitUndefined({
    type: 'image' as const,
    source: url === undefined ? { type: 'id' as const, id: fileId ?? '' } : decodeUrl(url),
    detail: optionalString(nested?.detail ?? part.detail, `${path}.detail`),
    extra: keep(part, ['image_url', 'file_id', 'detail']),
  });
}

function decodeFile(part: JsonObject, path: string): FilePart {
  const id = optionalString(part.file_id, `${path}.file_id`);
  const url = optionalString(part.file_url, `${path}.file_url`);
  const data = optionalString(part.file_data, `${path}.file_data`);
  let source: FilePart['source'];
  if (data !== undefined) source = decodeFileData(data);
  else if (url !== undefined) source = { type: 'url', url };
  else if (id !== undefined) source = { type: 'id', id };
  else throw wrongType(path, 'a file with `file_data`, `file_url` or `file_id`', part);
  return omitUndefined({
    type: 'file' as const,
    source,
    filename: optionalString(part.filename, `${path}.filename`),
    extra: keep(part, ['file_id', 'file_url', 'file_data', 'filename']),
  });
}

function decodeAudio(part: JsonObject, path: string): AudioPart {
  const audio = expectObject(part.input_audio, `${path}.input_audio`);
  return omitUndefined({
    type: 'audio' as const,
    source: { type: 'base64' as const, data: expectString(audio.data, `${path}.input_audio.data`) },
    format: optionalString(audio.format, `${path}.input_audio.format`),
    extra: keep(part, ['input_audio']),
  });
}

function keep(part: JsonObject, known: readonly string[]): Extra | undefined {
  const rest = restWithoutNulls(part, ['type', ...known]);
  return rest && { [OPENAI_RESPONSES]: rest };
}

/** The `output` of a tool: text, a list of parts, nothing, or JSON that nobody made text of. */
export function decodeResultContent(value: JsonValue | undefined, path: string): ToolResultPart['content'] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return plainText(value);
  if (!Array.isArray(value) || !value.every(looksLikePart))
    return [{ type: 'text', text: JSON.stringify(value) }];
  return decodeContent(value, path).map((part) =>
    part.type === 'refusal' ? { type: 'text', text: part.text } : part,
  );
}

const RESULT_PARTS: readonly unknown[] = [
  'input_text',
  'output_text',
  'text',
  'input_image',
  'image_url',
  'input_file',
];

function looksLikePart(value: JsonValue): boolean {
  return typeof value === 'string' || (isJsonObject(value) && RESULT_PARTS.includes(value.type));
}
