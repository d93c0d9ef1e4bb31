import type { Part, TurnRequest } from '../../core/index.ts';

/** What a model reads of a request, in characters, where nobody has counted its tokens. Media are left out. */
export function countCharacters({ messages, tools }: TurnRequest): number {
  const said = messages.flatMap(({ content }) => content.map(countPart));
  const declared = tools.map((tool) => JSON.stringify(tool).length);
  return [...said, ...declared].reduce((sum, count) => sum + count, 0);
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
    default:
      return 0;
  }
}
