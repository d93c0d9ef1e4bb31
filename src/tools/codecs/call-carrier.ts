// The three messages of aiserver.v1 that carry a call's arguments have one shape: ids, the model's own text in
// `raw_args`, and a slot per tool. Guessed: that arguments without a field in the slot may be taken from `raw_args`.
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { CLIENT_TOOLS, type ClientTool } from '../../catalogue/index.ts';
import { isJsonObject, type JsonObject, omitUndefined } from '../../core/index.ts';
import { BUILTIN_TOOLS, chooseTool } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { AISERVER_CALLS, OLDER_CALLS } from './aiserver-calls.ts';
import { type CallForm, named, namesLost, present } from './call-form.ts';
import type { ArgumentCall, CallIdentity, Numbered } from './client-side-call.ts';
import { clientToolOf, findBuiltinTool, toolLike } from './find-builtin-tool.ts';
import { type LooseFields, readMessage, writeMessage } from './message-json.ts';
import { objectAt } from './search-forms.ts';
import type { Encoded } from './tool-codec.ts';

/** One of those messages, and how it spells arguments. */
export interface CallCarrier<Desc extends DescMessage> {
  readonly desc: Desc;
  /** The slot of a row; undefined when the message has none for it. */
  slotOf(row: ClientTool): string | undefined;
  /** The slot's own way to hold what the params of the same tool hold. */
  formOf(params: CallForm, number: number, slot: string | undefined): CallForm;
}

interface IdentityFields {
  readonly tool: number;
  readonly toolCallId: string;
  readonly name: string;
  readonly toolIndex?: number | undefined;
  readonly modelCallId?: string | undefined;
}

interface CarrierFields extends IdentityFields {
  readonly rawArgs: string;
}

const NO_FIELDS = named();

export function writeCall<Desc extends DescMessage>(
  carrier: CallCarrier<Desc>,
  call: ArgumentCall,
  more: LooseFields,
): Encoded<MessageShape<Desc>> {
  const { number, ...identity } = writeIdentity(call);
  const slot = carrier.slotOf(clientToolOf(number));
  const form = formOf(carrier, findBuiltinTool(call.name), number, slot);
  const { message, lost } = writeMessage(carrier.desc, {
    ...identity,
    ...more,
    raw_args: call.rawArgs ?? JSON.stringify(call.args),
    ...(slot === undefined ? {} : { [slot]: present(form.encode(call.args)) }),
  });
  const carried = slot === undefined ? {} : objectAt(readMessage(carrier.desc, message, 'words'), slot);
  const back = slot === undefined ? {} : present(form.decode(carried));
  const beside = lost.filter((path) => path in identity || path in more);
  return { message, lost: [...namesLost(call.args, back), ...beside] };
}

export function readCall<Desc extends DescMessage>(
  carrier: CallCarrier<Desc>,
  message: MessageShape<Desc> & CarrierFields,
): { readonly call: Numbered<ArgumentCall>; readonly json: JsonObject } {
  const json = readMessage(carrier.desc, message, 'words');
  const row = CLIENT_TOOLS.find((one) => (carrier.slotOf(one) ?? '') in json);
  const number = row?.number ?? message.tool;
  const slot = row && carrier.slotOf(row);
  const fields = slot === undefined ? {} : objectAt(json, slot);
  const tool = toolOf(number, message, fields);
  const form = formOf(carrier, tool, number, slot);
  const args = {
    ...spareArguments(message.rawArgs, tool, slotMessage(carrier.desc, slot), form),
    ...(slot === undefined ? {} : present(form.decode(fields))),
  };
  const call = { ...readIdentity(message, number, tool.name), args, rawArgs: message.rawArgs };
  return { call, json };
}

/** The ids as every message about a call spells them. */
export function writeIdentity(call: CallIdentity) {
  const number = call.number ?? ownSlot(findBuiltinTool(call.name));
  return {
    number,
    tool: number,
    tool_call_id: call.callId,
    name: call.modelName ?? call.name,
    tool_index: call.toolIndex,
    model_call_id: call.modelCallId,
  };
}

export function readIdentity(message: IdentityFields, number: number, name: string): Numbered<CallIdentity> {
  return omitUndefined({
    callId: message.toolCallId,
    name,
    number,
    modelName: message.name === '' ? undefined : message.name,
    toolIndex: message.toolIndex,
    modelCallId: message.modelCallId,
  });
}

/** The tool that a message without arguments names. */
export function namedTool(message: IdentityFields): Tool {
  return toolOf(message.tool, { ...message, rawArgs: '' }, {});
}

/** The number whose slot carries a tool's calls. */
export function ownSlot(tool: Tool): number {
  return AISERVER_CALLS[tool.name]?.number ?? tool.number;
}

/** The tools a number may mean, the one that bears it first. */
export function toolsOf(number: number): readonly Tool[] {
  const older = OLDER_CALLS[number];
  if (older) return [findBuiltinTool(older.tool)];
  const own = BUILTIN_TOOLS.filter((tool) => tool.number === number);
  return [...own, ...BUILTIN_TOOLS.filter((tool) => ownSlot(tool) === number && !own.includes(tool))];
}

function formOf(
  carrier: CallCarrier<DescMessage>,
  tool: Tool,
  number: number,
  slot: string | undefined,
): CallForm {
  const params = OLDER_CALLS[number]?.form ?? AISERVER_CALLS[tool.name]?.form ?? NO_FIELDS;
  return carrier.formOf(params, number, slot);
}

function toolOf(number: number, message: CarrierFields, fields: JsonObject): Tool {
  const tools = toolsOf(number);
  const [first, second] = tools;
  if (first === undefined) return findBuiltinTool(clientToolOf(number).caseName); // names what is missing
  if (second === undefined) return first;
  const chosen = chooseTool(number, rawArguments(message.rawArgs) ?? fields);
  return toolLike(message.name, tools) ?? BUILTIN_TOOLS.find((tool) => tool.name === chosen) ?? first;
}

/** What the model wrote and the slot has no field for; ignored unless the tool itself takes the whole of it. */
function spareArguments(
  rawArgs: string,
  tool: Tool,
  slot: DescMessage | undefined,
  form: CallForm,
): JsonObject {
  const parsed = tool.args.safeParse(rawArguments(rawArgs));
  const given: unknown = parsed.data;
  if (!parsed.success || !isJsonObject(given)) return {};
  const written = slot && writeMessage(slot, form.encode(given)).message;
  const held = slot && written ? present(form.decode(readMessage(slot, written, 'words'))) : {};
  return present(Object.fromEntries(Object.entries(given).filter(([name]) => !(name in held))));
}

function slotMessage(desc: DescMessage, slot: string | undefined): DescMessage | undefined {
  return desc.fields.find((field) => field.name === slot)?.message;
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
