const NOTHING = Buffer.alloc(0);

/** Holds back a UTF-8 character that is cut at the end of a chunk, so that two streams can be mixed chunk by chunk. */
export class WholeCharacters {
  #held = NOTHING;

  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const end = bytes.length - cutLength(bytes);
    this.#held = Buffer.from(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  flush(): Buffer {
    const rest = this.#held;
    this.#held = NOTHING;
    return rest;
  }
}

/** How many bytes at the end belong to a character that is not complete. */
function cutLength(bytes: Buffer): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes[bytes.length - length] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return byte < 0xf8 && wanted > length ? length : 0;
  }
  return 0;
}
