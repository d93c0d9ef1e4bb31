import { estimatedUsage, type Part, type TurnRequest, type Usage } from '../../core/index.ts';

/** A picture costs about a thousand tokens with every vendor, however many bytes it has. */
const PICTURE_CHARACTERS = 4000;

/** The upstream's counts; where it gave none, or no input at all, an estimate that says that it is one. */
export function completeUsage(
  usage: Usage | undefined,
  request: TurnRequest,
  outputCharacters: number,
): Usage {
  if (usage && usage.inputTokens > 0) return usage;
  const guess = estimatedUsage(countRequest(request), outputCharacters);
  const { inputTokens } = guess;
  const outputTokens = usage && usage.outputTokens > 0 ? usage.outputTokens : guess.outputTokens;
  return { ...usage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

function countRequest(request: TurnRequest): number {
  let characters = request.tools.length > 0 ? JSON.stringify(request.tools).length : 0;
  for (const message of request.messages) characters += countParts(message.content);
  return characters;
}

export function countParts(parts: readonly Part[]): number {
  let characters = 0;
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal' || part.type === 'reasoning') {
      characters += part.text.length;
    } else if (part.type === 'tool-call') characters += part.name.length + part.argumentsText.length;
    else if (part.type === 'tool-result') characters += countParts(part.content);
    else characters += PICTURE_CHARACTERS;
  }
  return characters;
}
