// One run of ripgrep: no shell, no user configuration, records handed over as they come, stopped as soon as the caller has
// enough, the time is up or the call is cancelled. Nothing is kept here, so a list of any length needs no memory.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
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
  readonly timeLimitMs?: number;
}

export interface RipgrepEnd {
  /** `stopped`: the caller had enough. */
  readonly reason: 'done' | 'stopped' | 'timeout' | 'cancelled';
  /** 0 found, 1 nothing found, 2 an error, perhaps besides results. */
  readonly exitCode: number | null;
  readonly errors: string;
}

/** `onRecord` answers false when it wants no more. Rejects only when ripgrep cannot be started. */
export async function runRipgrep(
  run: RipgrepRun & { readonly separator: '\n' | '\0' },
  context: Pick<ToolContext, 'signal' | 'env'>,
  onRecord: (record: string) => boolean,
): Promise<RipgrepEnd & { readonly rest: string }> {
  const decoder = new StringDecoder('utf8');
  let carry = '';
  const end = await streamRipgrep(run, context, (chunk) => {
    const records = (carry + decoder.write(chunk)).split(run.separator);
    carry = (records.pop() ?? '').slice(0, MAX_RECORD_CHARACTERS);
    return records.every(onRecord);
  });
  return { ...end, rest: carry };
}

/** The same for who reads the bytes themselves; `onData` answers false when it wants no more. */
export function streamRipgrep(
  run: RipgrepRun,
  context: Pick<ToolContext, 'signal' | 'env'>,
  onData: (chunk: Buffer) => boolean,
): Promise<RipgrepEnd> {
  return new Promise((resolve, reject) => {
    if (context.signal.aborted) return resolve({ reason: 'cancelled', exitCode: null, errors: '' });
    const { RIPGREP_CONFIG_PATH: _, ...env } = context.env;
    const child = spawn(rgPath, ['--no-config', ...run.args], {
      cwd: run.cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let reason: RipgrepEnd['reason'] = 'done';
    let errors = '';
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
    child.stdout.on('data', (chunk: Buffer) => {
      if (reason === 'done' && !onData(chunk)) stop('stopped');
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
      resolve({ reason, exitCode, errors: errors.trim() });
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
