import { setTimeout as wait } from 'node:timers/promises';
import { omitUndefined } from '../../../core/index.ts';
import { KeptOutput, type OutputSlice, type OutputStream, type Segment } from './kept-output.ts';
import { OutputFile } from './output-file.ts';
import type { ProcessEntry } from './process-table.ts';
import { findTree, JOB_VARIABLE, stopTree, type TreeRoot } from './process-tree.ts';
import type { ShellLimits } from './shell-limits.ts';
import type { OutputListener, ShellProcess } from './shell-process.ts';
import { WholeCharacters } from './whole-characters.ts';

/** `completed` by itself, otherwise who ended it. */
export type EndReason = 'completed' | 'stopped' | 'timed-out' | 'cancelled' | 'too-much-output';

export interface JobEnd {
  readonly reason: EndReason;
  readonly exitCode: number;
  readonly signal?: string;
  readonly durationMs: number;
  /** Processes it left running; they end with the runtime. */
  readonly leftRunning: number;
  /** The folder the shell was in at the end, when it could say so. */
  readonly folder?: string;
}

export interface JobOptions {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly mark: string;
  readonly outputPath: string;
  readonly limits: ShellLimits;
  readonly nowMs: () => number;
  start(env: Record<string, string>, onOutput: OutputListener): Promise<ShellProcess>;
  readFolder?(): string | undefined;
}

/** GNU timeout's exit code, which scripts and models know. */
const TIMED_OUT_EXIT_CODE = 124;
/** How long the pipes of an ended command may stay quiet before it counts as done, and how long at most. */
const QUIET_MS = 100;
const MAX_DRAIN_MS = 1_000;

export interface OutputLocation {
  readonly file_path: string;
  readonly size_bytes: number;
  readonly line_count: number;
}

/** One command and all that it starts, from its first byte until nobody of it is left. */
export class ShellJob {
  readonly id: number;
  readonly command: string;
  readonly cwd: string;
  readonly startedAtMs: number;
  /** Where `await` reads on. */
  readPosition = 0;
  isInBackground = false;
  readonly #options: JobOptions;
  readonly #kept: KeptOutput;
  readonly #characters = { stdout: new WholeCharacters(), stderr: new WholeCharacters() };
  readonly #listeners = new Set<(segment: Segment) => void>();
  #file: OutputFile | undefined;
  #process: ShellProcess | undefined;
  #ended: Promise<JobEnd> | undefined;
  #end: JobEnd | undefined;
  #hasExited = false;
  #isClosed = false;
  #known: readonly ProcessEntry[] = [];
  #stopReason: EndReason | undefined;
  #stopping: Promise<boolean> | undefined;
  #isWaitingForDisk = false;

  private constructor(options: JobOptions) {
    this.#options = options;
    this.id = options.id;
    this.command = options.command;
    this.cwd = options.cwd;
    this.startedAtMs = options.nowMs();
    this.#kept = new KeptOutput(options.limits.maxKeptBytes);
  }

  static async start(options: JobOptions): Promise<ShellJob> {
    const job = new ShellJob(options);
    const child = await options.start({ [JOB_VARIABLE]: options.mark }, (stream, bytes) =>
      job.#receive(stream, bytes),
    );
    job.#process = child;
    job.#ended = job.#follow(child);
    return job;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get input(): ShellProcess['input'] {
    return this.#process?.input ?? 'none';
  }

  get end(): JobEnd | undefined {
    return this.#end;
  }

  /** Something of it still runs or may still print. */
  get isLive(): boolean {
    return this.#end === undefined || !this.#isClosed;
  }

  get outputBytes(): number {
    return this.#kept.totalBytes;
  }

  get outputLocation(): OutputLocation | undefined {
    if (this.#file === undefined || this.#file.hasFailed) return undefined;
    const { path, sizeBytes, lineCount } = this.#file;
    return { file_path: path, size_bytes: sizeBytes, line_count: lineCount };
  }

  /** Where a reader finds what an answer leaves out. */
  get outputHint(): string {
    if (this.#file === undefined || this.#file.hasFailed) return '';
    const { path, isWhole, sizeBytes } = this.#file;
    return isWhole ? `the whole output is in ${path}` : `the first ${sizeBytes} bytes are in ${path}`;
  }

  /** Never rejects. */
  ended(): Promise<JobEnd> {
    if (this.#ended === undefined) throw new Error('A job is followed from its start.');
    return this.#ended;
  }

  outputSince(position: number): OutputSlice {
    return this.#kept.since(position);
  }

  onOutput(listener: (segment: Segment) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  write(chars: string): Promise<void> {
    return this.#process?.write(chars) ?? Promise.resolve();
  }

  endInput(): void {
    this.#process?.endInput();
  }

  /** To the command and its group, as a terminal's keys do. */
  signalGroup(name: NodeJS.Signals): void {
    if (this.#hasExited || this.pid === 0) return;
    try {
      process.kill(-this.pid, name);
    } catch {
      // It ended at this very moment.
    }
  }

  /** From now on its whole output is in a file, for as long as it runs. */
  moveToBackground(): void {
    this.isInBackground = true;
    this.#openFile();
  }

  /** Ends the whole tree; true when nobody is left. The first reason given stays. */
  stop(reason: Exclude<EndReason, 'completed'>): Promise<boolean> {
    if (this.#end === undefined) this.#stopReason ??= reason;
    this.#stopping ??= stopTree(() => this.#root(), this.#options.limits.killGraceMs).then((isGone) => {
      this.#stopping = undefined;
      // A process that cannot be killed must not keep the reader waiting.
      if (!isGone) this.#process?.detach();
      return isGone;
    });
    return this.#stopping;
  }

  flushOutput(): Promise<void> {
    return this.#file?.flush() ?? Promise.resolve();
  }

  async dispose(): Promise<void> {
    if (this.isLive || this.#known.length > 0) await this.stop('stopped');
    this.#process?.detach();
    await this.#file?.close();
  }

  #root(): TreeRoot {
    const mark = this.#options.mark;
    return omitUndefined({
      pid: this.#hasExited ? undefined : this.pid,
      known: this.#known,
      ownsMark: (found: string) => found === mark,
    });
  }

  async #follow(child: ShellProcess): Promise<JobEnd> {
    const exit = await child.ended;
    this.#hasExited = true;
    const closed = child.closed.then(() => {
      this.#isClosed = true;
      this.#flushCharacters();
      if (this.#end !== undefined) void this.#file?.close();
    });
    // Its end is told when all of it has been ended, not the shell alone.
    await this.#stopping;
    await this.#drain(closed);
    if (!this.#isClosed || hasGroup(child.pid))
      this.#known = await findTree({ ...this.#root(), pid: child.pid });
    const reason = this.#stopReason ?? 'completed';
    this.#end = omitUndefined({
      reason,
      exitCode: reason === 'timed-out' ? TIMED_OUT_EXIT_CODE : exit.exitCode,
      signal: exit.signal,
      durationMs: Math.round(this.#options.nowMs() - this.startedAtMs),
      leftRunning: this.#known.length,
      folder: this.#options.readFolder?.(),
    });
    if (this.#isClosed) await this.#file?.close();
    return this.#end;
  }

  /** What the command printed last is still in the pipes; what it left running may hold them open for ever. */
  async #drain(closed: Promise<void>): Promise<void> {
    const deadline = performance.now() + MAX_DRAIN_MS;
    while (!this.#isClosed && performance.now() < deadline) {
      const before = this.outputBytes;
      const timer = new AbortController();
      await Promise.race([closed, wait(QUIET_MS, undefined, timer).catch(() => undefined)]);
      timer.abort();
      if (before === this.outputBytes && !this.#isWaitingForDisk) return;
    }
  }

  #receive(stream: OutputStream, bytes: Buffer): void {
    this.#take(stream, this.#characters[stream].push(bytes));
    if (this.outputBytes > this.#options.limits.maxOutputBytes) void this.stop('too-much-output');
  }

  #take(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#kept.append(stream, bytes);
    if (this.#file !== undefined) this.#writeToFile(bytes);
    else if (this.outputBytes > this.#options.limits.fileThresholdBytes) this.#openFile();
    for (const listener of this.#listeners) listener({ stream, bytes });
  }

  #flushCharacters(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#take(stream, this.#characters[stream].flush());
  }

  /** Memory still holds everything at this moment: the threshold is far below what it keeps. */
  #openFile(): void {
    if (this.#file !== undefined) return;
    this.#file = new OutputFile(this.#options.outputPath, this.#options.limits.maxFileBytes);
    for (const { bytes } of this.#kept.since(0).segments) this.#writeToFile(bytes);
  }

  #writeToFile(bytes: Buffer): void {
    const file = this.#file;
    if (!file?.write(bytes) || this.#isWaitingForDisk) return;
    this.#isWaitingForDisk = true;
    this.#process?.pause();
    file.onRelief(() => {
      this.#isWaitingForDisk = false;
      this.#process?.resume();
    });
  }
}

function hasGroup(leaderPid: number): boolean {
  try {
    return process.kill(-leaderPid, 0);
  } catch {
    return false;
  }
}
