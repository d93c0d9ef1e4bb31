/** One event with both of its lines, as Anthropic sends it; `fields` is the inside of the object after its type. */
export function eventFrame(type: string, fields = ''): string {
  return `event: ${type}\ndata: {"type":"${type}"${fields === '' ? '' : `,${fields}`}}\n\n`;
}

/** Means nothing; sent after the start and in long silences. */
export const PING = eventFrame('ping');
