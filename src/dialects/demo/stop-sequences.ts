/** Watches streamed text for stop strings, holding back only what may be the beginning of one. */
export class StopSequences {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[] = []) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** The text that may be shown now, and the stop string that was met, if any. */
  push(text: string): { readonly text: string; readonly met?: string } {
    if (this.#stops.length === 0) return { text };
    const all = this.#held + text;
    const met = this.#firstMet(all);
    if (met) {
      this.#held = '';
      return { text: all.slice(0, met.index), met: met.stop };
    }
    const keep = this.#lengthToHold(all);
    this.#held = all.slice(all.length - keep);
    return { text: all.slice(0, all.length - keep) };
  }

  /** What was held back, once it is clear that no stop string follows. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #firstMet(text: string): { index: number; stop: string } | undefined {
    let first: { index: number; stop: string } | undefined;
    for (const stop of this.#stops) {
      const index = text.indexOf(stop);
      if (index >= 0 && (!first || index < first.index)) first = { index, stop };
    }
    return first;
  }

  #lengthToHold(text: string): number {
    const longest = Math.max(...this.#stops.map((stop) => stop.length)) - 1;
    for (let length = Math.min(longest, text.length); length > 0; length--) {
      const tail = text.slice(text.length - length);
      if (this.#stops.some((stop) => stop.startsWith(tail))) return length;
    }
    return 0;
  }
}
