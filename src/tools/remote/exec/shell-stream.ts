// `ShellStream`: the messages of one streamed command, folded into an outcome and made from one. Known from the official
// SDK: start, stdout and stderr, exit. On abort and time-out the exit code says nothing; `aborted` does.
import { type JsonObject, type JsonValue, omitUndefined } from '../../../core/index.ts';
import { KeptOutput, type OutputStream, textOfSegments } from '../../builtin/shell/kept-output.ts';
import { SHELL_LIMITS } from '../../builtin/shell/shell-limits.ts';
import { showOutput } from '../../builtin/shell/show-output.ts';
import { present } from '../../codecs/call-form.ts';
import type { LooseFields } from '../../codecs/message-json.ts';
import { listOf } from '../../codecs/result-form.ts';
import { objectAt } from '../../codecs/search-forms.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { trimMiddle } from '../../trim-output.ts';
import { execFailure } from './exec-failure.ts';

/** One message of the stream under its own field names. */
export type ShellStreamEvent = JsonObject;

export interface StreamedCommand {
  readonly command: string;
  readonly working_directory: string;
}

/** Holds the start and the end of the output, never more than a fixed size in between. */
export class ShellStreamFold {
  readonly #output = new KeptOutput(SHELL_LIMITS.maxKeptBytes);
  readonly #notes: string[] = [];
  #end: ShellStreamEvent | undefined;

  add(event: ShellStreamEvent): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = objectAt(event, stream).data;
      if (typeof text === 'string') this.#output.append(stream, Buffer.from(text));
    }
    for (const hook of listOf(objectAt(event, 'hook_context').hook_additional_contexts)) {
      if (typeof hook.content === 'string' && hook.content !== '')
        this.#notes.push(`[note of a hook: ${hook.content}]`);
    }
    if (
      ['exit', 'backgrounded', 'rejected', 'permission_denied', 'sandbox_unsupported'].some(
        (one) => one in event,
      )
    )
      this.#end = event;
  }

  outcome(ran: StreamedCommand, durationMs: number): ToolOutcome {
    const end = this.#end ?? {};
    const failure = execFailure(end);
    if (failure) return failure;
    const exit = objectAt(end, 'exit');
    const moved = objectAt(end, 'backgrounded');
    const facts = { ...this.#texts(), ...ran, execution_time: Math.round(durationMs) };
    if (end.backgrounded !== undefined) return this.#backgrounded(moved, facts);
    if (end.exit === undefined)
      return fail(
        'FAILED',
        this.#shown('[the client ended the stream without an exit code; see what it did]'),
        {
          data: { ...facts, aborted: true },
        },
      );
    const code = signed(Number(exit.code ?? 0));
    const location = exit.output_location;
    const data = present({
      ...facts,
      resulting_working_directory: exit.cwd,
      output_location: location,
      is_running_in_background: false,
      exit_code: exit.aborted === true ? undefined : code,
      aborted: exit.aborted === true,
    });
    const attachments = omitUndefined({
      exit_code: exit.aborted === true ? undefined : code,
      duration_ms: Math.round(durationMs),
    });
    if (exit.aborted === true) return this.#aborted(exit.abort_reason, { data, attachments });
    const note =
      code === 0 ? undefined : code < 0 ? '[killed; its exit code is not known]' : `[exit code ${code}]`;
    return succeed(this.#shown(note, locationHint(location)), { data, attachments });
  }

  #backgrounded(moved: JsonObject, facts: JsonObject): ToolOutcome {
    const id = moved.shell_id ?? 0;
    const data = present({
      ...facts,
      is_running_in_background: true,
      popped_out_into_background: true,
      background_shell_id: id,
      pid: moved.pid,
    });
    const note = `[not done yet; it goes on in the background with id ${id}${moved.pid === undefined ? '' : `, pid ${moved.pid}`}; read on with await {"task_id": "${id}"}; end it with "stop": true]`;
    return succeed(this.#shown(note), { data });
  }

  #aborted(
    reason: JsonValue | undefined,
    more: { readonly data: JsonObject; readonly attachments: Readonly<Record<string, number>> },
  ): ToolOutcome {
    return reason === 'timeout'
      ? fail(
          'ETIMEDOUT',
          this.#shown('[stopped: time limit; give it longer with timeout_ms, or run it in the background]'),
          more,
        )
      : fail('ECANCELED', this.#shown('[stopped by the user before it ended]'), more);
  }

  #texts(): { stdout: string; stderr: string } {
    const { segments } = this.#output.since(0);
    const text = (stream: OutputStream) =>
      trimMiddle(textOfSegments(segments, stream), SHELL_LIMITS.maxContentCharacters).text;
    return { stdout: text('stdout'), stderr: text('stderr') };
  }

  #shown(note?: string, hint = ''): string {
    const output = showOutput(this.#output.since(0), SHELL_LIMITS.maxContentCharacters, hint).replace(
      /\n$/,
      '',
    );
    const lines = [output, ...this.#notes, note ?? ''].filter((line) => line !== '');
    return lines.length === 0 ? '(no output)' : lines.join('\n');
  }
}

/** The field is unsigned; clients put -1 there for a command that was killed. */
function signed(code: number): number {
  return code | 0;
}

function locationHint(location: JsonValue | undefined): string {
  const path = objectAt({ location: location ?? null }, 'location').file_path;
  return typeof path === 'string' ? `all of it is in ${path}` : '';
}

/** The messages that tell of an outcome, the last one included; for whoever stands on the client's side. */
export function encodeShellStream(outcome: ToolOutcome): readonly LooseFields[] {
  const { data } = outcome;
  const { command, working_directory } = data ?? {};
  if (!outcome.ok && data?.command === undefined) {
    const member = outcome.error.code === 'EACCES' ? 'permission_denied' : 'rejected';
    const reason =
      member === 'rejected' ? { reason: outcome.error.message } : { error: outcome.error.message };
    return [{ [member]: present({ command, working_directory, ...reason }) }];
  }
  const said = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const text = data?.[stream];
    return typeof text === 'string' && text !== '' ? [{ [stream]: { data: text } }] : [];
  });
  return [{ start: {} }, ...said, lastMessage(outcome)];
}

function lastMessage(outcome: ToolOutcome): LooseFields {
  const { data = {} } = outcome;
  if (data.is_running_in_background === true)
    return {
      backgrounded: present({
        shell_id: data.background_shell_id,
        command: data.command,
        working_directory: data.working_directory,
        pid: data.pid,
      }),
    };
  const abort_reason = outcome.ok ? undefined : outcome.error.code === 'ETIMEDOUT' ? 'timeout' : 'user_abort';
  return {
    exit: present({
      code: outcome.ok ? data.exit_code : undefined,
      cwd: data.resulting_working_directory,
      output_location: data.output_location,
      aborted: outcome.ok ? undefined : true,
      abort_reason,
    }),
  };
}
