// Counts for an answer that nobody counted. The AI SDK does not recognise a finished response without `usage`, so
// there is always one; a guess says of itself that it is one.
import {
  estimatedUsage,
  isJsonObject,
  type JsonValue,
  type TurnRequest,
  type Usage,
} from '../../core/index.ts';
import { countRequestCharacters } from '../request-characters.ts';

export function completeUsage(
  usage: Usage | undefined,
  request: TurnRequest,
  output: readonly JsonValue[],
): Usage {
  return usage ?? estimatedUsage(countRequestCharacters(request), countText([...output]));
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
