import type { DescMessage } from '@bufbuild/protobuf';
import type { JsonObject } from '../../../core/index.ts';
import { ExecClientMessageSchema } from '../../../gen/agent/v1/exec_pb.ts';
import type { LooseFields } from '../../codecs/message-json.ts';
import type { ToolFailure, ToolOutcome, ToolSuccess } from '../../tool-outcome.ts';

/** One exec variant of `agent.v1` ↔ canonical arguments and outcomes of the tool that it carries out. */
export interface ExecForm {
  /** Members of `ExecServerMessage` and `ExecClientMessage`. */
  readonly args: string;
  readonly result: string;
  readonly tool: string;
  encodeArgs(args: JsonObject): LooseFields;
  decodeArgs(fields: JsonObject): LooseFields;
  /** All fields of the result message, its union included. */
  encodeResult(outcome: ToolSuccess): LooseFields;
  /** Of a result that tells of no failure; `args` are the canonical ones of the call. */
  decodeResult(result: JsonObject, args: JsonObject): ToolOutcome;
  /** For execs whose failures hold more than a reason. */
  encodeFailure?(outcome: ToolFailure): LooseFields | undefined;
}

export function resultDesc(form: ExecForm): DescMessage {
  return (
    ExecClientMessageSchema.fields.find((field) => field.name === form.result)?.message ??
    ExecClientMessageSchema
  );
}
