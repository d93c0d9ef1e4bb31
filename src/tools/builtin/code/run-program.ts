import { spawn } from 'node:child_process';
import type { ToolContext } from '../../tool-context.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly input?: string;
  readonly timeLimitMs: number;
}

export interface ProgramEnd {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly reason: 'done' | 'timeout' | 'cancelled' | 'too-much-output' | 'not-started';
}

const MAX_OUTPUT_CHARACTERS = 20_000_000;
const MAX_STDERR_CHARACTERS = 20_000;

/** Runs a program to its end without a shell; it and all that it started are gone when this settles. Never rejects. */
export function runProgram(
  program: Program,
  context: Pick<ToolContext, 'signal' | 'env'>,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    let reason: ProgramEnd['reason'] = 'done';
    if (context.signal.aborted) return resolve({ stdout, stderr, exitCode: null, reason: 'cancelled' });
    const child = spawn(program.command, program.args, {
      cwd: program.cwd,
      env: { ...context.env, NO_COLOR: '1' },
      stdio: 'pipe',
      // A group of its own, so that what it starts can be ended with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const stop = (why: ProgramEnd['reason']) => {
      if (reason === 'done') reason = why;
      endProcessGroup(child.pid, () => child.kill('SIGKILL'));
    };
    const onAbort = () => stop('cancelled');
    const timer = setTimeout(() => stop('timeout'), program.timeLimitMs);
    context.signal.addEventListener('abort', onAbort, { once: true });
    const finish = (exitCode: number | null) => {
      clearTimeout(timer);
      context.signal.removeEventListener('abort', onAbort);
      endProcessGroup(child.pid, () => undefined);
      resolve({ stdout, stderr, exitCode, reason });
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      if (stdout.length > MAX_OUTPUT_CHARACTERS) stop('too-much-output');
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (stderr.length < MAX_STDERR_CHARACTERS) stderr += chunk;
    });
    child.once('error', () => {
      reason = 'not-started';
      finish(null);
    });
    // A program that does not read its input closes the pipe early; that is no error of ours.
    child.stdin.on('error', () => undefined).end(program.input ?? '');
    child.once('close', finish);
  });
}

/** Nothing to do when the group is gone already. */
export function endProcessGroup(pid: number | undefined, fallback: () => void): void {
  if (pid === undefined) return;
  try {
    if (process.platform === 'win32') fallback();
    else process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: it has ended by itself.
  }
}
