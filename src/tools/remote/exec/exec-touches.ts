// What an exec would do at the client, read from the message itself, in the words of the policy.
import type { ExecArgs } from '../../../native/remote-port.ts';
import { quoteWord } from '../../builtin/shell/shell-script.ts';
import type { Touch } from '../../tool.ts';
import type { RemoteSession } from '../remote-session.ts';

export function execTouches(args: ExecArgs, session: RemoteSession): readonly Touch[] {
  const { root } = session.folder;
  switch (args.case) {
    case 'readArgs':
    case 'lsArgs':
    case 'diagnosticsArgs':
      return [{ type: 'path', path: args.value.path || '.', access: 'read' }];
    case 'grepArgs':
      return [{ type: 'path', path: args.value.path || '.', access: 'read' }];
    case 'writeArgs':
      return [{ type: 'path', path: args.value.path, access: 'write' }];
    case 'deleteArgs':
      return [{ type: 'path', path: args.value.path, access: 'delete' }];
    case 'shellArgs':
    case 'shellStreamArgs':
    case 'backgroundShellSpawnArgs':
      return [{ type: 'command', command: args.value.command, cwd: args.value.workingDirectory || root }];
    case 'writeShellStdinArgs':
      return [typedInput(args.value.chars, args.value.shellId, session)];
    case 'fetchArgs':
      return [{ type: 'host', url: args.value.url }];
    case 'mcpArgs':
      return [{ type: 'mcp', server: args.value.providerIdentifier, tool: args.value.toolName }];
    case 'listMcpResourcesExecArgs':
      return args.value.server ? [{ type: 'mcp', server: args.value.server, tool: 'resources/list' }] : [];
    case 'readMcpResourceExecArgs': {
      const { server, downloadPath } = args.value;
      const read: Touch = { type: 'mcp', server, tool: 'resources/read' };
      return downloadPath ? [read, { type: 'path', path: downloadPath, access: 'write' }] : [read];
    }
    default:
      return []; // nothing that a rule could name; the tool's own name is judged all the same
  }
}

/** Judged with the command that reads it: input to a shell is code. */
function typedInput(chars: string, shellId: number, { shells, folder }: RemoteSession): Touch {
  const input = `printf %s ${quoteWord(chars)}`;
  const running = shells.get(shellId)?.command;
  const command = running === undefined ? `${input} | "$UNKNOWN_COMMAND"` : `${input} | {\n${running}\n}`;
  return { type: 'command', command, cwd: folder.root };
}
