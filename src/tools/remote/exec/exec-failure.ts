// What the members of exec results other than success mean, in words that a model can act on. The members are those of
// public reconstructions of the protobuf files; every result has some of them.
import { isJsonObject, type JsonObject } from '../../../core/index.ts';
import { reasonIn } from '../../codecs/result-form.ts';
import { type FailureCode, fail, type ToolFailure } from '../../tool-outcome.ts';

type Describe = (fields: JsonObject) => readonly [code: FailureCode, message: string];

const GO_ON =
  'It did not run. Follow the reason where it names another way; else go on without it, or ask the user what to do instead. Do not look for a way round.';

const MEMBERS: Readonly<Record<string, Describe>> = {
  rejected: (fields) => [
    'DENIED',
    `The user, or a rule of the user, refused this call${why(fields)} ${GO_ON}`,
  ],
  permission_denied: (fields) => [
    'EACCES',
    `${about(fields)}Permission was denied${why(fields)} ${fields.is_readonly === true ? 'This place is read-only. ' : ''}${GO_ON}`,
  ],
  file_not_found: (fields) => [
    'ENOENT',
    `${about(fields)}The file does not exist. Check the path, or search for the file by name.`,
  ],
  not_found: (fields) => ['ENOENT', `${about(fields)}There is nothing by this name${why(fields)}`],
  not_file: (fields) => [
    'EISDIR',
    `${about(fields)}It is not a file${typeof fields.actual_type === 'string' ? ` but a ${fields.actual_type}` : ''}; name a file.`,
  ],
  invalid_file: (fields) => ['EINVAL', `${about(fields)}It cannot be read as a file${why(fields)}`],
  file_busy: (fields) => ['FAILED', `${about(fields)}The file is in use by another program; try again.`],
  no_space: (fields) => [
    'FAILED',
    `${about(fields)}The disk of the user's machine is full; nothing was written.`,
  ],
  timeout: (fields) => [
    'ETIMEDOUT',
    `It took longer than ${Number(fields.timeout_ms ?? 0) > 0 ? `${fields.timeout_ms} ms` : 'allowed'} and was stopped; ask for less at once.`,
  ],
  spawn_error: (fields) => ['FAILED', `The command could not be started${why(fields)}`],
  sandbox_unsupported: (fields) => [
    'UNAVAILABLE',
    `The command was not run: its sandbox is not available on the user's machine${why(fields)}`,
  ],
  tool_not_found: (fields) => [
    'UNKNOWN_TOOL',
    `The server has no tool ${JSON.stringify(fields.name ?? '')}. It has: ${names(fields.available_tools)}.`,
  ],
  server_not_found: (fields) => [
    'UNKNOWN_TOOL',
    `The client has no server ${JSON.stringify(fields.name ?? '')}. It has: ${names(fields.available_servers)}.`,
  ],
  // A client that was asked for its approval alone; it is never asked so from here.
  approved: () => ['FAILED', 'The client approved the call but did not run it; call it again.'],
  error: (fields) => [
    'FAILED',
    `${about(fields)}${reasonIn(fields) ?? 'It failed, and no reason was given.'}`,
  ],
};

/** Undefined for a success. A shell command that ran and failed is a result with an exit code, no failure. */
export function execFailure(result: JsonObject): ToolFailure | undefined {
  for (const [member, fields] of Object.entries(result)) {
    // A listing that ran out of time still holds what it had found.
    if (!isJsonObject(fields) || fields.directory_tree_root !== undefined) continue;
    const isPlainFailure = member === 'failure' && reasonIn(fields) !== undefined;
    const describe = Object.hasOwn(MEMBERS, member)
      ? MEMBERS[member]
      : isPlainFailure
        ? MEMBERS.error
        : undefined;
    if (!describe) continue;
    const [code, message] = describe(fields);
    return fail(code, message, { data: fields });
  }
  return undefined;
}

function why(fields: JsonObject): string {
  const reason = reasonIn(fields)?.trim();
  return reason === undefined || reason === '' ? '.' : `: ${reason.replace(/[.\s]*$/, '.')}`;
}

function about({ path, uri, url }: JsonObject): string {
  const name = path ?? uri ?? url;
  return typeof name === 'string' && name !== '' ? `${name}: ` : '';
}

function names(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.join(', ') : 'none';
}
