// Content parts, canon to wire. An empty list means: nothing this dialect can say.
import {
  type AudioPart,
  type FilePart,
  type ImagePart,
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MediaSource,
  omitUndefined,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Warning,
} from '../../core/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import { encodeCache } from './cache-control.ts';
import { lowerInput } from './lowered-tool.ts';
import { ANTHROPIC_MESSAGES, ANTHROPIC_ORIGIN } from './schema.ts';

/** Everything but calls and results, whose ids only the conversation knows. */
export function encodePart(part: Part, warnings: Warning[]): JsonObject[] {
  switch (part.type) {
    case 'text':
      return encodeText(part);
    case 'refusal':
      return encodeText({ ...part, type: 'text' });
    case 'image':
      return [withMarks({ type: 'image', source: imageSource(part) }, part)];
    case 'file':
      return encodeFile(part);
    case 'audio':
      return encodeAudio(part);
    case 'reasoning':
      return encodeThinking(part);
    case 'opaque':
      if (part.dialect === ANTHROPIC_MESSAGES && isJsonObject(part.value)) return [{ ...part.value }];
      warnings.push({
        type: 'warning',
        code: 'part-dropped',
        message: `A content part that only ${part.dialect} can express was left out of the request.`,
      });
      return [];
    case 'tool-call':
    case 'tool-result':
      return [];
    default:
      return part satisfies never;
  }
}

/** The API refuses text that is empty or white space only. */
function encodeText(part: TextPart): JsonObject[] {
  const { document, ...extra } = part.extra?.[ANTHROPIC_MESSAGES] ?? {};
  const cache_control = encodeCache(part.cache);
  if (isJsonObject(document)) return [omitUndefined({ ...document, cache_control })];
  if (part.text.trim() === '') return [];
  const citations = part.annotations?.filter(isCitation);
  return [
    omitUndefined({
      ...extra,
      type: 'text',
      text: part.text,
      citations: citations && citations.length > 0 ? citations : undefined,
      cache_control,
    }),
  ];
}

/** Other dialects' annotations have other shapes and would be refused. */
export function isCitation(annotation: JsonValue): annotation is JsonObject {
  return isJsonObject(annotation) && typeof annotation.type === 'string' && 'cited_text' in annotation;
}

/** Only what Anthropic itself signed or sealed is accepted back; every other thought stays here. */
function encodeThinking(part: ReasoningPart): JsonObject[] {
  if (part.origin !== ANTHROPIC_ORIGIN) return [];
  if (part.form === 'redacted') {
    return part.encrypted === undefined ? [] : [{ type: 'redacted_thinking', data: part.encrypted }];
  }
  if (!part.signature) return [];
  const extra = part.extra?.[ANTHROPIC_MESSAGES];
  return [{ ...extra, type: 'thinking', thinking: part.text, signature: part.signature }];
}

const DATA_URL = /^data:([^;,]+);base64,/;

function imageSource(part: ImagePart): JsonObject {
  const source = inlined(part.source);
  if (source.type === 'id') return { type: 'file', file_id: source.id };
  if (source.type === 'url') return { type: 'url', url: source.url };
  const media_type =
    source.mediaType === 'image/jpg' ? 'image/jpeg' : (source.mediaType ?? sniffImage(source.data));
  return { type: 'base64', media_type, data: source.data };
}

function inlined(source: MediaSource): MediaSource {
  const match = source.type === 'url' ? DATA_URL.exec(source.url.slice(0, 200)) : null;
  if (source.type !== 'url' || !match?.[1]) return source;
  return { type: 'base64', data: source.url.slice(match[0].length), mediaType: match[1] };
}

/** The first bytes of each format, in base64. */
function sniffImage(data: string): string {
  if (data.startsWith('/9j/')) return 'image/jpeg';
  if (data.startsWith('R0lGOD')) return 'image/gif';
  return data.startsWith('UklGR') ? 'image/webp' : 'image/png';
}

function encodeFile(part: FilePart): JsonObject[] {
  const source = inlined(part.source);
  if (source.type === 'base64' && source.mediaType?.startsWith('image/')) {
    return [withMarks({ type: 'image', source: imageSource({ type: 'image', source }) }, part)];
  }
  const document = { type: 'document', source: documentSource(source, part.filename), title: part.filename };
  return [withMarks(omitUndefined(document), part)];
}

const TEXT_TYPES = /^text\/|^application\/(?:json|xml|yaml|x-yaml|javascript|typescript)$/;

function documentSource(source: MediaSource, filename: string | undefined): JsonObject {
  if (source.type === 'id') return { type: 'file', file_id: source.id };
  if (source.type === 'url') return { type: 'url', url: source.url };
  const mediaType = source.mediaType ?? 'application/pdf';
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data: source.data };
  if (TEXT_TYPES.test(mediaType)) {
    return {
      type: 'text',
      media_type: 'text/plain',
      data: Buffer.from(source.data, 'base64').toString('utf8'),
    };
  }
  throw invalidRequest(
    `The file ${filename ?? '(without a name)'} is ${mediaType}; an Anthropic upstream reads PDF, text and images only.`,
    'messages',
  );
}

/** Sound cannot be sent; what was said in it can, when somebody wrote it down. */
function encodeAudio(part: AudioPart): JsonObject[] {
  if (part.transcript !== undefined) return encodeText({ type: 'text', text: part.transcript });
  throw invalidRequest('An Anthropic upstream takes no sound: send text, or use another model.', 'messages');
}

export function encodeCall(call: ToolCallPart, wireId: string, wireName: string): JsonObject {
  const input = call.kind === 'custom' ? lowerInput(call.argumentsText) : encodeInput(call.argumentsText);
  return withMarks({ type: 'tool_use', id: wireId, name: wireName, input }, call);
}

/**
 * The wire wants an object. Text that is none (cut off, not JSON, a bare value, nested past all use) travels whole
 * inside one, so that the model sees what it wrote and the request is not refused.
 */
export function encodeInput(argumentsText: string): JsonObject {
  if (argumentsText.trim() === '') return {};
  try {
    // The bound on nesting counts: deeper values can be parsed, but not written again.
    return parseJsonBody(Buffer.from(argumentsText));
  } catch {
    return { input: argumentsText };
  }
}

export function encodeResult(result: ToolResultPart, wireId: string, warnings: Warning[]): JsonObject {
  const blocks = result.content.flatMap((part) => encodePart(part, warnings));
  const [only, ...others] = blocks;
  const isPlain = only !== undefined && others.length === 0 && Object.keys(only).join() === 'type,text';
  const content = isPlain ? only.text : blocks.length > 0 ? blocks : undefined;
  return withMarks(
    omitUndefined({ type: 'tool_result', tool_use_id: wireId, content, is_error: result.isError }),
    result,
  );
}

function withMarks(wire: JsonObject, part: Part): JsonObject {
  return omitUndefined({
    ...part.extra?.[ANTHROPIC_MESSAGES],
    ...wire,
    cache_control: encodeCache(part.cache),
  });
}
