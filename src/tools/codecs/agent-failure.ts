// How agent.v1 says that a call failed: a member of the result's own union. Refusals and denials have members of their
// own where they can hold a reason; members that hold only a path (`file_not_found`) would lose what to do about it,
// so they are read but not written.
import type { DescMessage } from '@bufbuild/protobuf';
import type { JsonObject } from '../../core/index.ts';
import { type FailureCode, fail, type ToolFailure } from '../tool-outcome.ts';
import { reasonIn } from './result-form.ts';

const REASON_FIELDS = ['error', 'error_message', 'reason', 'client_visible_error'];

const MEMBERS: Readonly<Partial<Record<FailureCode, string>>> = {
  DENIED: 'rejected',
  EACCES: 'permission_denied',
};
const LAST_RESORTS = ['error', 'failure', 'spawn_error'];

/** Undefined when the result has no member that could tell of a failure. */
export function encodeFailure(result: DescMessage, { error, data }: ToolFailure): JsonObject | undefined {
  for (const name of [MEMBERS[error.code], ...LAST_RESORTS]) {
    const member = result.fields.find((field) => field.name === name)?.message;
    const reason = member?.fields.find((field) => REASON_FIELDS.includes(field.name));
    if (member && reason) {
      const known = member.fields.map((field) => field.name).filter((one) => data?.[one] !== undefined);
      const facts = Object.fromEntries(known.map((one) => [one, data?.[one] ?? null]));
      return { [String(name)]: { ...facts, [reason.name]: error.message } };
    }
  }
  return undefined;
}

const CODES: Readonly<Record<string, readonly [code: FailureCode, message: string]>> = {
  rejected: ['DENIED', 'The user rejected the call. Ask what to do instead.'],
  permission_denied: ['EACCES', 'Permission was denied.'],
  read_permission_denied: ['EACCES', 'The file may not be read.'],
  write_permission_denied: ['EACCES', 'The file may not be written.'],
  file_not_found: ['ENOENT', 'The file does not exist.'],
  not_found: ['ENOENT', 'It was not found.'],
  not_file: ['EISDIR', 'It is not a file.'],
  file_busy: ['FAILED', 'The file is in use; try again.'],
  timeout: ['ETIMEDOUT', 'It took too long.'],
  spawn_error: ['FAILED', 'The command could not be started.'],
  error: ['FAILED', 'The call failed.'],
};

/** A failed shell command is a result with an exit code, not a failure of the call; its form reads it. */
export function failureInResult(member: string, fields: JsonObject): ToolFailure | undefined {
  const known = CODES[member] ?? (isPlainFailure(member, fields) ? CODES.error : undefined);
  if (!known) return undefined;
  const [code, message] = known;
  const path = typeof fields.path === 'string' ? `${fields.path}: ` : '';
  return fail(code, reasonIn(fields) ?? `${path}${message}`, { data: fields });
}

function isPlainFailure(member: string, fields: JsonObject): boolean {
  return member === 'failure' && reasonIn(fields) !== undefined;
}
