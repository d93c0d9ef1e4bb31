// The content of one chat message, wire to canon: a string, null, or a list of parts.
import {
  type AudioPart,
  type Extra,
  type FilePart,
  type ImagePart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MediaSource,
  type OpaquePart,
  omitUndefined,
  type RefusalPart,
  type TextPart,
} from '../../core/index.ts';
import { expectObject, expectString, optionalString, restOf, wrongType } from '../../wire/expect-field.ts';
import { decodeCache } from './decode-tools.ts';
import { OPENAI_CHAT } from './schema.ts';

export type ContentPart = TextPart | RefusalPart | ImagePart | FilePart | AudioPart | OpaquePart;

/** An empty string, an empty list and (where allowed) null all mean the same: no parts. */
export function decodeContent(
  value: JsonValue | undefined,
  path: string,
  mayBeAbsent: boolean,
): ContentPart[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  if (mayBeAbsent && (value === undefined || value === null)) return [];
  if (!Array.isArray(value)) throw wrongType(path, 'a string or an array of parts', value);
  return value.flatMap((item, index) => decodePart(item, `${path}[${index}]`));
}

function decodePart(value: JsonValue, path: string): ContentPart[] {
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  const part = expectObject(value, path);
  const type = part.type ?? (typeof part.text === 'string' ? 'text' : undefined);
  switch (type) {
    case 'text':
    case 'input_text': // the Responses words for the same thing; mixed bodies exist
    case 'output_text':
      return decodeText(part, path);
    case 'refusal':
      return [
        omitUndefined({
          type: 'refusal' as const,
          text: expectString(part.refusal, `${path}.refusal`),
          ...common(part, ['refusal']),
        }),
      ];
    case 'image_url':
      return [decodeImage(part, path)];
    case 'input_audio':
      return [decodeAudio(part, path)];
    case 'file':
      return [decodeFile(part, path)];
    default:
      expectString(type, `${path}.type`);
      return [{ type: 'opaque', dialect: OPENAI_CHAT, value: part }];
  }
}

function decodeText(part: JsonObject, path: string): TextPart[] {
  // Null or empty text says nothing and is refused by several servers.
  if (part.text === null || part.text === '') return [];
  const annotations = Array.isArray(part.annotations) ? part.annotations : undefined;
  const known = annotations ? ['text', 'annotations'] : ['text'];
  const text = expectString(part.text, `${path}.text`);
  return [omitUndefined({ type: 'text' as const, text, annotations, ...common(part, known) })];
}

function decodeImage(part: JsonObject, path: string): ImagePart {
  // A bare string is not OpenAI's form, but LangChain and others send it.
  const image = typeof part.image_url === 'string' ? { url: part.image_url } : part.image_url;
  const { url, detail } = expectObject(image, `${path}.image_url`);
  return omitUndefined({
    type: 'image' as const,
    source: decodeUrl(expectString(url, `${path}.image_url.url`)),
    detail: optionalString(detail, `${path}.image_url.detail`),
    ...common(part, ['image_url']),
  });
}

function decodeAudio(part: JsonObject, path: string): AudioPart {
  const audio = expectObject(part.input_audio, `${path}.input_audio`);
  return omitUndefined({
    type: 'audio' as const,
    source: { type: 'base64' as const, data: expectString(audio.data, `${path}.input_audio.data`) },
    format: optionalString(audio.format, `${path}.input_audio.format`),
    ...common(part, ['input_audio']),
  });
}

function decodeFile(part: JsonObject, path: string): FilePart {
  const file = expectObject(part.file, `${path}.file`);
  const id = optionalString(file.file_id, `${path}.file.file_id`);
  const data = optionalString(file.file_data, `${path}.file.file_data`);
  if (id === undefined && data === undefined) {
    throw wrongType(`${path}.file`, 'an object with `file_id` or `file_data`', part.file);
  }
  return omitUndefined({
    type: 'file' as const,
    source: id === undefined ? decodeFileData(data ?? '') : { type: 'id' as const, id },
    filename: optionalString(file.filename, `${path}.file.filename`),
    ...common(part, ['file']),
  });
}

function decodeFileData(data: string): MediaSource {
  return /^(?:data|https?):/i.test(data) ? decodeUrl(data) : { type: 'base64', data };
}

const DATA_URL = /^data:([^;,]+);base64,/;

function decodeUrl(url: string): MediaSource {
  const match = url.startsWith('data:') ? DATA_URL.exec(url.slice(0, 200)) : null;
  if (!match?.[1]) return { type: 'url', url };
  return { type: 'base64', data: url.slice(match[0].length), mediaType: match[1] };
}

function common(
  part: JsonObject,
  known: readonly string[],
): { cache: ReturnType<typeof decodeCache>; extra: Extra | undefined } {
  const cache = decodeCache(part.cache_control);
  const rest = restOf(part, ['type', 'cache_control', ...known]);
  return { cache, extra: rest && { [OPENAI_CHAT]: rest } };
}

/** Content of a tool message: also an object, which some clients send without making text of it. */
export function decodeResultContent(
  value: JsonValue | undefined,
  path: string,
): Exclude<ContentPart, RefusalPart>[] {
  if (isJsonObject(value)) return [{ type: 'text', text: JSON.stringify(value) }];
  return decodeContent(value, path, true).map((part) =>
    part.type === 'refusal' ? { type: 'text', text: part.text } : part,
  );
}
