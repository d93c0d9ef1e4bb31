// aiserver.v1: calls that a client shows in the chat and does not run (`StreamUnifiedChatResponse` 13, 15 and 36).
// Known from public reconstructions of the protobuf files. The older `StreamedBackToolCall` holds a summary per tool,
// `StreamedBackToolCallV2` the whole params; guessed is what the summaries without a field of the params' name count.
import type { DescMessage } from '@bufbuild/protobuf';
import { isJsonObject, omitUndefined } from '../../core/index.ts';
import {
  type StreamedBackPartialToolCall,
  StreamedBackPartialToolCallSchema,
  type StreamedBackToolCall,
  StreamedBackToolCallSchema,
  type StreamedBackToolCallV2,
  StreamedBackToolCallV2Schema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { decodeFailure, encodeFailure } from './aiserver-failure.ts';
import {
  type CallCarrier,
  namedTool,
  readCall,
  readIdentity,
  writeCall,
  writeIdentity,
} from './call-carrier.ts';
import { type CallForm, named, present } from './call-form.ts';
import type { CallIdentity, Numbered, StreamedBackCall } from './client-side-call.ts';
import { writeMessage } from './message-json.ts';
import { listOf } from './result-form.ts';
import { objectAt } from './search-forms.ts';
import type { Encoded } from './tool-codec.ts';

const WHOLE: CallCarrier<typeof StreamedBackToolCallV2Schema> = {
  desc: StreamedBackToolCallV2Schema,
  slotOf: (row) => row.paramsKey,
  formOf: (params) => params,
};

export function encodeStreamedBackCall(call: StreamedBackCall): Encoded<StreamedBackToolCallV2> {
  return writeCall(WHOLE, call, { error: call.failure && encodeFailure(call.failure, 'client') });
}

export function decodeStreamedBackCall(message: StreamedBackToolCallV2): Numbered<StreamedBackCall> {
  return shownCall(readCall(WHOLE, message));
}

const SUMMARY: CallCarrier<typeof StreamedBackToolCallSchema> = {
  desc: StreamedBackToolCallSchema,
  slotOf(row) {
    const key = row.paramsKey?.replace(/_params$/, '_stream');
    return summaryMessage(key) && key;
  },
  formOf: (params, number, slot) => SUMMARIES[number] ?? summaryForm(params, summaryMessage(slot)),
};

export function encodeStreamedBackSummary(call: StreamedBackCall): Encoded<StreamedBackToolCall> {
  return writeCall(SUMMARY, call, { error: call.failure && encodeFailure(call.failure, 'client') });
}

export function decodeStreamedBackSummary(message: StreamedBackToolCall): Numbered<StreamedBackCall> {
  return shownCall(readCall(SUMMARY, message));
}

export function encodePartialCall(call: CallIdentity): StreamedBackPartialToolCall {
  const { number: _, ...fields } = writeIdentity(call);
  return writeMessage(StreamedBackPartialToolCallSchema, fields).message;
}

export function decodePartialCall(message: StreamedBackPartialToolCall): Numbered<CallIdentity> {
  return readIdentity(message, message.tool, namedTool(message).name);
}

function shownCall({ call, json }: ReturnType<typeof readCall>): Numbered<StreamedBackCall> {
  return omitUndefined({
    ...call,
    failure: isJsonObject(json.error) ? decodeFailure(json.error) : undefined,
  });
}

/** Summaries whose field is none of the params'. */
const SUMMARIES: Readonly<Record<number, CallForm>> = {
  1: { encode: ({ code_results }) => ({ num_files: countFiles(code_results) }), decode: () => ({}) },
  3: named('query'),
  9: named(), // counts the files found, which a call does not know yet
};

function countFiles(places: unknown): number {
  return new Set(listOf(places).map(({ path }) => path)).size;
}

/** A summary wraps the whole params, repeats some of their fields, or is empty. */
function summaryForm(params: CallForm, summary: DescMessage | undefined): CallForm {
  if (summary === undefined || summary.fields.length === 0) return named();
  if (!summary.fields.some((field) => field.name === 'params')) return params;
  return {
    encode: (args) => ({ params: present(params.encode(args)) }),
    decode: (fields) => params.decode(objectAt(fields, 'params')),
  };
}

function summaryMessage(slot: string | undefined): DescMessage | undefined {
  return StreamedBackToolCallSchema.fields.find((field) => field.name === slot)?.message;
}
