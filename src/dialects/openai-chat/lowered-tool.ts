// A custom tool on a server that knows functions only: it becomes a function with one required string, `input`.
// An empty schema would not do: models then call the tool with `{}`.
import { type CustomTool, isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';

export function lowerCustomTool(tool: CustomTool, wireName: string): JsonObject {
  const lines = [
    tool.description ?? '',
    'Put the whole raw input text of this tool into the argument `input`.',
  ];
  if (tool.format?.type === 'grammar') {
    lines.push(`The text must follow this grammar (${tool.format.syntax}):\n${tool.format.definition}`);
  }
  return {
    name: wireName,
    description: lines.filter((line) => line !== '').join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The raw input text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}

export function lowerArguments(rawText: string): string {
  return JSON.stringify({ input: rawText });
}

/**
 * The raw text of a lowered call. Models sometimes rename the one property or write the text without any JSON;
 * both are understood. Anything else is given back as it came.
 */
export function restoreRawText(argumentsText: string): string {
  let value: JsonValue;
  try {
    value = JSON.parse(argumentsText) as JsonValue;
  } catch {
    return argumentsText;
  }
  if (!isJsonObject(value)) return argumentsText;
  const entries = Object.entries(value);
  const [name, text] = entries[0] ?? [];
  if (entries.length !== 1 || typeof text !== 'string') return argumentsText;
  return name === 'input' || name === 'content' || name === 'patch' ? text : argumentsText;
}
