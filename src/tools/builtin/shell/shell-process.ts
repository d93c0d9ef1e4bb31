import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { OutputStream } from './kept-output.ts';
import { ShellFault } from './shell-fault.ts';

export interface ProcessSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasInput: boolean;
  /** A descriptor that the process finds as its number 3. */
  readonly noteDescriptor?: number;
}

export interface ProcessEnd {
  /** As a shell would report it: 128 + n for signal n. */
  readonly exitCode: number;
  readonly signal?: string;
}

export type OutputListener = (stream: OutputStream, bytes: Buffer) => void;

/** A started program, on pipes or on a terminal. */
export interface ShellProcess {
  readonly pid: number;
  readonly input: 'none' | 'pipe' | 'terminal';
  /** Settles when the program itself has ended; what it left running may still print. */
  readonly ended: Promise<ProcessEnd>;
  /** Settles when nobody can print any more. */
  readonly closed: Promise<void>;
  write(chars: string): Promise<void>;
  endInput(): void;
  pause(): void;
  resume(): void;
  /** Stops listening; whoever still prints gets a broken pipe. */
  detach(): void;
}

/** In a session and group of its own, so that no terminal of ours is shared and all of it can be ended. */
export async function startOnPipes(spec: ProcessSpec, onOutput: OutputListener): Promise<ShellProcess> {
  const [file, ...args] = spec.argv;
  if (file === undefined) throw new ShellFault('EINVAL', 'There is no program to start.');
  const child = spawnOrFault(file, args, spec);
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve(endOf(code, signal)));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const pid = await started(child, spec);
  child.stdout?.on('data', (bytes: Buffer) => onOutput('stdout', bytes));
  child.stderr?.on('data', (bytes: Buffer) => onOutput('stderr', bytes));
  const streams = [child.stdout, child.stderr];
  // A program that closes its input early makes writing fail; the writer is told, nobody else.
  child.stdin?.on('error', () => undefined);
  return {
    pid,
    input: spec.hasInput ? 'pipe' : 'none',
    ended,
    closed,
    write: (chars) => writeTo(child, chars),
    endInput: () => child.stdin?.end(),
    pause: () => streams.forEach((stream) => void stream?.pause()),
    resume: () => streams.forEach((stream) => void stream?.resume()),
    detach() {
      child.stdin?.destroy();
      for (const stream of streams) stream?.destroy();
      child.unref();
    },
  };
}

/** Some refusals of the system are thrown at once, others are told by an event. */
function spawnOrFault(file: string, args: readonly string[], spec: ProcessSpec): ChildProcess {
  try {
    return spawn(file, args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      windowsHide: true,
      stdio: [spec.hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', spec.noteDescriptor ?? 'ignore'],
    });
  } catch (error) {
    throw startFault(error, spec);
  }
}

function started(child: ChildProcess, spec: ProcessSpec): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startFault(error, spec)));
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
}

export function startFault(error: unknown, spec: ProcessSpec): ShellFault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  if (code === 'E2BIG')
    return new ShellFault(
      'EFBIG',
      'The command with its environment is longer than the system takes; write it to a script file and run that.',
    );
  return new ShellFault('FAILED', `${spec.argv[0]} could not be started in ${spec.cwd}: ${code}.`);
}

function writeTo(child: ChildProcess, chars: string): Promise<void> {
  const { stdin } = child;
  if (stdin === null || stdin.destroyed || stdin.writableEnded)
    return Promise.reject(new ShellFault('UNAVAILABLE', 'The standard input of this command is closed.'));
  return new Promise((resolve, reject) => {
    stdin.write(chars, (error) => {
      if (error) reject(new ShellFault('UNAVAILABLE', 'The command has closed its standard input.'));
      else resolve();
    });
  });
}

export function endOf(code: number | null, signal: string | null): ProcessEnd {
  if (signal === null) return { exitCode: code ?? 0 };
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return { exitCode: 128 + (numbers[signal] ?? 0), signal };
}
