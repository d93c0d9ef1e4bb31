// `agent.v1.ShellResult`: success and failure are told apart by the exit code, and a command that was stopped is a
// failure with its output. Guessed: that the whole output for the model may stand in `interleaved_output`.
import type { JsonObject } from '../../core/index.ts';
import { fail, succeed, type ToolOutcome } from '../tool-outcome.ts';
import { present } from './call-form.ts';
import type { LooseFields } from './message-json.ts';
import { objectAt } from './search-forms.ts';

/** Nothing for a command that never ran: it left no data, and is refused or failed like any other call. */
export function encodeShell(outcome: ToolOutcome): LooseFields {
  const { data } = outcome;
  if (!outcome.ok && data?.command === undefined) return {};
  const isFine = outcome.ok && (data?.exit_code ?? 0) === 0;
  const { command, working_directory, exit_code, signal, stdout, stderr, execution_time, pid } = data ?? {};
  const ran = present({
    command,
    working_directory,
    exit_code,
    signal,
    stdout,
    stderr,
    execution_time,
    output_location: data?.output_location,
    interleaved_output: outcome.ok ? outcome.content : outcome.error.message,
  });
  const background = { pid, is_background: data?.is_running_in_background };
  if (isFine)
    return { ...background, success: { ...ran, ...present({ shell_id: data?.background_shell_id }) } };
  const abort_reason = outcome.ok ? undefined : outcome.error.code === 'ETIMEDOUT' ? 'timeout' : 'user_abort';
  return { ...background, failure: { ...ran, ...present({ abort_reason, aborted: !outcome.ok }) } };
}

export function decodeShell(result: JsonObject): ToolOutcome {
  const isFailure = result.failure !== undefined;
  const ran = objectAt(result, isFailure ? 'failure' : 'success');
  const { interleaved_output, shell_id, abort_reason, aborted, ...facts } = ran;
  const output = [ran.stdout, ran.stderr].filter((text) => typeof text === 'string').join('\n');
  const content = typeof interleaved_output === 'string' ? interleaved_output : output;
  const isRunning = result.is_background === true;
  const data = present({
    ...facts,
    // An exit code of 0 is not written; one that is missing because the command still runs is no 0.
    exit_code: facts.exit_code ?? (isRunning ? undefined : 0),
    is_running_in_background: isRunning,
    background_shell_id: shell_id,
    pid: result.pid,
    aborted,
  });
  if (aborted === true)
    return fail(abort_reason === 'timeout' ? 'ETIMEDOUT' : 'ECANCELED', content, { data });
  return succeed(content, { data });
}
