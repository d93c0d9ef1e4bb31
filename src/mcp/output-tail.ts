/** The last of what a program has said, for error messages; however much it says, only this much is kept. */
export class OutputTail {
  #text = '';
  readonly #maxCharacters: number;

  constructor(maxCharacters = 4_000) {
    this.#maxCharacters = maxCharacters;
  }

  add(text: string): void {
    const all = this.#text + text;
    this.#text = all.length > this.#maxCharacters ? all.slice(-this.#maxCharacters) : all;
  }

  /** The last few lines, which is where programs say why they gave up. */
  lines(count = 12): string {
    return this.#text.trimEnd().split('\n').slice(-count).join('\n').trim();
  }
}
