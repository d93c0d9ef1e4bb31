/** Every bound of the shell in one place; a test may tighten them. */
export interface ShellLimits {
  /** How long a call waits before the command goes on in the background. */
  readonly foregroundMs: number;
  /** The longest that any one call waits, and the end of a command that may not go on in the background. */
  readonly longestWaitMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
  /** Of one job's output in memory: half of it from the start, half from the end. */
  readonly maxKeptBytes: number;
  /** Beyond this the whole output is in a file, too. */
  readonly fileThresholdBytes: number;
  /** The file stops growing here; the end is still kept in memory. */
  readonly maxFileBytes: number;
  /** A command that prints more than this is stopped. */
  readonly maxOutputBytes: number;
  /** What a model reads of one answer. */
  readonly maxContentCharacters: number;
  readonly maxLiveJobs: number;
  /** Jobs that have ended and can still be asked about. */
  readonly maxEndedJobs: number;
}

const KIB = 1024;
const MIB = KIB * KIB;

export const SHELL_LIMITS: ShellLimits = {
  foregroundMs: 30_000,
  longestWaitMs: 600_000,
  killGraceMs: 2_000,
  maxKeptBytes: MIB,
  fileThresholdBytes: 40_000,
  maxFileBytes: 128 * MIB,
  // Enough to page through a log of two gigabytes; an endless printer reaches it within seconds.
  maxOutputBytes: 3 * KIB * MIB,
  maxContentCharacters: 40_000,
  maxLiveJobs: 64,
  maxEndedJobs: 64,
};
