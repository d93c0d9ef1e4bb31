/** The value of an expression, or why it has none. */
export type Arithmetic = { readonly value: number } | { readonly problem: string };

const MAX_CHARACTERS = 500;
const MAX_DEPTH = 60;

/** Evaluates + - * / % ^ and parentheses by recursive descent; `^` binds tightest and to the right. */
export function calculate(source: string): Arithmetic {
  if (source.length > MAX_CHARACTERS)
    return { problem: `the expression is longer than ${MAX_CHARACTERS} characters` };
  const parser = new ExpressionParser(source.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('**', '^'));
  try {
    const value = parser.parse();
    if (!Number.isFinite(value)) return { problem: 'the result is not a finite number' };
    return { value: value + 0 }; // nobody wants to read -0
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Twelve significant digits hide binary rounding (0.1 + 0.2) without hiding real differences. */
export function formatNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return String(Number(value.toPrecision(12)));
}

class ExpressionParser {
  readonly #source: string;
  #position = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): number {
    const value = this.#sum();
    const rest = this.#peek();
    if (rest !== '') throw new Error(`"${rest}" was not expected at position ${this.#position + 1}`);
    return value;
  }

  #sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#take('+')) value += this.#product();
      else if (this.#take('-')) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#signed();
    for (;;) {
      if (this.#take('*')) value *= this.#signed();
      else if (this.#take('/')) value /= this.#divisor('divided');
      else if (this.#take('%')) value %= this.#divisor('taken modulo');
      else return value;
    }
  }

  #divisor(verb: string): number {
    const value = this.#signed();
    if (value === 0) throw new Error(`nothing can be ${verb} by zero`);
    return value;
  }

  #signed(): number {
    return this.#nested(() => {
      if (this.#take('-')) return -this.#signed();
      if (this.#take('+')) return this.#signed();
      return this.#power();
    });
  }

  #power(): number {
    const base = this.#atom();
    return this.#take('^') ? base ** this.#signed() : base;
  }

  #atom(): number {
    if (this.#take('(')) {
      const value = this.#nested(() => this.#sum());
      if (!this.#take(')')) throw new Error('a closing parenthesis is missing');
      return value;
    }
    this.#peek();
    const number = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(this.#source.slice(this.#position))?.[0];
    if (number === undefined) throw new Error(`a number was expected at position ${this.#position + 1}`);
    this.#position += number.length;
    return Number(number);
  }

  #nested(parse: () => number): number {
    if (++this.#depth > MAX_DEPTH) throw new Error('the expression is nested too deeply');
    const value = parse();
    this.#depth--;
    return value;
  }

  #peek(): string {
    while (/\s/.test(this.#source[this.#position] ?? '')) this.#position++;
    return this.#source[this.#position] ?? '';
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#position++;
    return true;
  }
}
