/** Beginning and end of a text that is too long, with what is missing said in between. */
export function clipText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = Math.ceil(maxCharacters * 0.6);
  const tail = maxCharacters - head;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters left out …]\n${text.slice(text.length - tail)}`;
}
