// Server-sent events of one answer, numbered from zero.
import type { JsonObject } from '../../core/index.ts';
import { encodeSse } from '../../wire/sse.ts';

export class FrameWriter {
  #text = '';
  #nextSequence = 0;

  event(type: string, fields: JsonObject): void {
    const data = { type, ...fields, sequence_number: this.#nextSequence++ };
    this.#text += encodeSse(JSON.stringify(data), type);
  }

  /** The hot path: everything but the text and the number was written once, by `deltaHead`. */
  delta(head: string, text: string): void {
    this.#text += `${head}${JSON.stringify(text)},"sequence_number":${this.#nextSequence++}}\n\n`;
  }

  /** Takes what has been written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

/** A delta event up to the value of `delta`. */
export function deltaHead(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;
}
