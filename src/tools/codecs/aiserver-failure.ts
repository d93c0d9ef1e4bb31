// How aiserver.v1 says that a call failed: `ToolResultError` beside the result slot. Older clients and some tools say
// it inside their result instead (`rejected`, `file_non_existent`, `error`), which is read but never written here.
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { type FailureCode, fail, type ToolFailure } from '../tool-outcome.ts';
import { failureCode, reasonIn } from './result-form.ts';

/** The one field meant for the server alone; our code goes there, as the message has no field for one. */
const DETAIL =
  'actual_error_message_only_send_from_client_to_server_never_the_other_way_around_because_that_may_be_a_security_risk';

/** What `ToolResultError` adds about an edit; the same names are in the data of a failure. */
const EDIT_DETAILS = ['edit_file_error_details', 'search_replace_error_details'];

/** `reader` is who gets the message: the field with our code is for a server alone. */
export function encodeFailure({ error, data }: ToolFailure, reader: 'client' | 'server'): JsonObject {
  const details = Object.entries(data ?? {}).filter(([name]) => EDIT_DETAILS.includes(name));
  return {
    client_visible_error_message: error.message,
    model_visible_error_message: error.message,
    ...(reader === 'server' ? { [DETAIL]: `${error.code}: ${error.message}` } : {}),
    ...Object.fromEntries(details),
  };
}

export function decodeFailure(error: JsonObject): ToolFailure {
  const detail = text(error[DETAIL]);
  const code = failureCode(/^([A-Z_]+): /.exec(detail)?.[1] ?? '');
  const message =
    text(error.model_visible_error_message) || text(error.client_visible_error_message) || detail;
  const details = Object.entries(error).filter(([name]) => EDIT_DETAILS.includes(name));
  return fail(
    code ?? 'FAILED',
    message || 'The call failed; the client gave no reason.',
    details.length === 0 ? {} : { data: Object.fromEntries(details) },
  );
}

/** A failure told by a typed result; undefined when the result tells of none. */
export function failureInResult(fields: JsonObject): ToolFailure | undefined {
  const inner = isJsonObject(fields.error) ? fields.error : fields;
  const said = reasonIn(inner);
  const failed = (code: FailureCode, message: string) => fail(code, said ?? message, { data: fields });
  if (fields.rejected === true || isJsonObject(fields.rejected))
    return failed('DENIED', 'The user rejected the call. Ask what to do instead.');
  if (fields.file_non_existent === true) return failed('ENOENT', 'The file does not exist.');
  if (fields.apply_failed === true) {
    const recoverable = isJsonObject(fields.recoverable_error) ? fields.recoverable_error : {};
    return fail('FAILED', text(recoverable.model_message) || 'The edit could not be applied.', {
      data: fields,
    });
  }
  if (fields.failure !== undefined && isJsonObject(fields.failure))
    return fail('FAILED', reasonIn(fields.failure) ?? 'The call failed.', { data: fields });
  if (isJsonObject(fields.error) || text(fields.error) !== '') return failed('FAILED', 'The call failed.');
  return undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
