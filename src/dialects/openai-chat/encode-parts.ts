// Content parts, canon to a chat wire.
import {
  type AudioPart,
  type FilePart,
  type ImagePart,
  invalidRequest,
  type JsonObject,
  type JsonValue,
  type OpaquePart,
  omitUndefined,
  type Part,
} from '../../core/index.ts';
import type { MessageContext } from './encode-messages.ts';
import { encodeCache } from './encode-tools.ts';
import { OPENAI_CHAT } from './schema.ts';

export function encodePart(part: Part, context: MessageContext): JsonValue[] {
  switch (part.type) {
    case 'text': {
      const annotations = context.isNative ? part.annotations : undefined;
      return [
        withMarks(
          { type: 'text', ...(annotations && { annotations: [...annotations] }), text: part.text },
          part,
          context,
        ),
      ];
    }
    case 'refusal':
      return [withMarks({ type: 'refusal', refusal: part.text }, part, context)];
    case 'image':
    case 'file':
    case 'audio':
    case 'opaque':
      return encodeMediaPart(part, context);
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
      // Not content in this dialect: they have fields or messages of their own.
      return [];
    default:
      return part satisfies never;
  }
}

export function encodeMediaPart(
  part: ImagePart | FilePart | AudioPart | OpaquePart,
  context: MessageContext,
): JsonValue[] {
  switch (part.type) {
    case 'image':
      return [
        withMarks({ type: 'image_url', image_url: encodeImage(part, context.isNative) }, part, context),
      ];
    case 'file':
      return [withMarks({ type: 'file', file: encodeFile(part) }, part, context)];
    case 'audio':
      return [withMarks({ type: 'input_audio', input_audio: encodeAudio(part) }, part, context)];
    case 'opaque':
      if (part.dialect === OPENAI_CHAT) return [part.value];
      context.warnings.push({
        type: 'warning',
        code: 'part-dropped',
        message: `A content part that only ${part.dialect} can express was left out of the request.`,
      });
      return [];
    default:
      return part satisfies never;
  }
}

function withMarks(wire: JsonObject, part: Part, context: MessageContext): JsonObject {
  const kept = part.extra?.[OPENAI_CHAT];
  const keepsCache = context.isNative || context.encoding.cacheControl;
  if (!kept && !(part.cache && keepsCache)) return wire;
  return omitUndefined({
    ...kept,
    ...wire,
    cache_control: part.cache && keepsCache ? encodeCache(part.cache) : undefined,
  });
}

function encodeImage(part: ImagePart, isNative: boolean): JsonObject {
  const { source } = part;
  if (source.type === 'id') {
    throw invalidRequest(
      `The image "${source.id}" is named by an id, which a chat-completions upstream cannot resolve. Send it as a URL or inline.`,
      'messages',
    );
  }
  const url =
    source.type === 'url' ? source.url : `data:${source.mediaType ?? 'image/png'};base64,${source.data}`;
  // `original` is a word of Responses; the nearest one here is `high`.
  const detail = part.detail === 'original' && !isNative ? 'high' : part.detail;
  return omitUndefined({ url, detail });
}

function encodeFile(part: FilePart): JsonObject {
  const { source, filename } = part;
  if (source.type === 'id') return omitUndefined({ file_id: source.id, filename });
  if (source.type === 'url') return omitUndefined({ file_data: source.url, filename });
  const { data, mediaType } = source;
  return omitUndefined({ file_data: mediaType ? `data:${mediaType};base64,${data}` : data, filename });
}

function encodeAudio(part: AudioPart): JsonObject {
  if (part.source.type !== 'base64') {
    throw invalidRequest(
      'Sound can be sent to a chat-completions upstream only inline (base64).',
      'messages',
    );
  }
  const format = part.format ?? part.source.mediaType?.replace(/^audio\/(?:x-)?/, '') ?? 'wav';
  return { data: part.source.data, format };
}
