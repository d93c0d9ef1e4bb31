import type { Message, Part, ToolDefinition, TurnRequest } from '../../core/index.ts';
import { countTokens } from './tokenizer.ts';

/** A picture, file or sound costs the same whatever is in it: this model looks at none. */
const MEDIA_TOKENS = 85;
const MESSAGE_TOKENS = 3;

/** The input tokens of a request: every message and every tool definition. */
export function countInput(request: TurnRequest): number {
  let count = 0;
  for (const message of request.messages) count += countMessage(message);
  for (const tool of request.tools) count += countTool(tool);
  return count;
}

function countMessage(message: Message): number {
  return message.content.reduce((sum, part) => sum + countPart(part), MESSAGE_TOKENS);
}

function countPart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return countTokens(part.text);
    case 'tool-call':
      return countTokens(part.name) + countTokens(part.argumentsText);
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + countPart(inner), 0);
    case 'image':
    case 'file':
    case 'audio':
      return MEDIA_TOKENS;
    case 'opaque':
      return countTokens(JSON.stringify(part.value));
    default:
      return part satisfies never;
  }
}

function countTool(tool: ToolDefinition): number {
  const schema = tool.kind === 'function' ? JSON.stringify(tool.parameters ?? {}) : '';
  return countTokens(tool.name) + countTokens(tool.description ?? '') + countTokens(schema);
}
