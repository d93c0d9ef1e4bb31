// Whether JSON is a canonical part: what a client hands back as ours is looked at before anything relies on it.
import { isJsonObject, type JsonObject, type JsonValue, type Part } from '../../../core/index.ts';

/** Fields that, where they stand, are texts. */
const TEXTS = [
  'id',
  'signature',
  'encrypted',
  'origin',
  'filename',
  'transcript',
  'format',
  'detail',
  'name',
];
const RESULT_TYPES: ReadonlySet<JsonValue | undefined> = new Set([
  'text',
  'image',
  'file',
  'audio',
  'opaque',
]);

export function isPart(json: JsonObject): json is JsonObject & Part {
  return TEXTS.every((key) => json[key] === undefined || isText(json[key])) && hasShape(json);
}

function hasShape(json: JsonObject): boolean {
  switch (json.type) {
    case 'text':
    case 'refusal':
      return isText(json.text);
    case 'reasoning':
      return isText(json.text) && ['raw', 'summary', 'redacted'].includes(String(json.form));
    case 'image':
    case 'file':
    case 'audio':
      return isSource(json.source);
    case 'tool-call':
      return (
        [json.callId, json.name, json.argumentsText].every(isText) &&
        ['function', 'custom', 'hosted'].includes(String(json.kind))
      );
    case 'tool-result':
      return isText(json.callId) && Array.isArray(json.content) && json.content.every(isResultPiece);
    case 'opaque':
      return isText(json.dialect) && json.value !== undefined;
    default:
      return false;
  }
}

function isResultPiece(json: JsonValue): boolean {
  return isJsonObject(json) && RESULT_TYPES.has(json.type) && isPart(json);
}

function isSource(source: JsonValue | undefined): boolean {
  if (!isJsonObject(source)) return false;
  const { type, mediaType } = source;
  if (mediaType !== undefined && !isText(mediaType)) return false;
  return (
    (type === 'base64' && isText(source.data)) ||
    (type === 'url' && isText(source.url)) ||
    (type === 'id' && isText(source.id))
  );
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string';
}
