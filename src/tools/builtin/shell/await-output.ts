import type { KeptOutput, Segment } from './kept-output.ts';
import { textOfSegments } from './kept-output.ts';
import type { OutputPattern } from './output-pattern.ts';
import type { JobEnd, ShellJob } from './shell-job.ts';

export interface WaitOptions {
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
  readonly pattern?: OutputPattern;
}

export type WaitResult =
  | { readonly why: 'ended'; readonly end: JobEnd }
  | { readonly why: 'matched'; readonly match: string }
  | { readonly why: 'time-limit' }
  | { readonly why: 'aborted' };

/** A match may begin this far before the newest output. */
const OVERLAP_BYTES = 64 * 1024;
/** Output that comes in a flood is looked at this often. */
const LOOK_MS = 50;

/** Waits for the end of a job, a pattern in its output, the time limit or an abort, whichever comes first. */
export async function awaitOutput(job: ShellJob, options: WaitOptions): Promise<WaitResult> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      waitForPattern(job, options.pattern, stop.signal),
      job.ended().then((end): WaitResult => endOrMatch(job, end, options.pattern)),
      waitForTime(options.timeLimitMs, stop.signal),
      waitForAbort(options.signal, stop.signal),
    ]);
  } finally {
    stop.abort();
  }
}

function endOrMatch(job: ShellJob, end: JobEnd, pattern: OutputPattern | undefined): WaitResult {
  const match = pattern?.find(textOfSegments(job.outputSince(0).segments));
  return match === undefined ? { why: 'ended', end } : { why: 'matched', match };
}

function waitForPattern(
  job: ShellJob,
  pattern: OutputPattern | undefined,
  stop: AbortSignal,
): Promise<WaitResult> {
  return new Promise((resolve, reject) => {
    if (pattern === undefined) return;
    let lookedAt = 0;
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      timer = undefined;
      try {
        const match = pattern.find(recentText(job, lookedAt));
        lookedAt = job.outputBytes;
        if (match !== undefined) resolve({ why: 'matched', match });
      } catch (error) {
        reject(error);
      }
    };
    const off = job.onOutput((_segment: Segment) => {
      timer ??= setTimeout(look, LOOK_MS);
    });
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      off();
    });
    look();
  });
}

function recentText(job: { outputSince: KeptOutput['since'] }, lookedAt: number): string {
  return textOfSegments(job.outputSince(Math.max(0, lookedAt - OVERLAP_BYTES)).segments);
}

function waitForTime(timeLimitMs: number, stop: AbortSignal): Promise<WaitResult> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ why: 'time-limit' }), timeLimitMs);
    stop.addEventListener('abort', () => clearTimeout(timer));
  });
}

function waitForAbort(signal: AbortSignal, stop: AbortSignal): Promise<WaitResult> {
  return new Promise((resolve) => {
    const onAbort = () => resolve({ why: 'aborted' });
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    stop.addEventListener('abort', () => signal.removeEventListener('abort', onAbort));
  });
}
