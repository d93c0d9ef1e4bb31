import type { Message, Part } from '../core/index.ts';
import { clipText } from './clip-text.ts';

const MAX_TEXT = 20_000;
const MAX_ARGUMENTS = 4_000;
const MAX_RESULT = 4_000;

/**
 * A conversation as plain text, for the turn that sums it up. As text it needs no tools declared, and it can be cut
 * to any size without tearing a call from its result.
 */
export function renderTranscript(messages: readonly Message[], maxCharacters: number): string {
  const lines = messages.map((message) => {
    const parts = message.content.map((part) => renderPart(part)).filter((text) => text !== '');
    return parts.length === 0 ? '' : `[${message.role}]\n${parts.join('\n')}`;
  });
  return clipText(lines.filter((line) => line !== '').join('\n\n'), maxCharacters);
}

function renderPart(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return clipText(part.text, MAX_TEXT);
    case 'tool-call':
      return `called ${part.name} ${clipText(part.argumentsText, MAX_ARGUMENTS)}`;
    case 'tool-result': {
      const text = part.content.map((piece) => renderPart(piece)).join('\n');
      return `${part.name ?? 'the tool'} ${part.isError ? 'failed' : 'answered'}: ${clipText(text, MAX_RESULT)}`;
    }
    case 'image':
      return '(a picture)';
    case 'file':
      return `(a file${part.filename === undefined ? '' : ` named ${part.filename}`})`;
    case 'audio':
      return part.transcript ?? '(a sound)';
    case 'reasoning': // thoughts are not decisions; what came of them is in the text and the calls
    case 'opaque':
      return '';
    default:
      return part satisfies never;
  }
}
