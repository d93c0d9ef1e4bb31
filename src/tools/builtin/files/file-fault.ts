import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { type FailureCode, fail, type ToolOutcome } from '../../tool-outcome.ts';

/** A failure that the model can act on, thrown from deep inside and turned into an outcome at the tool's edge. */
export class FileFault extends Error {
  readonly code: FailureCode;
  readonly data: JsonObject | undefined;

  constructor(code: FailureCode, message: string, data?: JsonObject) {
    super(message);
    this.name = 'FileFault';
    this.code = code;
    this.data = data;
  }
}

const REMEDIES: Readonly<Record<string, readonly [FailureCode, string]>> = {
  ENOENT: ['ENOENT', 'does not exist'],
  EACCES: ['EACCES', 'may not be opened by this user; check its permissions'],
  EPERM: ['EACCES', 'may not be changed by this user; check its permissions'],
  EROFS: ['EACCES', 'is on a read-only file system'],
  EISDIR: ['EISDIR', 'is a folder; name a file'],
  ENOTDIR: ['ENOTDIR', 'has a file where a folder is needed in its path'],
  EEXIST: ['EEXIST', 'exists already'],
  ELOOP: ['DENIED', 'goes through a link that may not be followed; name the real file'],
  ENAMETOOLONG: ['EINVAL', 'is too long a name for this file system'],
  ENOSPC: ['FAILED', 'could not be written: the disk is full'],
  EMFILE: ['FAILED', 'could not be opened: too many files are open; try again'],
};

/** Runs a tool's work; faults and errors of the file system become failures that name the value and the remedy. */
export async function settle(context: ToolContext, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    context.signal.throwIfAborted();
    return await work();
  } catch (error) {
    return failureOf(error, context);
  }
}

function failureOf(error: unknown, context: ToolContext): ToolOutcome {
  if (error instanceof FileFault) return fail(error.code, error.message, omitUndefined({ data: error.data }));
  if (context.signal.aborted) return fail('ECANCELED', 'The call was cancelled before it finished.');
  const code = errnoOf(error);
  if (code === undefined) throw error;
  const [failure, text] = REMEDIES[code] ?? ['FAILED', `could not be used (${code})`];
  const named = pathOf(error);
  return fail(failure, `${named === undefined ? 'The file' : context.workspace.display(named)} ${text}.`);
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** Node names the path it was given; one that goes through a folder handle says nothing to anyone. */
function pathOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('path' in error) || typeof error.path !== 'string') return undefined;
  return error.path.startsWith('/proc/self/fd/') ? undefined : error.path;
}
