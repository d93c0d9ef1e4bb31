import { defineTool } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { ToolOutcome } from '../../tool-outcome.ts';
import { awaitOutput } from './await-output.ts';
import { type CommandArguments, commandArguments } from './command-arguments.ts';
import { claimCommandFolder, useCommandFolder } from './command-folder.ts';
import { reportEnded, reportInBackground } from './command-report.ts';
import { OutputRelay } from './output-relay.ts';
import { ShellFault } from './shell-fault.ts';
import type { JobEnd, ShellJob } from './shell-job.ts';
import { shellJobs } from './shell-jobs.ts';
import { quoteWord } from './shell-script.ts';
import { startCommand } from './start-command.ts';

export const runTerminalCommand = defineTool<CommandArguments>({
  number: 15,
  name: 'run_terminal_command',
  description: `Run a command line with bash on the user's machine.
- It starts in working_directory, else in the workspace root or where the last cd of an earlier command led; a cd lasts, variables and functions do not. Quote paths with spaces.
- A command that is not done after timeout_ms (30 seconds) goes on in the background; the answer then has its id. Read what it prints with await, send input with write_shell_stdin. Set is_background for servers and watchers instead of ending the command with &.
- There is no terminal and no input unless stdin says so: pass flags such as --yes, and do not start editors or pagers.
- Output and errors come back together with the exit code. Of a long output you get the start and the end, and the file that holds all of it.
- To read, search or change files use the tools made for that.`,
  args: commandArguments,
  risk: 'execute',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  async touches(args, context) {
    return [{ type: 'command', command: judgedCommand(args), cwd: await claimCommandFolder(args, context) }];
  },
  async run(args, context) {
    try {
      if (context.signal.aborted)
        throw new ShellFault('ECANCELED', 'The call was cancelled before the command started.');
      const job = await startCommand(args, await useCommandFolder(args, context), context);
      return await follow(job, args, context);
    } catch (error) {
      return ShellFault.outcome(error);
    }
  },
  preview: (args) => judgedCommand(args),
});

/** What the policy must see: added variables can change what the command does as much as its words. */
function judgedCommand(args: CommandArguments): string {
  const additions = Object.entries(args.env ?? {}).map(([name, value]) => `${name}=${quoteWord(value)}\n`);
  return `${additions.join('')}${args.command}`;
}

async function follow(job: ShellJob, args: CommandArguments, context: ToolContext): Promise<ToolOutcome> {
  const jobs = context.resources.get(shellJobs);
  if (args.hard_timeout_ms !== undefined) stopAfter(job, args.hard_timeout_ms);
  const mayGoOn = args.timeout_behavior !== 'cancel';
  const wanted = args.timeout_ms ?? (mayGoOn ? jobs.limits.foregroundMs : jobs.limits.longestWaitMs);
  const timeLimitMs = Math.min(wanted, jobs.limits.longestWaitMs);
  if (args.is_background || (mayGoOn && timeLimitMs === 0)) {
    job.moveToBackground();
    return reportInBackground(job, context, 'asked');
  }
  const relay = new OutputRelay((update) => context.progress(update));
  const off = job.onOutput((segment) => relay.push(segment));
  try {
    const result = await awaitOutput(job, { timeLimitMs, signal: context.signal });
    if (result.why === 'time-limit' && mayGoOn) {
      job.moveToBackground();
      return await reportInBackground(job, context, 'time-limit');
    }
    if (result.why !== 'ended') await job.stop(result.why === 'aborted' ? 'cancelled' : 'timed-out');
    const end = await job.ended();
    rememberFolder(job, end, context);
    return await reportEnded(job, end, context);
  } finally {
    off();
    relay.end();
    jobs.forget(job);
  }
}

/** A cd lasts; a working_directory is for its own command alone. */
function rememberFolder(job: ShellJob, end: JobEnd, context: ToolContext): void {
  if (end.folder !== undefined && end.folder !== job.cwd)
    context.resources.get(shellJobs).setFolder(context.workspace.root, end.folder);
}

function stopAfter(job: ShellJob, limitMs: number): void {
  // Longer than a timer can count is longer than anyone waits.
  const timer = setTimeout(() => void job.stop('timed-out'), Math.min(limitMs, 2 ** 31 - 1));
  timer.unref();
  void job.ended().then(() => clearTimeout(timer));
}
