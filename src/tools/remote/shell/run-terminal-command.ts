// RUN_TERMINAL_COMMAND (15) through `shell_stream_args`, or `background_shell_spawn_args` for commands that are meant to
// go on. Without a working directory the official SDK runs a command in the directory of its host process, so the
// workspace is always named; without a parsing result it refuses the command or, in one version, crashes.
import { create } from '@bufbuild/protobuf';
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import { ToolCallDeltaSchema } from '../../../gen/agent/v1/interaction_update_pb.ts';
import type { ExecResult } from '../../../native/remote-port.ts';
import type { CommandArguments } from '../../builtin/shell/command-arguments.ts';
import { SHELL_LIMITS } from '../../builtin/shell/shell-limits.ts';
import type { ToolOutcome } from '../../tool-outcome.ts';
import { decodeExecResult, execResultFields } from '../exec/exec-codec.ts';
import { parseCommand } from '../exec/parse-command.ts';
import { ShellStreamFold } from '../exec/shell-stream.ts';
import { defineRemoteTool, type RemoteCall } from '../remote-tool.ts';
import { runExec, sendExec } from '../run-exec.ts';
import { commandLine, lostFolder } from './command-line.ts';

export const runTerminalCommand = defineRemoteTool<CommandArguments>('run_terminal_command', {
  // The command as it was written: what is sent may enter a folder first.
  claims: (args, call) => [{ type: 'command', command: args.command, cwd: folderOf(args, call) }],
  async run(args, call) {
    const { session } = call;
    const folder = folderOf(args, call);
    if (args.new_session === true) session.memoryOf(call).shellFolder = session.folder.root;
    const sent = sentArguments(args, folder, call);
    if (args.is_background === true || args.timeout_ms === 0) {
      const { outcome } = await runExec(call, 'background-shell', sent);
      noteShell(outcome, args.command, call);
      return { outcome };
    }
    const outcome = await stream(sent, args, folder, call);
    noteShell(outcome, args.command, call);
    return { outcome: followFolder(outcome, folder, args, call) };
  },
});

function folderOf({ working_directory, new_session }: CommandArguments, call: RemoteCall): string {
  const { session } = call;
  if (working_directory !== undefined) return session.folder.absolute(working_directory);
  return new_session === true ? session.folder.root : session.memoryOf(call).shellFolder;
}

function sentArguments(args: CommandArguments, folder: string, call: RemoteCall): JsonObject {
  const { timeout_ms, timeout_behavior, hard_timeout_ms, description } = args;
  const mayGoOn = timeout_behavior !== 'cancel';
  const wanted = timeout_ms ?? (mayGoOn ? SHELL_LIMITS.foregroundMs : SHELL_LIMITS.longestWaitMs);
  return omitUndefined({
    ...commandLine(args, folder, call.session.folder),
    timeout_ms: Math.min(wanted, SHELL_LIMITS.longestWaitMs),
    timeout_behavior: timeout_behavior ?? 'background',
    hard_timeout_ms: hard_timeout_ms === undefined ? undefined : Math.min(hard_timeout_ms, 2 ** 31 - 1),
    stdin: args.stdin ?? 'closed',
    description,
  });
}

async function stream(
  sent: JsonObject,
  { command }: CommandArguments,
  folder: string,
  call: RemoteCall,
): Promise<ToolOutcome> {
  const { session } = call;
  const fold = new ShellStreamFold();
  const startedAtMs = session.nowMs();
  const onMessage = (message: ExecResult): void => {
    fold.add(execResultFields(message, 'shell_stream') ?? {});
    tell(message, call);
  };
  const last = await sendExec(call, 'shell-stream', sent, onMessage);
  // Some clients answer a streamed command with one result.
  if (last.case === 'shellResult') return decodeExecResult('shell', last, sent);
  return fold.outcome({ command, working_directory: folder }, session.nowMs() - startedAtMs);
}

/** A cd lasts. The reported folder counts only where the command changes it: not every client reports it truly. */
function followFolder(
  outcome: ToolOutcome,
  from: string,
  args: CommandArguments,
  call: RemoteCall,
): ToolOutcome {
  const { session } = call;
  const memory = session.memoryOf(call);
  if (args.working_directory === undefined && lostFolder(outcome.data?.stderr, from)) {
    memory.shellFolder = session.folder.root;
    return withNote(outcome, `[${from} is gone; the next command starts in the workspace again]`);
  }
  const folder = outcome.data?.resulting_working_directory;
  const mayChange = parseCommand(args.command).names.some((name) => ['cd', 'pushd', 'popd'].includes(name));
  if (!mayChange || typeof folder !== 'string' || folder === '' || folder === from) return outcome;
  memory.shellFolder = folder;
  return withNote(outcome, `[now in ${session.folder.display(folder)}]`);
}

function withNote(outcome: ToolOutcome, note: string): ToolOutcome {
  return outcome.ok ? { ...outcome, content: `${outcome.content}\n${note}` } : outcome;
}

function tell(message: ExecResult, call: RemoteCall): void {
  if (message.case !== 'shellStream') return;
  const { event } = message.value;
  if (event.case !== 'stdout' && event.case !== 'stderr') return;
  const text = event.value.data;
  call.onProgress({ text, stream: event.case });
  const delta = create(ToolCallDeltaSchema, {
    delta: {
      case: 'shellToolCallDelta',
      value: { delta: { case: event.case, value: { content: text } } },
    },
  });
  call.session.port.showDelta(call.callId, delta);
}

function noteShell(outcome: ToolOutcome, command: string, { session }: RemoteCall): void {
  const id = outcome.data?.background_shell_id;
  const pid = outcome.data?.pid;
  if (typeof id !== 'number') return;
  session.shells.set(id, {
    id,
    command,
    startedAtMs: session.nowMs(),
    readPosition: 0,
    ...(typeof pid === 'number' ? { pid } : {}),
  });
}
