import type { ShellJob } from './shell-job.ts';

/** An answer counts as given when nothing more has come for this long. */
const QUIET_MS = 80;

/** Waits until a job has printed something and gone quiet, has ended, or the time is up. */
export function settle(job: ShellJob, timeLimitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    const done = () => {
      clearTimeout(quiet);
      clearTimeout(limit);
      off();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const limit = setTimeout(done, timeLimitMs);
    const off = job.onOutput(() => {
      clearTimeout(quiet);
      quiet = setTimeout(done, QUIET_MS);
    });
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
    void job.ended().then(done);
  });
}
