// AWAIT (62) for commands at the client. No exec reads a command in the background; the client's own terminal file does,
// and a signal ends it. Sub-agents are awaited by their own tool.
import { isJsonObject, type JsonObject, omitUndefined } from '../../../core/index.ts';
import { readJobId } from '../../builtin/shell/job-id.ts';
import { SHELL_LIMITS } from '../../builtin/shell/shell-limits.ts';
import { asOnScreen } from '../../builtin/shell/show-output.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { trimMiddle } from '../../trim-output.ts';
import { wholeContent } from '../files/read-file.ts';
import type { BackgroundShell } from '../remote-session.ts';
import { defineRemoteTool, type RemoteCall } from '../remote-tool.ts';
import { runExec, sendExec } from '../run-exec.ts';
import { readTerminalFile, type TerminalFile } from './terminal-file.ts';

interface AwaitArguments {
  readonly task_id?: string;
  readonly block_until_ms?: number;
  readonly pattern?: string;
  readonly stop?: boolean;
}

const LOOK_EVERY_MS = 1_000;
/** How long a command that is told to end is given before it is called still running. */
const STOP_GRACE_MS = 5_000;

export const awaitJob = defineRemoteTool<AwaitArguments>('await', {
  async run(args, call) {
    return { outcome: await awaitOne(args, call) };
  },
});

async function awaitOne(args: AwaitArguments, call: RemoteCall): Promise<ToolOutcome> {
  const { session, signal } = call;
  const usual = args.stop === true ? STOP_GRACE_MS : SHELL_LIMITS.foregroundMs;
  const waitMs = Math.min(args.block_until_ms ?? usual, SHELL_LIMITS.longestWaitMs);
  const id = args.task_id === undefined ? undefined : readJobId(args.task_id);
  if (args.task_id === undefined) {
    if (args.stop === true || args.pattern !== undefined)
      return fail('EINVAL', `task_id is needed. ${known(call)}`);
    await session.wait(waitMs, signal);
    return succeed(`Waited ${Math.round(waitMs / 100) / 10} s.`);
  }
  if (id === undefined) return fail('ENOENT', `${args.task_id} is not the id of a command. ${known(call)}`);
  const shell = session.shells.get(id);
  if (args.stop === true) {
    const problem = await stop(id, shell, call);
    if (problem) return problem;
  }
  return look(id, { ...args, waitMs }, call);
}

async function look(
  id: number,
  args: AwaitArguments & { readonly waitMs: number },
  call: RemoteCall,
): Promise<ToolOutcome> {
  const { session, signal } = call;
  const pattern = args.pattern === undefined ? undefined : readPattern(args.pattern);
  if (pattern === null) return fail('EINVAL', `pattern is not a regular expression: ${args.pattern}`);
  const until = session.nowMs() + args.waitMs;
  for (;;) {
    const file = await readOutput(id, call);
    if ('ok' in file) return file;
    const match = pattern?.exec(file.output)?.[0];
    const left = until - session.nowMs();
    if (file.isEnded || match !== undefined || left <= 0) return report(id, file, match, call);
    await session.wait(Math.min(LOOK_EVERY_MS, left), signal);
    signal.throwIfAborted();
  }
}

/** Null for one that does not compile. */
function readPattern(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, 'm');
  } catch {
    return null;
  }
}

async function readOutput(id: number, call: RemoteCall): Promise<TerminalFile | ToolOutcome> {
  const { folder, port } = call.session;
  const terminals = port.requestContext?.env?.terminalsFolder ?? '';
  if (terminals === '')
    return fail(
      'UNAVAILABLE',
      `The client does not say where it keeps the output of command ${id}. Start the command again with its output in a file, and read that file.`,
    );
  const path = folder.join(terminals, `${id}.txt`);
  const content = wholeContent(await sendExec(call, 'read', { path }));
  if (content === undefined)
    return fail('ENOENT', `The output of command ${id} cannot be read (${path}). ${known(call)}`);
  return readTerminalFile(content.toString('utf8'));
}

function report(id: number, file: TerminalFile, match: string | undefined, call: RemoteCall): ToolOutcome {
  const { session } = call;
  const shell = session.shells.get(id);
  const from = shell?.readPosition ?? 0;
  if (shell) shell.readPosition = file.output.length;
  const runtimeMs = shell === undefined ? undefined : Math.round(session.nowMs() - shell.startedAtMs);
  const shown = trimMiddle(asOnScreen(file.output.slice(from)), SHELL_LIMITS.maxContentCharacters).text;
  const notes = [
    ...(match === undefined ? [] : [`[matched: ${match.slice(0, 200)}]`]),
    file.isEnded ? `[ended with exit code ${file.exitCode ?? 'unknown'}]` : '[still running]',
  ];
  const state: JsonObject = omitUndefined({
    runtime_ms: runtimeMs,
    output_length: file.output.length,
    regex_match: match,
    exit_code: file.exitCode,
  });
  return succeed([shown.replace(/\n$/, '') || '(no new output)', ...notes].join('\n'), {
    data: file.isEnded ? { complete: state } : { still_running: state },
  });
}

/** The whole group first, as a command in the background leads one; its own process where it does not. */
async function stop(
  id: number,
  shell: BackgroundShell | undefined,
  call: RemoteCall,
): Promise<ToolOutcome | undefined> {
  if (shell?.pid === undefined)
    return fail(
      'UNAVAILABLE',
      `The process of command ${id} is not known here; end it with run_terminal_command and pkill. ${known(call)}`,
    );
  const { outcome } = await runExec(call, 'shell', {
    command: `kill -TERM -- -${shell.pid} 2>/dev/null || kill -TERM ${shell.pid}`,
    working_directory: call.session.folder.root,
    timeout_ms: SHELL_LIMITS.foregroundMs,
    timeout_behavior: 'cancel',
    stdin: 'closed',
    description: 'End a command in the background',
  });
  if (outcome.ok) return undefined;
  const ran = isJsonObject(outcome.data) && outcome.data.exit_code !== undefined;
  return ran ? undefined : outcome;
}

function known({ session }: RemoteCall): string {
  const ids = [...session.shells.keys()];
  return ids.length === 0 ? 'No command is in the background.' : `In the background: ${ids.join(', ')}.`;
}
