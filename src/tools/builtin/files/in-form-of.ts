import {
  type DecodedText,
  encodeText,
  foreignToLatin1,
  lineEndingOf,
  PLAIN_FORM,
  withLineEnding,
} from './text-form.ts';

export interface FormedText {
  readonly bytes: Buffer;
  /** What the writer should know about the form, in words. */
  readonly notes: readonly string[];
}

/**
 * A whole new text in the form of the one it replaces. Models write `\n` and UTF-8 whatever the file has; a text that has
 * line endings of its own is taken as it is.
 */
export function inFormOf(contents: string, old: DecodedText | undefined): FormedText {
  const notes: string[] = [];
  let text = contents;
  if (
    old !== undefined &&
    lineEndingOf(old.text) === '\r\n' &&
    !contents.includes('\r\n') &&
    contents.includes('\n')
  ) {
    text = withLineEnding(contents, '\r\n');
    notes.push('The file keeps its CRLF line endings.');
  }
  if (old?.form.encoding === 'latin-1' && foreignToLatin1(text) !== undefined) {
    notes.push('The file was Latin-1, which cannot hold the new text; it is UTF-8 now.');
    return { bytes: encodeText(text, PLAIN_FORM), notes };
  }
  // A mark that the text brings itself is not doubled.
  const form = text.startsWith('\ufeff') || old === undefined ? PLAIN_FORM : old.form;
  return { bytes: encodeText(text, form), notes };
}
