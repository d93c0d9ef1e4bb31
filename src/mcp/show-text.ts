/**
 * A stranger's text, safe to print: control characters could rewrite a terminal, and characters that nobody sees
 * (zero width, direction marks, tags) can carry words to a model that the user never reads. Both are spelled out.
 */
export function showText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const HIDDEN =
  /[^\P{C}\n\t]|[\u{2028}\u{2029}\u{115f}\u{1160}\u{3164}\u{ffa0}]|[\u{fe00}-\u{fe0d}]|[\u{e0100}-\u{e01ef}]/gu;
