import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { type Attachments, fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { trimMiddle } from '../../trim-output.ts';
import { type OutputStream, textOfSegments } from './kept-output.ts';
import type { JobEnd, ShellJob } from './shell-job.ts';
import { shellJobs } from './shell-jobs.ts';
import { showOutput } from './show-output.ts';

/** `RunTerminalCommandEndedReason` of aiserver.v1. */
const ENDED_REASONS = {
  completed: 'execution_completed',
  stopped: 'execution_aborted',
  'timed-out': 'execution_aborted',
  cancelled: 'execution_aborted',
  'too-much-output': 'execution_aborted',
} as const;

/** A command that ran to its end succeeded as a call, whatever its exit code; one that was ended from outside did not. */
export async function reportEnded(job: ShellJob, end: JobEnd, context: ToolContext): Promise<ToolOutcome> {
  await job.flushOutput();
  const shown = shownOutput(job, context);
  const notes = [...endNotes(job, end), ...folderNote(job, end, context)];
  const content = [shown === '' && notes.length === 0 ? '(no output)' : shown, ...notes]
    .filter((line) => line !== '')
    .join('\n');
  const more = { attachments: attachmentsOf(job, end), data: dataOf(job, end, context) };
  switch (end.reason) {
    case 'completed':
    case 'stopped':
      return succeed(content, more);
    case 'timed-out':
      return fail('ETIMEDOUT', content, more);
    case 'cancelled':
      return fail('ECANCELED', content, more);
    case 'too-much-output':
      return fail('EFBIG', content, more);
  }
}

export async function reportInBackground(
  job: ShellJob,
  context: ToolContext,
  why: 'asked' | 'time-limit',
): Promise<ToolOutcome> {
  await job.flushOutput();
  const shown = shownOutput(job, context);
  job.readPosition = job.outputBytes;
  const seconds = inSeconds(context.nowMs() - job.startedAtMs);
  const note =
    why === 'asked'
      ? `[running in the background with id ${job.id}, pid ${job.pid}`
      : `[not done after ${seconds}; it goes on in the background with id ${job.id}, pid ${job.pid}`;
  const remedy = `read on with await {"task_id": "${job.id}"}; end it with "stop": true]`;
  const content = [shown, `${note}; ${remedy}`].filter((line) => line !== '').join('\n');
  return succeed(content, {
    attachments: {
      ...attachmentsOf(job, undefined),
      duration_ms: Math.round(context.nowMs() - job.startedAtMs),
    },
    data: {
      ...dataOf(job, undefined, context),
      popped_out_into_background: why === 'time-limit',
    },
  });
}

/** How it ended and what it left, in words; nothing for a plain success. */
export function endNotes(job: ShellJob, end: JobEnd): string[] {
  return [...howEnded(job, end), ...leftNote(job, end)];
}

function howEnded(job: ShellJob, end: JobEnd): string[] {
  const after = `after ${inSeconds(end.durationMs)}`;
  switch (end.reason) {
    case 'timed-out':
      return [`[stopped ${after}: time limit; exit code ${end.exitCode}]`];
    case 'cancelled':
      return [`[cancelled ${after}; exit code ${end.exitCode}]`];
    case 'stopped':
      return [`[stopped ${after}; exit code ${end.exitCode}]`];
    case 'too-much-output':
      return [
        `[stopped ${after}: it printed ${job.outputBytes} bytes, more than allowed; print less, e.g. through head]`,
      ];
    case 'completed':
      if (end.signal !== undefined) return [`[killed by ${end.signal}; exit code ${end.exitCode}]`];
      return end.exitCode === 0 ? [] : [`[exit code ${end.exitCode}]`];
  }
}

export function leftNote(job: ShellJob, end: JobEnd): string[] {
  if (end.leftRunning === 0) return [];
  return [
    `[${end.leftRunning} of its processes still run; end them with await {"task_id": "${job.id}", "stop": true}]`,
  ];
}

function folderNote(job: ShellJob, end: JobEnd, context: ToolContext): string[] {
  if (end.folder === undefined || end.folder === job.cwd) return [];
  return [`[now in ${context.workspace.display(end.folder)}]`];
}

function shownOutput(job: ShellJob, context: ToolContext): string {
  const { maxContentCharacters } = context.resources.get(shellJobs).limits;
  return showOutput(job.outputSince(0), maxContentCharacters, job.outputHint).replace(/\n$/, '');
}

export function attachmentsOf(job: ShellJob, end: JobEnd | undefined): Attachments {
  return omitUndefined({
    exit_code: end?.exitCode,
    duration_ms: end?.durationMs,
    pid: job.pid,
    cwd: end?.folder ?? job.cwd,
    size_bytes: job.outputBytes,
    output_location: job.outputLocation?.file_path,
    shell_id: end === undefined || end.leftRunning > 0 ? job.id : undefined,
  });
}

/** Fields of `RunTerminalCommandV2Result` and `agent.v1.ShellSuccess`, under their wire names. */
function dataOf(job: ShellJob, end: JobEnd | undefined, context: ToolContext): JsonObject {
  const { maxContentCharacters } = context.resources.get(shellJobs).limits;
  const { segments } = job.outputSince(0);
  const text = (stream?: OutputStream) =>
    trimMiddle(textOfSegments(segments, stream), maxContentCharacters).text;
  const location = job.outputLocation;
  return omitUndefined({
    command: job.command,
    working_directory: job.cwd,
    output: text(),
    stdout: text('stdout'),
    stderr: text('stderr'),
    exit_code: end?.exitCode,
    signal: end?.signal,
    execution_time: end?.durationMs,
    pid: job.pid,
    is_running_in_background: end === undefined,
    background_shell_id: end === undefined ? job.id : undefined,
    resulting_working_directory: end?.folder ?? job.cwd,
    ended_reason: end && ENDED_REASONS[end.reason],
    timed_out: end && end.reason === 'timed-out',
    aborted: end && end.reason !== 'completed',
    output_location: location && { ...location },
  });
}

export function inSeconds(durationMs: number): string {
  return `${Math.round(durationMs / 100) / 10} s`;
}
