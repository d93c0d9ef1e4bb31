import { type Message, userMessage } from '../core/index.ts';

/** Marks what the loop says to the model, so that neither the model nor a reader takes it for the user's word. */
const NOTE_TAG = 'harness_note';

/** A message in the user's role, because every dialect has that one, that says it is not the user's. */
export function harnessNote(text: string): Message {
  return userMessage(
    `<${NOTE_TAG}>\nThis note was written by the program that runs you, not by the user.\n${text}\n</${NOTE_TAG}>`,
  );
}

export function isHarnessNote(message: Message): boolean {
  const [first] = message.content;
  return message.role === 'user' && first?.type === 'text' && first.text.startsWith(`<${NOTE_TAG}>`);
}
