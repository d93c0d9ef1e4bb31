// Content blocks, wire to canon. Blocks the canon has no word for (server tools and their results, MCP, container
// uploads, search results, anything new) become opaque parts and reach an upstream of this dialect as they came.
import {
  type Extra,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type JsonValue,
  type MediaSource,
  type OpaquePart,
  omitUndefined,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
} from '../../core/index.ts';
import {
  expectName,
  expectObject,
  expectString,
  optionalString,
  restOf,
  wrongType,
} from '../../wire/expect-field.ts';
import { decodeCache } from './cache-control.ts';
import { ANTHROPIC_MESSAGES, ANTHROPIC_ORIGIN } from './schema.ts';

export type ResultContent = (TextPart | ImagePart | FilePart | OpaquePart)[];

/** Any block except `tool_result`, which needs to know the calls before it. */
export function decodePart(block: JsonObject, path: string): Part[] {
  switch (block.type) {
    case 'thinking':
      return [decodeThinking(block, path)];
    case 'redacted_thinking':
      return [
        {
          type: 'reasoning',
          text: '',
          form: 'redacted',
          encrypted: expectString(block.data, `${path}.data`),
          origin: ANTHROPIC_ORIGIN,
        },
      ];
    case 'tool_use':
      return [decodeCall(block, path)];
    default:
      return decodeMedia(block, path);
  }
}

/** What may stand in a tool result too. */
function decodeMedia(block: JsonObject, path: string): ResultContent {
  switch (block.type) {
    case 'text':
      return decodeText(block, path);
    case 'image':
      return [decodeImage(block, path)];
    case 'document':
      return [decodeDocument(block, path)];
    default:
      expectName(block.type, `${path}.type`);
      return [opaque(block)];
  }
}

/** Text, a list of blocks, nothing; also an object, which some clients send without making text of it. */
export function decodeResultContent(value: JsonValue | undefined, path: string): ResultContent {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) {
    if (typeof value === 'object') return [{ type: 'text', text: JSON.stringify(value) }];
    throw wrongType(path, 'a string or an array of blocks', value);
  }
  return value.flatMap((item, index) =>
    decodeMedia(expectObject(item, `${path}[${index}]`), `${path}[${index}]`),
  );
}

function decodeText(block: JsonObject, path: string): TextPart[] {
  const text = expectString(block.text, `${path}.text`);
  // Empty text says nothing and the API itself refuses it.
  if (text === '') return [];
  const annotations = Array.isArray(block.citations) ? block.citations : undefined;
  const known = annotations ? ['text', 'citations'] : ['text'];
  return [omitUndefined({ type: 'text' as const, text, annotations, ...common(block, known) })];
}

function decodeThinking(block: JsonObject, path: string): ReasoningPart {
  const text = expectString(block.thinking, `${path}.thinking`);
  // Thoughts of other vendors leave our own front unsigned and come back so; only a signature proves the origin.
  const signature = optionalString(block.signature, `${path}.signature`) || undefined;
  const origin = signature === undefined ? undefined : ANTHROPIC_ORIGIN;
  const rest = restOf(block, ['type', 'thinking', 'signature']);
  const extra = rest && { [ANTHROPIC_MESSAGES]: rest };
  return omitUndefined({ type: 'reasoning' as const, text, form: 'raw' as const, signature, origin, extra });
}

/** The wire has an object where the canon has text: compact JSON, in the order of the keys as they came. */
function decodeCall(block: JsonObject, path: string): ToolCallPart {
  return omitUndefined({
    type: 'tool-call' as const,
    callId: expectName(block.id, `${path}.id`),
    name: expectName(block.name, `${path}.name`),
    kind: 'function' as const,
    argumentsText: JSON.stringify(block.input ?? {}),
    ...common(block, ['id', 'name', 'input']),
  });
}

function decodeImage(block: JsonObject, path: string): ImagePart | OpaquePart {
  const source = decodeSource(block.source, `${path}.source`);
  if (!source) return opaque(block);
  return omitUndefined({ type: 'image' as const, source, ...common(block, ['source']) });
}

function decodeDocument(block: JsonObject, path: string): FilePart | TextPart | OpaquePart {
  const plainText = documentText(block.source);
  if (plainText !== undefined) {
    // Every upstream can read it as text; the whole block goes along for one of this dialect.
    const { cache_control, ...document } = block;
    const extra = { [ANTHROPIC_MESSAGES]: { document } };
    return omitUndefined({
      type: 'text' as const,
      text: plainText,
      cache: decodeCache(cache_control),
      extra,
    });
  }
  const source = decodeSource(block.source, `${path}.source`);
  if (!source) return opaque(block);
  const filename = optionalString(block.title, `${path}.title`);
  return omitUndefined({ type: 'file' as const, source, filename, ...common(block, ['source', 'title']) });
}

function documentText(value: JsonValue | undefined): string | undefined {
  const { type, data, content } = typeof value === 'object' && !Array.isArray(value) ? (value ?? {}) : {};
  if (type === 'text' && typeof data === 'string') return data;
  if (type !== 'content') return undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((item) =>
    typeof item === 'object' && !Array.isArray(item) ? item?.text : undefined,
  );
  // With pictures among the text nothing but the block itself says it all.
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

/** Undefined for a kind of source this version does not know. */
function decodeSource(value: JsonValue | undefined, path: string): MediaSource | undefined {
  const source = expectObject(value, path);
  switch (source.type) {
    case 'base64':
      return omitUndefined({
        type: 'base64' as const,
        data: expectString(source.data, `${path}.data`),
        mediaType: optionalString(source.media_type, `${path}.media_type`),
      });
    case 'url':
      return { type: 'url', url: expectName(source.url, `${path}.url`) };
    case 'file':
      return { type: 'id', id: expectName(source.file_id, `${path}.file_id`) };
    default:
      expectName(source.type, `${path}.type`);
      return undefined;
  }
}

function opaque(block: JsonObject): OpaquePart {
  return { type: 'opaque', dialect: ANTHROPIC_MESSAGES, value: block };
}

function common(block: JsonObject, known: readonly string[]) {
  const rest = restOf(block, ['type', 'cache_control', ...known]);
  const extra: Extra | undefined = rest && { [ANTHROPIC_MESSAGES]: rest };
  return { cache: decodeCache(block.cache_control), extra };
}
