import type { Part, TurnRequest } from '../core/index.ts';

/** What a model reads of a request, in characters, where nobody has counted its tokens. Media are left out. */
export function countRequestCharacters({ messages, tools }: TurnRequest): number {
  let characters = 0;
  for (const { content } of messages) for (const part of content) characters += countPart(part);
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
