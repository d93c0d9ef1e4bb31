// What is sent for a command. The working directory is always the workspace, which exists: the official SDK falls with its
// host process when a command is given a directory that does not, so any other one is entered by the command itself.

import type { CommandArguments } from '../../builtin/shell/command-arguments.ts';
import { quoteWord } from '../../builtin/shell/shell-script.ts';
import type { RemoteFolder } from '../remote-folder.ts';

export interface CommandLine {
  readonly command: string;
  readonly working_directory: string;
}

/** `folder` is where the command is meant to run. */
export function commandLine(
  { env = {}, command }: CommandArguments,
  folder: string,
  workspace: RemoteFolder,
): CommandLine {
  // An exec names no environment.
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quoteWord(value)}\n`);
  const isElsewhere = workspace.root !== '' && folder !== workspace.root && folder.startsWith('/');
  const entry = isElsewhere ? `cd -- ${quoteWord(folder)} || exit 1\n` : '';
  return {
    command: `${entry}${variables.join('')}${command}`,
    working_directory: isElsewhere ? workspace.root : folder,
  };
}

/** Whether the command never ran because its folder was not there. */
export function lostFolder(stderr: unknown, folder: string): boolean {
  return typeof stderr === 'string' && stderr.includes(`cd: ${folder}: `);
}
