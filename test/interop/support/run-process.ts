import { spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ProcessResult {
  readonly command: readonly string[];
  /** Null when a signal ended it, the time limit included. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTimedOut: boolean;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/**
 * Runs a command to its end. Output goes through files: a daemon that a client leaves behind would hold pipes open and
 * the end would never be seen.
 */
export async function runProcess(
  command: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  const folder = await mkdtemp(join(tmpdir(), 'crosspoint-output-'));
  const stdout = await open(join(folder, 'stdout'), 'w+');
  const stderr = await open(join(folder, 'stderr'), 'w+');
  try {
    const ending = await waitForEnd(command, options, [stdout.fd, stderr.fd]);
    return {
      command,
      ...ending,
      stdout: await readFile(join(folder, 'stdout'), 'utf8'),
      stderr: await readFile(join(folder, 'stderr'), 'utf8'),
    };
  } finally {
    await Promise.all([stdout.close(), stderr.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function waitForEnd(
  command: readonly string[],
  { cwd, env, timeoutMs }: ProcessOptions,
  [stdout, stderr]: readonly [number, number],
): Promise<Pick<ProcessResult, 'code' | 'isTimedOut'>> {
  const [program = '', ...args] = command;
  // A group of its own, so that what the client has started ends with it.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', stdout, stderr], detached: true });
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    signalGroup(child.pid, 'SIGKILL');
  }, timeoutMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('exit', resolve);
      child.on('error', reject);
    });
    return { code, isTimedOut };
  } finally {
    clearTimeout(timer);
    signalGroup(child.pid, 'SIGKILL');
  }
}

export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended already.
  }
}

const MAX_SHOWN_CHARACTERS = 4000;

/** What a failed assertion shows of a run. */
export function describeRun(run: ProcessResult): string {
  const ending = run.isTimedOut ? 'was stopped at its time limit' : `ended with ${run.code ?? 'a signal'}`;
  const tail = (text: string) => text.slice(-MAX_SHOWN_CHARACTERS).trimEnd();
  return `${run.command.join(' ')}\n${ending}\n--- stdout\n${tail(run.stdout)}\n--- stderr\n${tail(run.stderr)}\n---\n`;
}
