export type OutputStream = 'stdout' | 'stderr';

export interface Segment {
  readonly stream: OutputStream;
  readonly bytes: Buffer;
}

export interface OutputSlice {
  readonly segments: readonly Segment[];
  /** Bytes between the wanted position and the end that are no longer in memory. */
  readonly missedBytes: number;
  /** Of `segments`, those before the gap; all of them when nothing is missing. */
  readonly segmentsBeforeGap: number;
  /** Where to go on reading. */
  readonly end: number;
}

/** Neighbours of one stream are joined up to this size, so that many small writes do not become many small objects. */
const JOIN_BYTES = 4096;
/** What a segment costs beside its bytes; counted, so that streams that alternate byte by byte stay bounded, too. */
const SEGMENT_COST = 64;

/** The start and the end of an output, in the order in which it came, never more than a fixed size in between. */
export class KeptOutput {
  readonly #halfBytes: number;
  readonly #head: Segment[] = [];
  #headBytes = 0;
  #headCost = 0;
  #isHeadFull = false;
  #tail: Segment[] = [];
  #tailBytes = 0;
  #tailCost = 0;
  #totalBytes = 0;

  constructor(maxBytes: number) {
    this.#halfBytes = Math.floor(maxBytes / 2);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  append(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#totalBytes += bytes.length;
    const room = this.#isHeadFull ? 0 : Math.max(0, this.#halfBytes - this.#headCost);
    const first = bytes.subarray(0, room);
    if (first.length > 0) {
      this.#headCost += push(this.#head, stream, first);
      this.#headBytes += first.length;
    }
    if (first.length === bytes.length) return;
    this.#isHeadFull = true;
    const rest = bytes.subarray(first.length);
    this.#tailCost += push(this.#tail, stream, rest);
    this.#tailBytes += rest.length;
    this.#forget();
  }

  /** Everything still known from a position on. */
  since(position: number): OutputSlice {
    const before = slice(this.#head, 0, position);
    const tailStart = this.#totalBytes - this.#tailBytes;
    const after = slice(this.#tail, tailStart, position);
    const missedBytes = Math.max(0, tailStart - Math.max(this.#headBytes, position));
    const segments = [...before, ...(missedBytes > 0 ? atCharacter(after) : after)];
    return {
      segments,
      missedBytes,
      segmentsBeforeGap: missedBytes > 0 ? before.length : segments.length,
      end: this.#totalBytes,
    };
  }

  #forget(): void {
    let excess = this.#tailCost - this.#halfBytes;
    let dropped = 0;
    while (excess > 0) {
      const oldest = this.#tail[dropped];
      if (oldest === undefined) break;
      const cost = oldest.bytes.length + SEGMENT_COST;
      if (cost <= excess) {
        dropped++;
        excess -= cost;
        this.#tailCost -= cost;
        this.#tailBytes -= oldest.bytes.length;
      } else {
        const cut = Math.min(excess, oldest.bytes.length);
        this.#tail[dropped] = { stream: oldest.stream, bytes: oldest.bytes.subarray(cut) };
        this.#tailCost -= cut;
        this.#tailBytes -= cut;
        break;
      }
    }
    if (dropped > 0) this.#tail = this.#tail.slice(dropped);
  }
}

/** The bytes as text, of one stream or of both as they came. */
export function textOfSegments(segments: readonly Segment[], stream?: OutputStream): string {
  const wanted = stream === undefined ? segments : segments.filter((segment) => segment.stream === stream);
  return Buffer.concat(wanted.map((segment) => segment.bytes)).toString('utf8');
}

/** Gives the growth in cost. */
function push(segments: Segment[], stream: OutputStream, bytes: Buffer): number {
  const last = segments.at(-1);
  if (last?.stream === stream && last.bytes.length + bytes.length <= JOIN_BYTES) {
    segments[segments.length - 1] = { stream, bytes: Buffer.concat([last.bytes, bytes]) };
    return bytes.length;
  }
  segments.push({ stream, bytes });
  return bytes.length + SEGMENT_COST;
}

function slice(segments: readonly Segment[], start: number, position: number): Segment[] {
  const found: Segment[] = [];
  let at = start;
  for (const segment of segments) {
    const end = at + segment.bytes.length;
    if (end > position)
      found.push({ stream: segment.stream, bytes: segment.bytes.subarray(Math.max(0, position - at)) });
    at = end;
  }
  return found;
}

/** After a gap the first bytes may be the rest of a character whose start is gone. */
function atCharacter(segments: readonly Segment[]): readonly Segment[] {
  const [first, ...rest] = segments;
  if (first === undefined) return segments;
  let start = 0;
  while (start < 3 && start < first.bytes.length && ((first.bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return [{ stream: first.stream, bytes: first.bytes.subarray(start) }, ...rest];
}
