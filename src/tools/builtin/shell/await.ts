import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { awaitOutput, type WaitResult } from './await-output.ts';
import { attachmentsOf, endNotes, inSeconds, leftNote } from './command-report.ts';
import { readJobId } from './job-id.ts';
import { OutputPattern } from './output-pattern.ts';
import { OutputRelay } from './output-relay.ts';
import { ShellFault } from './shell-fault.ts';
import type { JobEnd, ShellJob } from './shell-job.ts';
import { shellJobs } from './shell-jobs.ts';
import { showOutput } from './show-output.ts';

const ID_NAMES = ['shell_id', 'bash_id', 'job_id', 'session_id', 'id', 'taskId'];

const args = toolArguments(
  {
    task_id: z
      .string()
      .optional()
      .describe('Id of a command in the background; when left out, nothing is awaited but the time.'),
    block_until_ms: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('How long to wait, in milliseconds: 30000 when left out, 600000 at most, 0 only looks.'),
    pattern: z
      .string()
      .min(1)
      .optional()
      .describe('Stop waiting when this regular expression (JavaScript, multiline) matches its output.'),
    stop: z.boolean().optional().describe('End the command and all that it started, then return.'),
  },
  {
    aliases: {
      task_id: ID_NAMES,
      block_until_ms: ['timeout_ms', 'timeout', 'wait_ms', 'blockUntilMs'],
      pattern: ['regex', 'filter'],
      stop: ['kill'],
    },
    ignored: ['description', 'block'],
    rewrite(given) {
      for (const name of ['task_id', ...ID_NAMES])
        if (typeof given[name] === 'number') given[name] = String(given[name]);
      if (given.block === false) given.block_until_ms ??= 0;
    },
  },
);

type AwaitArguments = z.output<typeof args>;

export const awaitJob = defineTool<AwaitArguments>({
  number: 62,
  name: 'await',
  description: `Wait for a command in the background and read what it has printed since the last look.
- Returns when the command ends, when pattern matches its output, or when block_until_ms is over; the command then goes on.
- For a server wait for the line that says it is ready, e.g. pattern "listening on". With block_until_ms 0 it only looks.
- stop ends the command with everything it started.`,
  args,
  risk: 'none',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: () => [],
  async run(given, context) {
    try {
      const { limits } = context.resources.get(shellJobs);
      const timeLimitMs = Math.min(given.block_until_ms ?? limits.foregroundMs, limits.longestWaitMs);
      if (given.task_id === undefined) return await sleep(given, timeLimitMs, context);
      return await awaitOne(given.task_id, given, timeLimitMs, context);
    } catch (error) {
      return ShellFault.outcome(error);
    }
  },
});

async function sleep(given: AwaitArguments, timeLimitMs: number, context: ToolContext): Promise<ToolOutcome> {
  if (given.block_until_ms === 0 || given.pattern !== undefined || given.stop) {
    const jobs = context.resources.get(shellJobs).list();
    const known = jobs.filter((job) => job.isInBackground).map((job) => job.id);
    const list = known.length === 0 ? 'none is in the background' : `in the background: ${known.join(', ')}`;
    return fail('EINVAL', `task_id is needed to look at, match or stop a command (${list}).`);
  }
  const started = context.nowMs();
  await wait(timeLimitMs, undefined, { signal: context.signal }).catch(() => undefined);
  if (context.signal.aborted) return fail('ECANCELED', 'The wait was cancelled.');
  const waitedMs = Math.round(context.nowMs() - started);
  return succeed(`Waited ${inSeconds(waitedMs)}.`, { attachments: { duration_ms: waitedMs } });
}

async function awaitOne(
  taskId: string,
  given: AwaitArguments,
  timeLimitMs: number,
  context: ToolContext,
): Promise<ToolOutcome> {
  const jobs = context.resources.get(shellJobs);
  const id = readJobId(taskId);
  if (id === undefined)
    throw new ShellFault('ENOENT', `${taskId} is not the id of a command; ids are numbers, e.g. "1".`);
  const job = jobs.find(id);
  if (given.stop) await job.stop('stopped');
  const pattern = given.pattern === undefined ? undefined : new OutputPattern(given.pattern);
  const relay = new OutputRelay((update) => context.progress(update));
  const off = job.onOutput((segment) => relay.push(segment));
  try {
    const options = omitUndefined({ timeLimitMs, signal: context.signal, pattern });
    const result = await awaitOutput(job, options);
    if (result.why === 'aborted')
      return fail('ECANCELED', `The wait was cancelled; command ${job.id} goes on.`);
    await job.flushOutput();
    return report(job, result, context);
  } finally {
    off();
    relay.end();
  }
}

function report(job: ShellJob, result: WaitResult, context: ToolContext): ToolOutcome {
  const jobs = context.resources.get(shellJobs);
  const shown = showOutput(jobs.readNew(job.id), jobs.limits.maxContentCharacters, job.outputHint);
  const runtimeMs = Math.round(job.end?.durationMs ?? context.nowMs() - job.startedAtMs);
  const match = result.why === 'matched' ? result.match : undefined;
  const notes = [
    ...(match === undefined ? [] : [`[matched: ${match.slice(0, 200)}]`]),
    ...(job.end === undefined ? [`[still running after ${inSeconds(runtimeMs)}]`] : endLines(job, job.end)),
  ];
  const state = omitUndefined({
    runtime_ms: runtimeMs,
    output_file_path: job.outputLocation?.file_path,
    output_length: job.outputBytes,
    regex_match: match,
    exit_code: job.end?.exitCode,
  });
  return succeed([shown.replace(/\n$/, '') || '(no new output)', ...notes].join('\n'), {
    attachments: { ...attachmentsOf(job, job.end), duration_ms: runtimeMs },
    data: job.end === undefined ? { still_running: state } : { complete: state },
  });
}

function endLines(job: ShellJob, end: JobEnd): string[] {
  if (end.reason !== 'completed' || end.signal !== undefined) return endNotes(job, end);
  return [`[ended after ${inSeconds(end.durationMs)} with exit code ${end.exitCode}]`, ...leftNote(job, end)];
}
