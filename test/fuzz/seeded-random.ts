/** Random draws that are the same on every run: Marsaglia's xorshift on 32 bits. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed || 1; // from zero it would never move
  }

  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return Math.floor(((this.#state >>> 0) / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.below(items.length)] as Item; // the index is inside the list
  }
}
