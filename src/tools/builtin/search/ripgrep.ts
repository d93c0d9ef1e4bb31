// One run of ripgrep: no shell, no user configuration, records handed over as they come, stopped as soon as the caller has
// enough, the time is up or the call is cancelled. Nothing is kept here, so a list of any length needs no memory.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import type { ToolContext } from '../../tool-context.ts';

export const SEARCH_TIME_LIMIT_MS = 10_000;
const MAX_STDERR_CHARACTERS = 8_000;
/** Far above any record our arguments allow; a longer one is noise of a file name gone wrong. */
const MAX_RECORD_CHARACTERS = 1_000_000;

export interface RipgrepRun {
  readonly args: readonly string[];
  /** The workspace's real root. */
  readonly cwd: string;
  readonly separator: '\n' | '\0';
  readonly timeLimitMs?: number;
}

export interface RipgrepEnd {
  /** `stopped`: the caller had enough. */
  readonly reason: 'done' | 'stopped' | 'timeout' | 'cancelled';
  /** 0 found, 1 nothing found, 2 an error, perhaps besides results. */
  readonly exitCode: number | null;
  readonly errors: string;
  /** Text after the last separator. */
  readonly rest: string;
}

/** `onRecord` answers false when it wants no more. Rejects only when ripgrep cannot be started. */
export function runRipgrep(
  run: RipgrepRun,
  context: Pick<ToolContext, 'signal' | 'env'>,
  onRecord: (record: string) => boolean,
): Promise<RipgrepEnd> {
  return new Promise((resolve, reject) => {
    if (context.signal.aborted) return resolve({ reason: 'cancelled', exitCode: null, errors: '', rest: '' });
    const { RIPGREP_CONFIG_PATH: _, ...env } = context.env;
    const child = spawn(rgPath, ['--no-config', ...run.args], {
      cwd: run.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let reason: RipgrepEnd['reason'] = 'done';
    let errors = '';
    let carry = '';
    const stop = (why: RipgrepEnd['reason']) => {
      if (reason !== 'done') return;
      reason = why;
      child.kill('SIGKILL');
    };
    const onAbort = () => stop('cancelled');
    const timer = setTimeout(() => stop('timeout'), run.timeLimitMs ?? SEARCH_TIME_LIMIT_MS);
    context.signal.addEventListener('abort', onAbort, { once: true });
    const finish = () => {
      clearTimeout(timer);
      context.signal.removeEventListener('abort', onAbort);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (reason !== 'done') return;
      const records = (carry + chunk).split(run.separator);
      carry = records.pop() ?? '';
      if (carry.length > MAX_RECORD_CHARACTERS) carry = carry.slice(0, MAX_RECORD_CHARACTERS);
      for (const record of records) if (!onRecord(record)) return stop('stopped');
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (errors.length < MAX_STDERR_CHARACTERS)
        errors += chunk.slice(0, MAX_STDERR_CHARACTERS - errors.length);
    });
    child.once('error', (error) => {
      finish();
      reject(
        new Error(`ripgrep could not be started at ${rgPath}: ${error.message}. Reinstall the package.`),
      );
    });
    child.once('close', (exitCode) => {
      finish();
      resolve({ reason, exitCode, errors: errors.trim(), rest: carry });
    });
  });
}

/**
 * Ignore files count outside of git repositories too. The root's `.cursorignore` goes to ripgrep only to spare it the walk;
 * `CursorIgnore` has the last word, since a glob overrides every ignore file that ripgrep knows.
 */
export function ignoreArguments(workspaceRoot: string): string[] {
  const file = path.join(workspaceRoot, '.cursorignore');
  return ['--no-require-git', ...(existsSync(file) ? ['--ignore-file', file] : [])];
}

const DOT_SLASH = `.${path.sep}`;

/** Ripgrep prefixes results with the argument it was given. */
export function withoutDotSlash(found: string): string {
  return found.startsWith(DOT_SLASH) ? found.slice(2) : found;
}
