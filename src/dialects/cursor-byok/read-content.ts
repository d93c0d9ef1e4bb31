// Content of messages and results in any of the three dialects. Anthropic's blocks arrive inside chat bodies when the
// model's name contains `claude`; Responses parts when it contains `gpt-5`. Known from captured requests.
import {
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../core/index.ts';
import { describe } from '../../wire/json.ts';
import type { ContentPart } from './transcript.ts';

/** The blocks of a content value, whatever form it has. Null, '' and [] are the same: nothing. */
export function listBlocks(value: JsonValue | undefined, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return value === '' ? [] : [{ type: 'text', text: value }];
  if (isJsonObject(value)) return [value];
  if (!Array.isArray(value)) {
    throw invalidRequest(`\`${path}\` must be a string or an array of parts, not ${describe(value)}.`, path);
  }
  return value.flatMap((item) => {
    if (typeof item === 'string') return item === '' ? [] : [{ type: 'text', text: item }];
    return isJsonObject(item) ? [item] : [];
  });
}

/** One block as content; undefined when it says nothing (empty text, a picture without a source). */
export function readPart(block: JsonObject): ContentPart | undefined {
  const type = block.type ?? (typeof block.text === 'string' ? 'text' : undefined);
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return readText(block);
    case 'refusal':
      return typeof block.refusal === 'string' && block.refusal !== ''
        ? { type: 'refusal', text: block.refusal }
        : undefined;
    case 'image_url':
    case 'input_image':
      return readImage(block);
    case 'image':
      return readAnthropicImage(block);
    case 'file':
      return readFile(isJsonObject(block.file) ? block.file : block);
    case 'input_file':
      return readFile(block);
    case 'document':
      return readDocument(block);
    default:
      return typeof type === 'string' && !SERVER_BLOCK.test(type)
        ? { type: 'other', value: block }
        : undefined;
  }
}

/** What Anthropic's servers ran themselves; nobody else can read it. */
const SERVER_BLOCK = /_tool_use$|_tool_result$|^container_upload$/;

function readText(block: JsonObject): ContentPart | undefined {
  // Null and empty text are refused by several servers and say nothing.
  if (typeof block.text !== 'string' || block.text === '') return undefined;
  return omitUndefined({ type: 'text' as const, text: block.text, cache: readCache(block) });
}

export function readCache(block: JsonObject): JsonObject | undefined {
  return isJsonObject(block.cache_control) ? block.cache_control : undefined;
}

function readImage(block: JsonObject): ContentPart | undefined {
  const nested = isJsonObject(block.image_url) ? block.image_url : undefined;
  const url = text(nested ? nested.url : block.image_url);
  const fileId = text(block.file_id);
  if (url === undefined && fileId === undefined) return undefined;
  const detail = text(nested?.detail) ?? text(block.detail);
  return omitUndefined({ type: 'image' as const, url, fileId, detail, cache: readCache(block) });
}

function readAnthropicImage(block: JsonObject): ContentPart | undefined {
  const source = isJsonObject(block.source) ? block.source : {};
  const url = sourceUrl(source, 'image/png');
  const fileId = text(source.file_id);
  if (url === undefined && fileId === undefined) return undefined;
  return omitUndefined({ type: 'image' as const, url, fileId, cache: readCache(block) });
}

function readFile(file: JsonObject): ContentPart | undefined {
  const data = text(file.file_data);
  const url = text(file.file_url);
  const fileId = text(file.file_id);
  if (data === undefined && url === undefined && fileId === undefined) return undefined;
  return omitUndefined({ type: 'file' as const, data, url, fileId, filename: text(file.filename) });
}

function readDocument(block: JsonObject): ContentPart | undefined {
  const source = isJsonObject(block.source) ? block.source : {};
  if (source.type === 'text') return readText({ text: source.data ?? null });
  if (source.type === 'content') {
    const words = listBlocks(source.content, 'source.content').map((inner) => text(inner.text) ?? '');
    return readText({ text: words.join('\n') });
  }
  const data = sourceUrl(source, 'application/pdf');
  const fileId = text(source.file_id);
  if (data === undefined && fileId === undefined) return undefined;
  return omitUndefined({ type: 'file' as const, data, fileId, filename: text(block.title) });
}

function sourceUrl(source: JsonObject, defaultType: string): string | undefined {
  const data = text(source.data);
  if (data !== undefined) return `data:${text(source.media_type) ?? defaultType};base64,${data}`;
  return text(source.url);
}

/** A non-empty string, or nothing. */
function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * What a tool returned: text, a list of parts, an object, nothing, or the JSON text of a list that holds pictures
 * (some builds stringify it; read as text a picture would be megabytes of noise).
 */
export function readResultContent(value: JsonValue | undefined, path: string): string | ContentPart[] {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return readStringifiedParts(value) ?? value;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (isJsonObject(value) && !isPart(value)) return JSON.stringify(value);
  const parts = listBlocks(value, path).flatMap((block): ContentPart[] => {
    const part = readPart(block);
    if (part?.type === 'refusal') return [{ type: 'text', text: part.text }];
    if (part && part.type !== 'other') return [part];
    // Empty text is nothing; any other block is data that the model should see.
    return block.type === undefined || part ? [{ type: 'text', text: JSON.stringify(block) }] : [];
  });
  const [only] = parts;
  if (!only) return '';
  return parts.length === 1 && only.type === 'text' && !only.cache ? only.text : parts;
}

const PART_TYPES: ReadonlySet<unknown> = new Set([
  ...['text', 'input_text', 'output_text', 'refusal', 'image', 'image_url', 'input_image'],
  ...['file', 'input_file', 'document'],
]);
const PICTURES: ReadonlySet<unknown> = new Set(['image', 'image_url', 'input_image']);

function isPart(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && PART_TYPES.has(value.type);
}

function readStringifiedParts(value: string): ContentPart[] | undefined {
  if (!/^\s*\[\s*\{/.test(value)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || !parsed.every(isPart)) return undefined;
  if (!parsed.some((block) => PICTURES.has(block.type))) return undefined;
  const parts = parsed.flatMap((block) => readPart(block) ?? []);
  return parts.some((part) => part.type === 'image') ? parts : undefined;
}
