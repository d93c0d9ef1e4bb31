import type { Progress } from '../../tool-context.ts';
import type { OutputStream, Segment } from './kept-output.ts';

const INTERVAL_MS = 100;
/** Whoever watches can read no more than this per interval. */
const MAX_CHARACTERS = 16_384;

/** Passes output on as progress: the first at once, then in batches, never more than somebody could read. */
export class OutputRelay {
  readonly #progress: (update: Progress) => void;
  #pending: { stream: OutputStream; text: string }[] = [];
  #pendingCharacters = 0;
  #skippedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(progress: (update: Progress) => void) {
    this.#progress = progress;
  }

  push({ stream, bytes }: Segment): void {
    if (this.#pendingCharacters + bytes.length > MAX_CHARACTERS && this.#pendingCharacters > 0) {
      this.#skippedBytes += bytes.length;
    } else {
      const shown = bytes.subarray(0, MAX_CHARACTERS);
      this.#skippedBytes += bytes.length - shown.length;
      this.#add(stream, shown.toString('utf8'));
    }
    if (this.#timer === undefined) this.#flush();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#send();
  }

  #add(stream: OutputStream, text: string): void {
    this.#pendingCharacters += text.length;
    const last = this.#pending.at(-1);
    if (last?.stream === stream) last.text += text;
    else this.#pending.push({ stream, text });
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#pending.length === 0 && this.#skippedBytes === 0) return;
    this.#send();
    this.#timer = setTimeout(() => this.#flush(), INTERVAL_MS);
  }

  #send(): void {
    const [pending, skipped] = [this.#pending, this.#skippedBytes];
    this.#pending = [];
    this.#pendingCharacters = 0;
    this.#skippedBytes = 0;
    for (const output of pending) this.#progress({ output });
    if (skipped > 0) this.#progress({ text: `${skipped} bytes of output not shown here` });
  }
}
