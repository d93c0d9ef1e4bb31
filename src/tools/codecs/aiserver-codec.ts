// aiserver.v1: `ClientSideToolV2Call` and `ClientSideToolV2Result` ↔ canonical calls and outcomes.
// Known from public reconstructions of the protobuf files and captured requests. Guessed: that a call whose typed
// params lack an argument may be completed from `raw_args`, the model's own text, which is beside them.
import type { DescMessage } from '@bufbuild/protobuf';
import { CLIENT_TOOLS, type ClientTool } from '../../catalogue/index.ts';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import {
  type ClientSideToolV2Call,
  ClientSideToolV2CallSchema,
  type ClientSideToolV2Result,
  ClientSideToolV2ResultSchema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { BUILTIN_TOOLS, chooseTool } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { fail, succeed, type ToolOutcome } from '../tool-outcome.ts';
import { AISERVER_CALLS, OLDER_CALLS } from './aiserver-calls.ts';
import { decodeFailure, encodeFailure, failureInResult } from './aiserver-failure.ts';
import { aiserverResult } from './aiserver-results.ts';
import { type CallForm, named, namesLost, present } from './call-form.ts';
import { clientToolOf, findBuiltinTool, toolLike } from './find-builtin-tool.ts';
import { readMessage, writeMessage } from './message-json.ts';
import { objectAt } from './search-forms.ts';
import { decodeReminder, encodeReminder } from './todo-reminder.ts';
import type { DecodedCall, DecodedResult, ToolCodec } from './tool-codec.ts';

const NO_SLOT = named();

export const aiserverCodec: ToolCodec<ClientSideToolV2Call, ClientSideToolV2Result> = {
  encodeCall(name, args, { callId }) {
    const tool = findBuiltinTool(name);
    const number = slotOf(tool);
    const { paramsKey } = clientToolOf(number);
    const form = formOf(tool, number);
    const { message } = writeMessage(ClientSideToolV2CallSchema, {
      tool: number,
      tool_call_id: callId,
      name,
      raw_args: JSON.stringify(args),
      ...(paramsKey === undefined ? {} : { [paramsKey]: present(form.encode(args)) }),
    });
    const carried = readMessage(ClientSideToolV2CallSchema, message, 'words');
    const back = paramsKey === undefined ? {} : present(form.decode(objectAt(carried, paramsKey)));
    return { message, lost: namesLost(args, back) };
  },

  decodeCall(message) {
    const json = readMessage(ClientSideToolV2CallSchema, message, 'words');
    const row = CLIENT_TOOLS.find(({ paramsKey }) => paramsKey !== undefined && paramsKey in json);
    const number = row?.number ?? message.tool;
    const fields = row?.paramsKey === undefined ? {} : objectAt(json, row.paramsKey);
    const tool = toolOf(number, message, fields);
    const form = formOf(tool, number);
    const args = {
      ...spareArguments(message.rawArgs, tool, form, row?.paramsKey),
      ...(row === undefined ? {} : present(form.decode(fields))),
    };
    return { callId: message.toolCallId, number, name: tool.name, args } satisfies DecodedCall;
  },

  encodeResult(name, outcome, { callId, number = slotOf(findBuiltinTool(name)) }) {
    const { resultKey } = clientToolOf(number);
    const fields = outcome.ok ? present(aiserverResult(number).encode(outcome)) : {};
    const { message, lost } = writeMessage(ClientSideToolV2ResultSchema, {
      tool: number,
      tool_call_id: callId,
      attachments: encodeReminder(outcome.attachments),
      ...(outcome.ok ? {} : { error: encodeFailure(outcome) }),
      ...(outcome.ok && resultKey !== undefined ? { [resultKey]: fields } : {}),
    });
    const prefix = `${resultKey}.`;
    const missing = outcome.ok && resultKey === undefined ? ['content'] : [];
    return { message, lost: [...missing, ...lost.map((path) => path.replace(prefix, ''))] };
  },

  decodeResult(message) {
    const words = readMessage(ClientSideToolV2ResultSchema, message, 'words');
    const row = CLIENT_TOOLS.find(({ resultKey }) => resultKey !== undefined && resultKey in words);
    const number = row?.number ?? message.tool;
    const { enums } = aiserverResult(number);
    const json = enums === 'words' ? words : readMessage(ClientSideToolV2ResultSchema, message, 'numbers');
    const attachments = decodeReminder(words.attachments);
    const outcome = outcomeOf(row ?? clientToolOf(number), json);
    return {
      callId: message.toolCallId,
      number,
      name: toolsOf(number)[0]?.name ?? clientToolOf(number).caseName,
      outcome: attachments === undefined ? outcome : { ...outcome, attachments },
    } satisfies DecodedResult;
  },
};

function outcomeOf(row: ClientTool, json: JsonObject): ToolOutcome {
  if (isJsonObject(json.error)) return decodeFailure(json.error);
  if (row.resultKey === undefined) return succeed(''); // the wire has no way to say more
  if (!(row.resultKey in json))
    return fail('FAILED', `The client answered ${row.caseName} without a result; try the call again.`);
  const fields = objectAt(json, row.resultKey);
  return failureInResult(fields) ?? aiserverResult(row.number).decode(fields);
}

function slotOf(tool: Tool): number {
  return AISERVER_CALLS[tool.name]?.number ?? tool.number;
}

function formOf(tool: Tool, number: number): CallForm {
  return OLDER_CALLS[number]?.form ?? AISERVER_CALLS[tool.name]?.form ?? NO_SLOT;
}

/** The tools a number may mean, the one that bears it first. */
function toolsOf(number: number): readonly Tool[] {
  const older = OLDER_CALLS[number];
  if (older) return [findBuiltinTool(older.tool)];
  const own = BUILTIN_TOOLS.filter((tool) => tool.number === number);
  return [...own, ...BUILTIN_TOOLS.filter((tool) => slotOf(tool) === number && !own.includes(tool))];
}

function toolOf(number: number, message: ClientSideToolV2Call, fields: JsonObject): Tool {
  const tools = toolsOf(number);
  const [first, second] = tools;
  if (first === undefined) return findBuiltinTool(clientToolOf(number).caseName); // names what is missing
  if (second === undefined) return first;
  const chosen = chooseTool(number, rawArguments(message.rawArgs) ?? fields);
  return toolLike(message.name, tools) ?? BUILTIN_TOOLS.find((tool) => tool.name === chosen) ?? first;
}

/** What the model wrote and the params have no field for; ignored unless the tool itself takes the whole of it. */
function spareArguments(
  rawArgs: string,
  tool: Tool,
  form: CallForm,
  paramsKey: string | undefined,
): JsonObject {
  const parsed = tool.args.safeParse(rawArguments(rawArgs));
  const given: unknown = parsed.data;
  if (!parsed.success || !isJsonObject(given)) return {};
  const params = paramsMessage(paramsKey);
  const slot = params && writeMessage(params, form.encode(given)).message;
  const held = params && slot ? present(form.decode(readMessage(params, slot, 'words'))) : {};
  return present(Object.fromEntries(Object.entries(given).filter(([name]) => !(name in held))));
}

function paramsMessage(paramsKey: string | undefined): DescMessage | undefined {
  return ClientSideToolV2CallSchema.fields.find((field) => field.name === paramsKey)?.message;
}

/** Free-form tools are called with plain text, which is no JSON. */
function rawArguments(rawArgs: string): string | JsonObject | undefined {
  if (rawArgs === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(rawArgs);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return rawArgs;
  }
}
