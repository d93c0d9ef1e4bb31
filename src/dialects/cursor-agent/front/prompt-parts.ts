// The parts of prompt messages (root_prompt_messages_json). Their shape is that of the Vercel AI SDK's model messages, as
// public clients of the protocol read and write it. What the shape has no word for stands under providerOptions.crosspoint.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type Part,
  parseArguments,
  type ToolResultPart,
} from '../../../core/index.ts';
import { isPart } from './is-part.ts';
import { applyOverlay, overlayOf } from './json-overlay.ts';

const OWN = 'crosspoint';

export function encodePart(part: Part): JsonObject {
  const shape = shapeOf(part);
  return withOwn(shape, overlayOf(asJson(part), asJson(readShape(shape) ?? { type: 'text', text: '' })));
}

/** Undefined for a part of a kind that nobody here knows. */
export function decodePart(json: JsonValue): Part | undefined {
  if (typeof json === 'string') return { type: 'text', text: json };
  if (!isJsonObject(json)) return undefined;
  const own = ownOf(json);
  const read = readShape(json) ?? (own === undefined ? undefined : ({ type: 'text', text: '' } as const));
  if (!read || own === undefined) return read;
  // A client keeps these blobs and may send back anything: what makes no part of it is not taken.
  const whole = applyOverlay(asJson(read), own);
  return isPart(whole) ? whole : read;
}

/** Our own words about a part or message, beside the shape's. */
export function ownOf(json: JsonObject): JsonObject | undefined {
  const options = json.providerOptions;
  return isJsonObject(options) && isJsonObject(options[OWN]) ? options[OWN] : undefined;
}

export function withOwn(shape: JsonObject, own: object | undefined): JsonObject {
  return own === undefined ? shape : { ...shape, providerOptions: { [OWN]: asJson(own) } };
}

/** A canonical part or message is JSON by its types; only the index signature is missing. */
export function asJson(value: object): JsonObject {
  return value as JsonObject;
}

function shapeOf(part: Part): JsonObject {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return part.form === 'redacted'
        ? omitUndefined({ type: 'redacted-reasoning', data: part.encrypted ?? part.text })
        : omitUndefined({ type: 'reasoning', text: part.text, signature: part.signature });
    case 'image':
      if (part.source.type === 'base64') {
        const { data, mediaType } = part.source;
        return omitUndefined({ type: 'image', image: data, mimeType: mediaType });
      }
      return { type: 'text', text: part.source.type === 'url' ? `[image: ${part.source.url}]` : '[image]' };
    case 'file':
      if (part.source.type === 'base64') {
        const { data, mediaType } = part.source;
        return omitUndefined({ type: 'file', data, mimeType: mediaType, filename: part.filename });
      }
      return { type: 'text', text: `[file: ${part.filename ?? 'without a name'}]` };
    case 'audio':
      return { type: 'text', text: part.transcript ?? '[audio]' };
    case 'tool-call': {
      const { callId, name } = part;
      return { type: 'tool-call', toolCallId: callId, toolName: name, args: argumentsOf(part.argumentsText) };
    }
    case 'tool-result': {
      const { callId, name } = part;
      const shape = {
        type: 'tool-result',
        toolCallId: callId,
        toolName: name ?? '',
        result: resultText(part),
      };
      return part.isError === true ? { ...shape, isError: true } : shape;
    }
    case 'opaque':
      return { type: 'text', text: '' };
    default:
      return part satisfies never;
  }
}

function readShape(json: JsonObject): Part | undefined {
  const { type, text, toolCallId, toolName } = json;
  switch (type) {
    case 'text':
      return { type: 'text', text: textIn(text) };
    case 'reasoning': {
      const signature = typeof json.signature === 'string' ? json.signature : undefined;
      return omitUndefined({
        type: 'reasoning' as const,
        text: textIn(text),
        form: 'raw' as const,
        signature,
      });
    }
    case 'redacted-reasoning':
      return { type: 'reasoning', text: '', form: 'redacted', encrypted: textIn(json.data) };
    case 'image': {
      const image = typeof json.image === 'string' ? json.image : '';
      return { type: 'image', source: readSource(image, json.mimeType ?? json.mediaType) };
    }
    case 'file': {
      const filename = typeof json.filename === 'string' ? json.filename : undefined;
      const source = readSource(textIn(json.data), json.mimeType ?? json.mediaType);
      return omitUndefined({ type: 'file' as const, source, filename });
    }
    case 'tool-call': {
      const args = json.args ?? json.input ?? {};
      const argumentsText = typeof args === 'string' ? args : JSON.stringify(args);
      return {
        type: 'tool-call',
        callId: textIn(toolCallId),
        name: textIn(toolName),
        kind: 'function',
        argumentsText,
      };
    }
    case 'tool-result': {
      const name = textIn(toolName) === '' ? undefined : textIn(toolName);
      const isError = json.isError === true ? true : undefined;
      const content = readResult(json.result ?? json.output ?? '');
      return omitUndefined({
        type: 'tool-result' as const,
        callId: textIn(toolCallId),
        name,
        content,
        isError,
      });
    }
    default:
      return undefined;
  }
}

/** Clients read an object here; text that is none stands whole in our own options. */
function argumentsOf(text: string): JsonObject {
  const parsed = parseArguments(text);
  return 'input' in parsed && isJsonObject(parsed.input) ? parsed.input : {};
}

function resultText({ content }: ToolResultPart): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

function readResult(result: JsonValue): ToolResultPart['content'] {
  if (typeof result === 'string') return [{ type: 'text', text: result }];
  // The newer shape of the same SDK: { type: 'text' | 'json' | 'error-text' …, value }.
  const value = isJsonObject(result) && 'value' in result ? result.value : result;
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];
}

function readSource(data: string, mimeType: JsonValue | undefined) {
  const mediaType = typeof mimeType === 'string' ? mimeType : undefined;
  if (/^https?:\/\//.test(data)) return omitUndefined({ type: 'url' as const, url: data, mediaType });
  const inline = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s.exec(data);
  if (inline) {
    return omitUndefined({
      type: 'base64' as const,
      data: inline[2] ?? '',
      mediaType: inline[1] || mediaType,
    });
  }
  return omitUndefined({ type: 'base64' as const, data, mediaType });
}

function textIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
