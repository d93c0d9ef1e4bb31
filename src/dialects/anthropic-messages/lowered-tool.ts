// A custom (free text) tool in a dialect that knows JSON inputs only: one required string, `input`. Both directions of
// the translation: tools and histories on the way to an upstream, calls on the way back and out of our own front.
import { type CustomTool, isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

export function lowerDescription(tool: CustomTool): string {
  const paragraphs = [
    tool.description ?? '',
    'Write the raw text of the call into `input`, unchanged and whole.',
  ];
  if (tool.format?.type === 'grammar') {
    paragraphs.push(`The text must match this ${tool.format.syntax} grammar:\n${tool.format.definition}`);
  }
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
}

/** Not an empty schema: models answer that with `{}`. */
export const LOWERED_SCHEMA: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The raw text of the call.' } },
  required: ['input'],
  additionalProperties: false,
};

export function lowerInput(rawText: string): JsonObject {
  return { input: rawText };
}

/** Names under which models were seen to put the one string. */
const TEXT_PROPERTIES: ReadonlySet<string> = new Set(['input', 'content', 'patch']);

/** The raw text of a lowered call. What does not have the agreed form is given back as it came. */
export function restoreRawText(argumentsText: string): string {
  let value: JsonValue;
  try {
    value = JSON.parse(argumentsText) as JsonValue;
  } catch {
    return argumentsText;
  }
  const [entry, ...others] = isJsonObject(value) ? Object.entries(value) : [];
  if (!entry || others.length > 0) return argumentsText;
  const [name, text] = entry;
  return typeof text === 'string' && TEXT_PROPERTIES.has(name) ? text : argumentsText;
}
