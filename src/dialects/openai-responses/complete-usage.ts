// Counts for an answer that nobody counted. The AI SDK does not recognise a finished response without `usage`, so
// there is always one; a guess says of itself that it is one.
import {
  estimatedUsage,
  isJsonObject,
  type JsonValue,
  type Part,
  type TurnRequest,
  type Usage,
} from '../../core/index.ts';

export function completeUsage(
  usage: Usage | undefined,
  request: TurnRequest,
  output: readonly JsonValue[],
): Usage {
  return usage ?? estimatedUsage(countRequest(request), countText([...output]));
}

function countRequest({ messages, tools }: TurnRequest): number {
  let characters = 0;
  for (const message of messages) for (const part of message.content) characters += countPart(part);
  for (const tool of tools) {
    characters += tool.name.length + (tool.description?.length ?? 0);
    if (tool.kind === 'function') characters += JSON.stringify(tool.parameters ?? {}).length;
  }
  return characters;
}

function countPart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return part.text.length;
    case 'tool-call':
      return part.name.length + part.argumentsText.length;
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + countPart(inner), 0);
    case 'image':
    case 'file':
    case 'audio':
    case 'opaque':
      return 0;
    default:
      return part satisfies never;
  }
}

const SPOKEN: readonly string[] = ['text', 'refusal', 'arguments', 'input'];

/** What the model wrote, wherever it sits inside the items. */
function countText(value: JsonValue): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countText(item), 0);
  if (!isJsonObject(value)) return 0;
  let characters = 0;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string') characters += countText(item);
    else if (SPOKEN.includes(key)) characters += item.length;
  }
  return characters;
}
