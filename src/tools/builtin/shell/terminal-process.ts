import { constants } from 'node:os';
import type { IPty } from '@lydell/node-pty';
import { ShellFault } from './shell-fault.ts';
import {
  type OutputListener,
  type ProcessEnd,
  type ProcessSpec,
  type ShellProcess,
  startFault,
} from './shell-process.ts';

const COLUMNS = 120;
const ROWS = 40;

/** On a pseudo-terminal, for programs that talk only to one. The package that makes it is optional. */
export async function startOnTerminal(spec: ProcessSpec, onOutput: OutputListener): Promise<ShellProcess> {
  const { spawn } = await loadPty();
  const [file, ...args] = spec.argv;
  if (file === undefined) throw new ShellFault('EINVAL', 'There is no program to start.');
  const screen = { name: 'xterm-256color', cols: COLUMNS, rows: ROWS };
  let terminal: IPty;
  try {
    terminal = spawn(file, args, { ...screen, cwd: spec.cwd, env: spec.env, encoding: null });
  } catch (error) {
    throw startFault(error, spec);
  }
  const data = terminal.onData((chunk: string | Buffer) => onOutput('stdout', Buffer.from(chunk)));
  const ended = new Promise<ProcessEnd>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => resolve(endOfTerminal(exitCode, signal)));
  });
  return {
    pid: terminal.pid,
    input: 'terminal',
    ended,
    // The terminal goes with its leader: what is left behind prints nowhere.
    closed: ended.then(() => undefined),
    async write(chars) {
      terminal.write(chars);
    },
    // Ctrl-D, as a person would.
    endInput: () => terminal.write('\u0004'),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    detach: () => data.dispose(),
  };
}

async function loadPty() {
  try {
    return await import('@lydell/node-pty');
  } catch {
    throw new ShellFault(
      'UNAVAILABLE',
      'A terminal (stdin: "pty") needs the optional package @lydell/node-pty, which is not installed or does not fit this machine. Use stdin: "pipe", or install the package.',
    );
  }
}

function endOfTerminal(code: number, signal: number | undefined): ProcessEnd {
  if (signal === undefined || signal === 0) return { exitCode: code };
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { exitCode: 128 + signal, signal: name ?? `signal ${signal}` };
}
