import type { JsonObject } from '../../core/index.ts';
import { succeed, type ToolOutcome, type ToolSuccess } from '../tool-outcome.ts';
import { present } from './call-form.ts';
import type { LooseFields } from './message-json.ts';
import { textIn } from './result-form.ts';
import { objectAt } from './search-forms.ts';

export interface AgentResult {
  /** All fields of the result message, its union included. */
  encode(outcome: ToolSuccess): LooseFields;
  decode(result: JsonObject): ToolOutcome;
  /** For tools whose failures are told by more than a reason. */
  encodeFailure?(outcome: ToolOutcome & { ok: false }): LooseFields | undefined;
}

/** The content of `success`, the one member that most tools have for it. */
export function inSuccess(
  encode: (outcome: ToolSuccess) => LooseFields,
  decode: (success: JsonObject) => ToolOutcome,
): AgentResult {
  return {
    encode: (outcome) => ({ success: present(encode(outcome)) }),
    decode: (result) => decode(objectAt(result, 'success')),
  };
}

export function dataInSuccess(text?: string): AgentResult {
  return inSuccess(
    ({ content, data }) => (text === undefined ? { ...data } : { [text]: content, ...data }),
    (success) => succeed(textIn(success, text), { data: success }),
  );
}
