// agent.v1: execs ↔ canonical calls and outcomes, for both ends. The side that runs tools decodes arguments and encodes
// results; the side that asks does the reverse. One row per exec that a tool is carried out with.
import { create } from '@bufbuild/protobuf';
import { isJsonObject, type JsonObject } from '../../../core/index.ts';
import { ExecClientMessageSchema, ExecServerMessageSchema } from '../../../gen/agent/v1/exec_pb.ts';
import type { ExecArgs, ExecResult } from '../../../native/remote-port.ts';
import { encodeFailure } from '../../codecs/agent-failure.ts';
import { present } from '../../codecs/call-form.ts';
import { readMessage, writeMessage } from '../../codecs/message-json.ts';
import { objectAt } from '../../codecs/search-forms.ts';
import { fail, type ToolFailure, type ToolOutcome } from '../../tool-outcome.ts';
import { COMPUTER_USE, FETCH, RECORD_SCREEN, SUB_AGENT, SUB_AGENT_AWAIT } from './agent-execs.ts';
import { execFailure } from './exec-failure.ts';
import { type ExecForm, resultDesc } from './exec-form.ts';
import { DELETE, DIAGNOSTICS, READ, WRITE } from './file-execs.ts';
import { LIST_RESOURCES, MCP, READ_RESOURCE } from './mcp-execs.ts';
import { GLOB, GREP, LS } from './search-execs.ts';
import { BACKGROUND_SHELL, encodeShellArgs, SHELL, SHELL_STDIN } from './shell-execs.ts';

/** Its result is a series of messages; see shell-stream.ts. */
const SHELL_STREAM: ExecForm = {
  ...SHELL,
  args: 'shell_stream_args',
  result: 'shell_stream',
  encodeArgs: encodeShellArgs,
};

export const EXEC_FORMS = {
  read: READ,
  write: WRITE,
  delete: DELETE,
  ls: LS,
  grep: GREP,
  glob: GLOB,
  diagnostics: DIAGNOSTICS,
  shell: SHELL,
  'shell-stream': SHELL_STREAM,
  'background-shell': BACKGROUND_SHELL,
  'shell-stdin': SHELL_STDIN,
  mcp: MCP,
  'list-resources': LIST_RESOURCES,
  'read-resource': READ_RESOURCE,
  fetch: FETCH,
  'computer-use': COMPUTER_USE,
  'record-screen': RECORD_SCREEN,
  'sub-agent': SUB_AGENT,
  'sub-agent-await': SUB_AGENT_AWAIT,
} as const satisfies Readonly<Record<string, ExecForm>>;

export type ExecName = keyof typeof EXEC_FORMS;

export interface ExecCall {
  readonly exec: ExecName;
  /** The built-in tool that it means, and its arguments. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly callId: string;
}

export function encodeExecArgs(exec: ExecName, args: JsonObject, callId: string): ExecArgs {
  const form: ExecForm = EXEC_FORMS[exec];
  const fields = { ...present(form.encodeArgs(args)), tool_call_id: callId };
  return writeMessage(ExecServerMessageSchema, { [form.args]: fields }).message.message;
}

/** Undefined for execs that no tool stands behind: hooks, prechecks, the request context. */
export function decodeExecArgs(message: ExecArgs): ExecCall | undefined {
  const json = readMessage(ExecServerMessageSchema, create(ExecServerMessageSchema, { message }), 'words');
  const member = Object.keys(json).find((name) => isJsonObject(json[name]));
  const fields = objectAt(json, member ?? '');
  const exec = (Object.keys(EXEC_FORMS) as ExecName[]).find(
    (name) => EXEC_FORMS[name].args === member && (name === 'glob') === isGlob(member, fields),
  );
  if (exec === undefined) return undefined;
  const form: ExecForm = EXEC_FORMS[exec];
  const callId = typeof fields.tool_call_id === 'string' ? fields.tool_call_id : '';
  return { exec, tool: form.tool, args: present(form.decodeArgs(fields)), callId };
}

function isGlob(member: string | undefined, { pattern, glob, output_mode }: JsonObject): boolean {
  return (
    member === 'grep_args' &&
    (pattern === undefined || pattern === '') &&
    glob !== undefined &&
    output_mode === 'files_with_matches'
  );
}

export function encodeExecResult(exec: ExecName, outcome: ToolOutcome): ExecResult {
  const form: ExecForm = EXEC_FORMS[exec];
  const result = present(outcome.ok ? form.encodeResult(outcome) : failed(form, outcome));
  return writeMessage(ExecClientMessageSchema, { [form.result]: result }).message.message;
}

function failed(form: ExecForm, outcome: ToolFailure): JsonObject {
  const special = present(form.encodeFailure?.(outcome) ?? {});
  return Object.keys(special).length > 0 ? special : (encodeFailure(resultDesc(form), outcome) ?? {});
}

/** `args` are the canonical ones of the call; what the model asked for decides what it is shown. */
export function decodeExecResult(exec: ExecName, message: ExecResult, args: JsonObject): ToolOutcome {
  const form: ExecForm = EXEC_FORMS[exec];
  const result = execResultFields(message, form.result);
  if (result === undefined || Object.keys(result).length === 0)
    return fail('FAILED', `The client answered ${form.args} without a result; try the call again.`);
  return execFailure(result) ?? form.decodeResult(result, args);
}

/** The fields of the expected result under their own names; undefined when the client answered something else. */
export function execResultFields(message: ExecResult, member: string): JsonObject | undefined {
  const json = readMessage(ExecClientMessageSchema, create(ExecClientMessageSchema, { message }), 'words');
  const fields = json[member];
  return isJsonObject(fields) ? fields : undefined;
}
