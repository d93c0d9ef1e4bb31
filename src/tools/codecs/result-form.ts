import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { FAILURE_CODES, type FailureCode, succeed, type ToolSuccess } from '../tool-outcome.ts';
import type { EnumForm, LooseFields } from './message-json.ts';

/** A successful outcome ↔ the fields of one result message. Failures have a way of their own on each wire. */
export interface ResultForm {
  encode(outcome: ToolSuccess): LooseFields;
  decode(fields: JsonObject): ToolSuccess;
  /** How the tool's data spells enum values; `numbers` unless said otherwise. */
  readonly enums?: EnumForm;
}

/** Most result data is spelled as the message is; `text` names the field that holds what the model reads. */
export function sameData(text?: string, enums: EnumForm = 'numbers'): ResultForm {
  return {
    enums,
    encode: ({ content, data }) => (text === undefined ? { ...data } : { [text]: content, ...data }),
    decode: (fields) => succeed(textIn(fields, text), { data: fields }),
  };
}

/** Without a text of its own a result is shown to the model as the data it is. */
export function textIn(fields: JsonObject, name?: string): string {
  const text = name === undefined ? undefined : fields[name];
  if (typeof text === 'string') return text;
  return name === undefined ? JSON.stringify(fields) : '';
}

export function failureCode(text: string): FailureCode | undefined {
  return FAILURE_CODES.find((code) => code === text);
}

/** The first text among the fields that messages use for what went wrong. */
export function reasonIn(fields: JsonObject): string | undefined {
  const names = [
    'model_visible_error',
    'error',
    'error_message',
    'reason',
    'client_visible_error',
    'message',
  ];
  return names
    .map((name) => fields[name])
    .find((value): value is string => typeof value === 'string' && value !== '');
}

export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
