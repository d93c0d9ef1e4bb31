import { createContext, Script } from 'node:vm';
import { ShellFault } from './shell-fault.ts';

/** A pattern that needs longer than this on one piece of output would hold up everything else. */
const TIME_LIMIT_MS = 400;
/** The limit counts the clock, not the work: on a busy machine a good pattern may need a second try. */
const TRIES = 2;

/**
 * A model's regular expression, multiline. It runs under a time limit: some patterns take for ever on some texts, and
 * only a script that can be interrupted is safe from that.
 */
export class OutputPattern {
  readonly source: string;
  readonly #sandbox: { text: string };
  readonly #script: Script;

  constructor(source: string) {
    this.source = source;
    try {
      new RegExp(source, 'm');
    } catch {
      throw new ShellFault(
        'EINVAL',
        `pattern ${JSON.stringify(source)} is not a regular expression of JavaScript; escape special characters with a backslash.`,
      );
    }
    const bare: { text: string } = Object.assign(Object.create(null), { text: '' });
    this.#sandbox = bare;
    createContext(bare);
    // The source goes in as a JSON string: text, never code.
    this.#script = new Script(`(new RegExp(${JSON.stringify(source)}, 'm').exec(text) ?? [])[0]`);
  }

  find(text: string): string | undefined {
    this.#sandbox.text = text;
    for (let round = 0; round < TRIES; round++) {
      try {
        const found: unknown = this.#script.runInContext(this.#sandbox, { timeout: TIME_LIMIT_MS });
        return typeof found === 'string' ? found : undefined;
      } catch {
        // Interrupted: nothing else in the script can fail.
      }
    }
    throw new ShellFault(
      'EINVAL',
      `pattern ${JSON.stringify(this.source)} takes too long on this output; write it without nested repetition.`,
    );
  }
}
