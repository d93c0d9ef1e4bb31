import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { omitUndefined } from '../../../core/index.ts';
import { defineResource } from '../../resources.ts';
import { onProcessExit } from './process-exit.ts';
import { stopTree } from './process-tree.ts';
import { pruneOutputs } from './prune-outputs.ts';
import { ShellFault } from './shell-fault.ts';
import { type JobEnd, type JobOptions, ShellJob } from './shell-job.ts';
import { SHELL_LIMITS, type ShellLimits } from './shell-limits.ts';

export interface JobSummary {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly isInBackground: boolean;
  readonly outputBytes: number;
  readonly end?: JobEnd;
}

export type JobRequest = Pick<JobOptions, 'command' | 'cwd' | 'nowMs' | 'start' | 'readFolder'> & {
  readonly stateFolder: string;
};

/** Calls that were asked about but never ran are forgotten, oldest first. */
const MAX_CLAIMS = 1_000;

/** Every command of one runtime; the ones in the background outlive their calls and end with it. */
export class ShellJobs {
  readonly limits: ShellLimits;
  readonly #mark = randomUUID();
  readonly #jobs = new Map<number, ShellJob>();
  readonly #folders = new Map<string, string>();
  readonly #claims = new Map<string, string>();
  readonly #leaveExit: () => void;
  readonly #pruned = new Set<string>();
  #starting = 0;
  #nextId = 1;
  #isClosed = false;

  constructor(limits: Partial<ShellLimits> = {}) {
    this.limits = { ...SHELL_LIMITS, ...limits };
    // The last resort when the program ends without closing its runtime; groups only, since nothing may wait here.
    this.#leaveExit = onProcessExit(() => this.#killNow());
  }

  async start(request: JobRequest): Promise<ShellJob> {
    if (this.#isClosed)
      throw new ShellFault('UNAVAILABLE', 'The tool runtime is closing; nothing new starts.');
    const live = this.#live();
    if (live.length + this.#starting >= this.limits.maxLiveJobs) {
      const ids = live.map((job) => job.id).join(', ');
      throw new ShellFault(
        'UNAVAILABLE',
        `${live.length} commands are running already, which is the most allowed (${ids}). Stop one with await {"task_id": …, "stop": true}.`,
      );
    }
    const id = this.#nextId++;
    this.#starting++;
    try {
      const { stateFolder, ...rest } = request;
      const folder = path.join(stateFolder, 'shell');
      if (!this.#pruned.has(folder)) await pruneOutputs(folder, Date.now());
      this.#pruned.add(folder);
      const outputPath = path.join(folder, `${this.#mark.slice(0, 8)}-${id}.log`);
      const mark = `${this.#mark}:${id}`;
      const job = await ShellJob.start({ ...rest, id, mark, outputPath, limits: this.limits });
      this.#jobs.set(id, job);
      void job.ended().then(() => this.#forgetEnded());
      // The runtime closed while it was starting.
      if (this.#isClosed) await job.dispose();
      return job;
    } finally {
      this.#starting--;
    }
  }

  get(id: number): ShellJob | undefined {
    return this.#jobs.get(id);
  }

  /** A job or a fault that says which ones there are. */
  find(id: number): ShellJob {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.values()].filter((other) => other.isInBackground).map((other) => other.id);
    const remedy =
      known.length === 0
        ? 'None runs in the background now; start one with is_background.'
        : `Known ones: ${known.join(', ')}.`;
    throw new ShellFault('ENOENT', `There is no command with id ${id}. ${remedy}`);
  }

  /** A command that ended within its call has been told in full; only its stragglers still matter. */
  forget(job: ShellJob): void {
    if (!job.isLive && job.end?.leftRunning === 0) this.#jobs.delete(job.id);
  }

  list(): JobSummary[] {
    return [...this.#jobs.values()].map((job) => {
      const { id, command, cwd, pid, startedAtMs, isInBackground, outputBytes, end } = job;
      return omitUndefined({ id, command, cwd, pid, startedAtMs, isInBackground, outputBytes, end });
    });
  }

  /** Text since the last read; the next one goes on where this ended. */
  readNew(id: number) {
    const job = this.find(id);
    const slice = job.outputSince(job.readPosition);
    job.readPosition = slice.end;
    return slice;
  }

  stop(id: number): Promise<boolean> {
    return this.find(id).stop('stopped');
  }

  /** The folder a workspace's shell is in; commands start there unless they name another. */
  folderOf(workspaceRoot: string): string | undefined {
    return this.#folders.get(workspaceRoot);
  }

  setFolder(workspaceRoot: string, folder: string): void {
    this.#folders.set(workspaceRoot, folder);
  }

  /** What `touches` said of a call binds its run: the folder must still be the same one. */
  claimFolder(callId: string, realPath: string): void {
    this.#claims.delete(callId);
    this.#claims.set(callId, realPath);
    for (const oldest of this.#claims.keys()) {
      if (this.#claims.size <= MAX_CLAIMS) break;
      this.#claims.delete(oldest);
    }
  }

  claimedFolder(callId: string): string | undefined {
    return this.#claims.get(callId);
  }

  async dispose(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#jobs.values()].map((job) => job.dispose()));
    this.#jobs.clear();
    // Daemons of commands that ended long ago still carry the mark.
    const prefix = `${this.#mark}:`;
    await stopTree(() => ({ ownsMark: (mark) => mark.startsWith(prefix) }), this.limits.killGraceMs);
    this.#leaveExit();
  }

  #live(): ShellJob[] {
    return [...this.#jobs.values()].filter((job) => job.isLive);
  }

  #forgetEnded(): void {
    const ended = [...this.#jobs.values()].filter((job) => !job.isLive && job.end?.leftRunning === 0);
    for (const job of ended.slice(0, Math.max(0, ended.length - this.limits.maxEndedJobs)))
      this.#jobs.delete(job.id);
  }

  #killNow(): void {
    for (const job of this.#jobs.values()) job.signalGroup('SIGKILL');
  }
}

export const shellJobs = defineResource<ShellJobs>({
  name: 'shell-jobs',
  create: () => new ShellJobs(),
  dispose: (jobs) => jobs.dispose(),
});
