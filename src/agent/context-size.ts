// A guess at how much room a conversation takes, for turns whose upstream did not count and for what came since.
import { estimateTokens, type Message, type Part, type ToolDefinition } from '../core/index.ts';

/** The inverse of the guess that `estimateTokens` makes. */
export const CHARACTERS_PER_TOKEN = 4;
/** Models scale pictures down; about 1,500 tokens is what the larger ones count for one. */
const PICTURE_CHARACTERS = 6_000;
/** Bytes of a document say little about its words; this is a long one. */
const MAX_FILE_CHARACTERS = 120_000;
/** Roles, names and separators. */
const MESSAGE_CHARACTERS = 16;

export function estimateMessages(messages: readonly Message[]): number {
  return messages.length === 0 ? 0 : estimateTokens(countCharacters(messages));
}

export function countCharacters(messages: readonly Message[]): number {
  let characters = 0;
  for (const message of messages) {
    characters += MESSAGE_CHARACTERS;
    for (const part of message.content) characters += countPart(part);
  }
  return characters;
}

export function countTools(tools: readonly ToolDefinition[]): number {
  return tools.length === 0 ? 0 : JSON.stringify(tools).length;
}

export function countPart(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.length;
    case 'reasoning':
      return part.text.length + (part.encrypted?.length ?? 0);
    case 'image':
      return PICTURE_CHARACTERS;
    case 'file':
    case 'audio':
      return part.source.type === 'base64'
        ? Math.min(part.source.data.length, MAX_FILE_CHARACTERS)
        : PICTURE_CHARACTERS;
    case 'tool-call':
      return part.name.length + part.argumentsText.length;
    case 'tool-result': {
      let characters = 0;
      for (const piece of part.content) characters += countPart(piece);
      return characters;
    }
    case 'opaque':
      return JSON.stringify(part.value).length;
    default:
      return part satisfies never;
  }
}
