import path from 'node:path';
import { omitUndefined } from '../../../core/index.ts';
import { sandboxArgv, sandboxProbe, sandboxSettings, workspacePolicy } from '../../sandbox/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { CommandArguments } from './command-arguments.ts';
import { ShellFault } from './shell-fault.ts';
import type { ShellJob } from './shell-job.ts';
import { shellJobs } from './shell-jobs.ts';
import { startOnPipes } from './shell-process.ts';
import { FolderNote, findShell, noteFolder } from './shell-script.ts';
import { startOnTerminal } from './terminal-process.ts';

/** Without a terminal nothing may wait for keys: no pager, no prompt, no colours. */
const WITHOUT_TERMINAL = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/** Starts the command as a job of the runtime. */
export async function startCommand(
  args: CommandArguments,
  cwd: string,
  context: ToolContext,
): Promise<ShellJob> {
  const jobs = context.resources.get(shellJobs);
  const shell = findShell(context.env.PATH ?? '', (folder) => !context.workspace.contains(folder));
  const isTerminal = args.stdin === 'pty';
  // A terminal passes on its three descriptors only.
  const note = isTerminal ? undefined : FolderNote.open(path.join(context.stateFolder, 'shell'));
  try {
    const script = note === undefined ? args.command : noteFolder(args.command, shell);
    const argv = await intoSandbox([shell.file, '-c', script], cwd, context);
    const start = isTerminal ? startOnTerminal : startOnPipes;
    const base = { ...context.env, ...(isTerminal ? {} : WITHOUT_TERMINAL), ...args.env, PWD: cwd };
    return await jobs.start({
      command: args.command,
      cwd,
      nowMs: context.nowMs,
      stateFolder: context.stateFolder,
      start: (mark, onOutput) =>
        start(
          omitUndefined({
            argv,
            cwd,
            env: { ...base, ...mark },
            hasInput: args.stdin === 'pipe',
            noteDescriptor: note?.descriptor,
          }),
          onOutput,
        ),
      readFolder: () => note?.take(),
    });
  } catch (error) {
    note?.close();
    throw error;
  }
}

async function intoSandbox(
  argv: readonly string[],
  cwd: string,
  context: ToolContext,
): Promise<readonly string[]> {
  const settings = context.resources.get(sandboxSettings);
  if (!settings.isOn) return argv;
  const status = await context.resources.get(sandboxProbe).status(context.env.PATH ?? '');
  if (!status.isAvailable)
    throw new ShellFault(
      'UNAVAILABLE',
      `Commands must run in a sandbox, and there is none: ${status.reason} Nothing was run.`,
    );
  const places = { workspaceRoot: context.workspace.root, stateFolder: context.stateFolder };
  return sandboxArgv(status, await workspacePolicy(places, settings), { argv, cwd });
}
