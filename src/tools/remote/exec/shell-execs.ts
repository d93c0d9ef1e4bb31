// Execs of shell commands that answer with one message. Known from public reconstructions and from the official SDK,
// which refuses a command without a parsing result.
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import { AGENT_CALLS } from '../../codecs/agent-calls.ts';
import { decodeShell, encodeShell } from '../../codecs/agent-shell-result.ts';
import { named, present } from '../../codecs/call-form.ts';
import type { LooseFields } from '../../codecs/message-json.ts';
import { objectAt } from '../../codecs/search-forms.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import type { ExecForm } from './exec-form.ts';
import { parseCommand } from './parse-command.ts';

const SHELL_CALL = AGENT_CALLS.run_terminal_command ?? named();
const STDIN_CALL = AGENT_CALLS.write_shell_stdin ?? named();
/** Beyond this the client may keep the output in a file of its own and say where. */
const FILE_OUTPUT_THRESHOLD_BYTES = 40_000;

export function encodeShellArgs(args: JsonObject): LooseFields {
  const { names: _names, ...parsed } = parseCommand(String(args.command ?? ''));
  return {
    ...SHELL_CALL.encode(args),
    ...parsed,
    file_output_threshold_bytes: FILE_OUTPUT_THRESHOLD_BYTES,
  };
}

export const SHELL: ExecForm = {
  args: 'shell_args',
  result: 'shell_result',
  tool: 'run_terminal_command',
  encodeArgs: encodeShellArgs,
  decodeArgs: SHELL_CALL.decode,
  encodeResult: encodeShell,
  encodeFailure: encodeShell,
  decodeResult: (result) => withExitCode(decodeShell(result)),
};

/** The text of a client is the output alone; models need to know how it ended, too. */
function withExitCode(outcome: ToolOutcome): ToolOutcome {
  if (!outcome.ok)
    return outcome.error.message === ''
      ? fail(
          outcome.error.code,
          '[stopped before it ended, without output]',
          omitUndefined({ data: outcome.data }),
        )
      : outcome;
  const code = outcome.data?.exit_code ?? 0;
  const note = `[exit code ${code}]`;
  const output = outcome.content.replace(/\n$/, '');
  if (code === 0 || output.endsWith(note))
    return { ...outcome, content: output === '' ? '(no output)' : output };
  return { ...outcome, content: output === '' ? note : `${output}\n${note}` };
}

export const BACKGROUND_SHELL: ExecForm = {
  args: 'background_shell_spawn_args',
  result: 'background_shell_spawn_result',
  tool: 'run_terminal_command',
  encodeArgs: (args) => ({
    ...named('command', 'working_directory', 'description').encode(args),
    parsing_result: parseCommand(String(args.command ?? '')).parsing_result,
    enable_write_shell_stdin_tool: args.stdin === 'pipe' || args.stdin === 'pty' ? true : undefined,
  }),
  decodeArgs: (fields) => ({
    ...named('command', 'working_directory', 'description').decode(fields),
    is_background: true,
    stdin: fields.enable_write_shell_stdin_tool === true ? 'pipe' : undefined,
  }),
  encodeResult: ({ data }) => ({
    success: present({
      shell_id: data?.background_shell_id,
      command: data?.command,
      working_directory: data?.working_directory,
      pid: data?.pid,
    }),
  }),
  decodeResult(result, args) {
    const { shell_id, command, working_directory, pid } = objectAt(result, 'success');
    const id = shell_id ?? 0;
    const data = present({
      command: command ?? args.command,
      working_directory: working_directory ?? args.working_directory,
      is_running_in_background: true,
      background_shell_id: id,
      pid,
    });
    return succeed(
      `[running in the background with id ${id}${pid === undefined ? '' : `, pid ${pid}`}; read on with await {"task_id": "${id}"}; end it with "stop": true]`,
      { data },
    );
  },
};

export const SHELL_STDIN: ExecForm = {
  args: 'write_shell_stdin_args',
  result: 'write_shell_stdin_result',
  tool: 'write_shell_stdin',
  encodeArgs: STDIN_CALL.encode,
  decodeArgs: STDIN_CALL.decode,
  encodeResult: ({ data }) => ({ ...(data ?? { success: {} }) }),
  decodeResult: (result, args) =>
    succeed(`Sent to command ${args.shell_id}; read what it answers with await.`, {
      data: { success: objectAt(result, 'success') },
    }),
};
