// The side of the terminal that answers: what a person types, the browser that opens, the time that passes.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Env } from '../config/index.ts';
import { GatewayError } from '../core/index.ts';
import { readHiddenLine } from './read-hidden-line.ts';

export interface Terminal {
  /** False when input comes from a pipe or a file. */
  readonly isInteractive: boolean;
  readonly columns: number | undefined;
  /** One line that is not shown while it is typed. */
  askSecret(question: string): Promise<string>;
  /** All that is piped in, as text. */
  readInput(): Promise<string>;
  /** True when a browser was started; whether it shows the page, nobody learns. */
  openUrl(url: string, env: Env): Promise<boolean>;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const MAX_INPUT_BYTES = 64 * 1024;

/** The terminal of this process. */
export const processTerminal: Terminal = {
  get isInteractive() {
    return process.stdin.isTTY === true;
  },
  get columns() {
    return process.stdout.columns || undefined; // 0 in terminals that do not know
  },
  askSecret: (question) => readHiddenLine(process.stdin, process.stderr, question),
  readInput: () => readAll(process.stdin),
  openUrl: (url, env) => openUrl(url, process.platform, env),
  sleep: async (ms, signal) => {
    try {
      await wait(ms, undefined, { signal });
    } catch (cause) {
      throw new GatewayError('cancelled', 'Interrupted.', { cause });
    }
  },
};

export async function readAll(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_INPUT_BYTES) {
      throw new GatewayError(
        'invalid-request',
        `The input is longer than ${MAX_INPUT_BYTES} bytes; a key is one line.`,
      );
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

/** The program that opens an address, or undefined where no browser can show itself. */
export function openerFor(platform: NodeJS.Platform, env: Env): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // Not `start`: the shell behind it takes the & of an address for the end of a command.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

function openUrl(url: string, platform: NodeJS.Platform, env: Env): Promise<boolean> {
  const opener = openerFor(platform, env);
  if (!opener) return Promise.resolve(false);
  const [program, ...args] = opener;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref(); // the browser may outlive us
      resolve(true);
    });
  });
}
