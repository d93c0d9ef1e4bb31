/** Fires once when nothing happened for a while; stands still while a person is being asked. */
export class IdleLimit {
  readonly #limitMs: number;
  readonly #fire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(limitMs: number, fire: () => void) {
    this.#limitMs = limitMs;
    this.#fire = fire;
    this.touch();
  }

  touch(): void {
    clearTimeout(this.#timer);
    if (this.#pauses === 0) this.#timer = setTimeout(this.#fire, this.#limitMs);
  }

  pause(): void {
    this.#pauses++;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#pauses = Math.max(0, this.#pauses - 1);
    this.touch();
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }
}
