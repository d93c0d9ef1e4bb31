// aiserver.v1: `ClientSideToolV2Call` and `ClientSideToolV2Result`, whole, ↔ calls and outcomes.
// Known from public reconstructions of the protobuf files and captured requests.
import { CLIENT_TOOLS, type ClientTool } from '../../catalogue/index.ts';
import { isJsonObject, type JsonObject, omitUndefined } from '../../core/index.ts';
import {
  type ClientSideToolV2Call,
  ClientSideToolV2CallSchema,
  type ClientSideToolV2Result,
  ClientSideToolV2ResultSchema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { fail, succeed, type ToolOutcome } from '../tool-outcome.ts';
import { decodeFailure, encodeFailure, failureInResult } from './aiserver-failure.ts';
import { aiserverResult } from './aiserver-results.ts';
import { type CallCarrier, ownSlot, readCall, toolsOf, writeCall } from './call-carrier.ts';
import { present } from './call-form.ts';
import type { ClientSideCall, ClientSideResult, Numbered } from './client-side-call.ts';
import { clientToolOf, findBuiltinTool } from './find-builtin-tool.ts';
import { readMessage, writeMessage } from './message-json.ts';
import { decodeAttachments, encodeAttachments } from './result-attachments.ts';
import { objectAt } from './search-forms.ts';
import type { Encoded } from './tool-codec.ts';

const CARRIER: CallCarrier<typeof ClientSideToolV2CallSchema> = {
  desc: ClientSideToolV2CallSchema,
  slotOf: (row) => row.paramsKey,
  formOf: (params) => params,
};

export function encodeClientSideCall(call: ClientSideCall): Encoded<ClientSideToolV2Call> {
  return writeCall(CARRIER, call, {
    timeout_ms: call.timeoutMs,
    is_streaming: call.isStreaming,
    is_last_message: call.isLast,
    internal: call.isInternal,
  });
}

export function decodeClientSideCall(message: ClientSideToolV2Call): Numbered<ClientSideCall> {
  return omitUndefined({
    ...readCall(CARRIER, message).call,
    timeoutMs: message.timeoutMs,
    isStreaming: message.isStreaming,
    isLast: message.isLastMessage,
    isInternal: message.internal,
  });
}

export function encodeClientSideResult(result: ClientSideResult): Encoded<ClientSideToolV2Result> {
  const { outcome, number = ownSlot(findBuiltinTool(result.name)) } = result;
  const { resultKey } = clientToolOf(number);
  const fields = outcome.ok ? present(aiserverResult(number).encode(outcome)) : {};
  const { message, lost } = writeMessage(ClientSideToolV2ResultSchema, {
    tool: number,
    tool_call_id: result.callId,
    tool_index: result.toolIndex,
    model_call_id: result.modelCallId,
    attachments: encodeAttachments(outcome.attachments),
    ...(outcome.ok ? {} : { error: encodeFailure(outcome, 'server') }),
    ...(outcome.ok && resultKey !== undefined ? { [resultKey]: fields } : {}),
  });
  const prefix = `${resultKey}.`;
  const missing = outcome.ok && resultKey === undefined ? ['content'] : [];
  return { message, lost: [...missing, ...lost.map((path) => path.replace(prefix, ''))] };
}

export function decodeClientSideResult(message: ClientSideToolV2Result): Numbered<ClientSideResult> {
  const words = readMessage(ClientSideToolV2ResultSchema, message, 'words');
  const row = CLIENT_TOOLS.find(({ resultKey }) => resultKey !== undefined && resultKey in words);
  const number = row?.number ?? message.tool;
  const { enums } = aiserverResult(number);
  const json = enums === 'words' ? words : readMessage(ClientSideToolV2ResultSchema, message, 'numbers');
  const attachments = decodeAttachments(words.attachments);
  const outcome = outcomeOf(row ?? clientToolOf(number), json);
  return omitUndefined({
    callId: message.toolCallId,
    number,
    name: toolsOf(number)[0]?.name ?? clientToolOf(number).caseName,
    toolIndex: message.toolIndex,
    modelCallId: message.modelCallId,
    outcome: attachments === undefined ? outcome : { ...outcome, attachments },
  });
}

function outcomeOf(row: ClientTool, json: JsonObject): ToolOutcome {
  if (isJsonObject(json.error)) return decodeFailure(json.error);
  if (row.resultKey === undefined) return succeed(''); // the wire has no way to say more
  if (!(row.resultKey in json))
    return fail('FAILED', `The client answered ${row.caseName} without a result; try the call again.`);
  const fields = objectAt(json, row.resultKey);
  return failureInResult(fields) ?? aiserverResult(row.number).decode(fields);
}
