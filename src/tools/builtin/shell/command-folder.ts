import { stat } from 'node:fs/promises';
import type { ToolContext } from '../../tool-context.ts';
import type { CommandArguments } from './command-arguments.ts';
import { ShellFault } from './shell-fault.ts';
import { shellJobs } from './shell-jobs.ts';

type Wanted = Pick<CommandArguments, 'working_directory' | 'new_session'>;

/** Where a command would start, as it is meant; noted, so that the run can be held to it. */
export async function claimCommandFolder(args: Wanted, context: ToolContext): Promise<string> {
  const folder = await meantFolder(args, context);
  const { realPath } = await context.workspace.resolve(folder);
  context.resources.get(shellJobs).claimFolder(context.callId, realPath);
  return folder;
}

/** The real folder, now; a fault when it is not the one that was asked about. */
export async function useCommandFolder(args: Wanted, context: ToolContext): Promise<string> {
  const meant = await meantFolder(args, context);
  const { realPath, isInside } = await context.workspace.resolve(meant);
  const claimed = context.resources.get(shellJobs).claimedFolder(context.callId);
  if (claimed === undefined ? !isInside : claimed !== realPath)
    throw new ShellFault(
      'DENIED',
      `${meant} leads to ${realPath}, where this call may not run; use a folder of the workspace ${context.workspace.root}.`,
    );
  const found = await stat(realPath).catch(() => undefined);
  if (found === undefined)
    throw new ShellFault('ENOENT', `There is no folder ${meant}; list its parent to see what is there.`);
  if (!found.isDirectory())
    throw new ShellFault('ENOTDIR', `${meant} is a file; working_directory must be a folder.`);
  return realPath;
}

async function meantFolder(args: Wanted, context: ToolContext): Promise<string> {
  const { workspace } = context;
  if (args.working_directory !== undefined) return workspace.absolute(args.working_directory);
  const last = context.resources.get(shellJobs).folderOf(workspace.root);
  if (last === undefined || args.new_session) return workspace.root;
  const exists = await stat(last).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return exists ? last : workspace.root;
}
