// A command that the user typed: it runs at the client, and the model hears of it when it is next spoken to.
import { create } from '@bufbuild/protobuf';
import { GatewayError, invalidRequest, userMessage } from '../../../core/index.ts';
import {
  type ShellArgs,
  ShellArgsSchema,
  ShellCommandParsingResultSchema,
} from '../../../gen/agent/v1/exec_shell_pb.ts';
import type { ExecResult } from '../../../native/remote-port.ts';
import type { PreparedRun } from './prepare-run.ts';
import { tellShell } from './tell-shell.ts';

const LOST = 'The connection was lost while the command ran; whether it took effect is not known.';

interface UserCommand {
  readonly command: string;
  readonly execId: string;
}

export async function runUserCommand({ command, execId }: UserCommand, run: PreparedRun): Promise<void> {
  if (command === '')
    throw invalidRequest(
      'The shell_command_action names no command; fill in shell_command.command.',
      'shell_command',
    );
  const { conversation, checkpoints, writer, link } = run;
  if (run.isAgain) {
    // It may have run, and must not run twice. When it is known how it ended, the conversation has it.
    if (!conversation.isAnswered) await writer.notice(LOST);
    await endHere(run);
    return;
  }
  await checkpoints.write();
  let stdout = '';
  let stderr = '';
  const onMessage = (message: ExecResult) => {
    if (message.case !== 'shellStream') return;
    const { event } = message.value;
    if (event.case === 'stdout') stdout += event.value.data;
    if (event.case === 'stderr') stderr += event.value.data;
  };
  const args = { case: 'shellStreamArgs' as const, value: shellArgs(command, run) };
  const last = await link.exec.request(args, { signal: link.signal, onMessage }, execId);
  const { exitCode, note } = readEnd(last);
  conversation.turns.addShell(command, { stdout, stderr: stderr || note, exitCode });
  const output = [stdout, stderr, note].filter((text) => text !== '').join('\n');
  conversation.append(
    userMessage(`I ran this command: ${command}\nExit code ${exitCode}. Output:\n${output}`),
  );
  conversation.markAnswered();
  await endHere(run);
}

async function endHere({ checkpoints, writer }: PreparedRun): Promise<void> {
  await checkpoints.write();
  await writer.endTurn(undefined);
}

/** Without a parsing result the official SDK refuses the command; without a directory it runs in the wrong one. */
function shellArgs(command: string, { port, link }: PreparedRun): ShellArgs {
  const env = port.requestContext?.env;
  return create(ShellArgsSchema, {
    command,
    workingDirectory: env?.workspacePaths[0] ?? env?.processWorkingDirectory ?? '',
    toolCallId: link.context.newId('call_'),
    parsingResult: create(ShellCommandParsingResultSchema),
    skipApproval: true,
  });
}

function readEnd(last: ExecResult): { exitCode: number; note: string } {
  if (last.case === 'shellResult') {
    const { result } = last.value;
    const hasCode = result.case === 'success' || result.case === 'failure';
    return { exitCode: hasCode ? result.value.exitCode : 1, note: tellShell(last.value) };
  }
  if (last.case !== 'shellStream') {
    const answer = last.case ?? 'nothing that is known';
    throw new GatewayError(
      'upstream-rejected',
      `The client answered the command with ${answer}; run it again.`,
    );
  }
  const { event } = last.value;
  if (event.case === 'exit')
    return { exitCode: event.value.code, note: event.value.aborted ? 'Aborted.' : '' };
  return { exitCode: 1, note: `The command did not run to its end (${event.case ?? 'no reason given'}).` };
}
