export interface Kept {
  readonly name: string;
  readonly owner: string;
  readonly isGuarding: boolean;
  /** As text: nobody can change a kept document by holding on to it, and its size is known. */
  readonly text: string;
  readonly bytes: number;
  readonly keptAtMs: number;
}

interface Place {
  readonly kept: Kept;
  older: Place | undefined;
  newer: Place | undefined;
}

/**
 * Documents in the order they were kept, linked one to the next. A Map has that order too, but looking for its first
 * entry walks over all that were deleted before it, which is what eviction does all day.
 */
export class DocumentLine {
  readonly #places = new Map<string, Place>();
  #oldest: Place | undefined;
  #newest: Place | undefined;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get oldest(): Kept | undefined {
    return this.#oldest?.kept;
  }

  get(name: string): Kept | undefined {
    return this.#places.get(name)?.kept;
  }

  /** The name must be new to the line. */
  add(kept: Kept): void {
    const place: Place = { kept, older: this.#newest, newer: undefined };
    if (this.#newest) this.#newest.newer = place;
    else this.#oldest = place;
    this.#newest = place;
    this.#places.set(kept.name, place);
    this.#bytes += kept.bytes;
  }

  remove(name: string): void {
    const place = this.#places.get(name);
    if (!place) return;
    if (place.older) place.older.newer = place.newer;
    else this.#oldest = place.newer;
    if (place.newer) place.newer.older = place.older;
    else this.#newest = place.older;
    this.#places.delete(name);
    this.#bytes -= place.kept.bytes;
  }
}
