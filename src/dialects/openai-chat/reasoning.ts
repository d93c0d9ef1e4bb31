// Thought text in its several spellings. `reasoning_content`: DeepSeek, Moonshot, vLLM, SGLang. `reasoning` and
// `reasoning_details`: OpenRouter, from its documentation. OpenAI itself has no such field in this dialect.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type ReasoningPart,
} from '../../core/index.ts';
import { OPENAI_CHAT } from './schema.ts';

export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

export interface ReasoningDetail {
  readonly text: string;
  readonly form: ReasoningPart['form'];
  readonly signature?: string;
  readonly encrypted?: string;
}

/** The thought in a delta or message. Servers that fill several fields repeat the same text in them: first wins. */
export function readReasoningText(source: JsonObject): string {
  for (const field of [source.reasoning_content, source.reasoning]) {
    if (typeof field === 'string' && field !== '') return field;
  }
  return '';
}

export function readReasoningDetails(
  value: JsonValue | undefined,
): { item: JsonObject; detail: ReasoningDetail }[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => (isJsonObject(item) ? [{ item, detail: readDetail(item) }] : []));
}

function readDetail(item: JsonObject): ReasoningDetail {
  const signature = typeof item.signature === 'string' && item.signature !== '' ? item.signature : undefined;
  if (item.type === 'reasoning.encrypted') {
    return omitUndefined({
      text: '',
      form: 'redacted' as const,
      signature,
      encrypted: textOf(item.data) || undefined,
    });
  }
  if (item.type === 'reasoning.summary') {
    return omitUndefined({ text: textOf(item.summary), form: 'summary' as const, signature });
  }
  return omitUndefined({ text: textOf(item.text), form: 'raw' as const, signature });
}

/** Reasoning that a client sends back. Details are kept whole, since their vendor checks them on replay. */
export function decodeReplayedReasoning(message: JsonObject): ReasoningPart[] {
  const details = readReasoningDetails(message.reasoning_details);
  if (details.length > 0) {
    return details.map(({ item, detail }) => ({
      type: 'reasoning',
      ...detail,
      origin: OPENAI_CHAT,
      extra: { [OPENAI_CHAT]: { reasoning_detail: item } },
    }));
  }
  const text = readReasoningText(message);
  if (text === '') return [];
  if (typeof message.reasoning_content === 'string' && message.reasoning_content !== '') {
    return [{ type: 'reasoning', text, form: 'raw' }];
  }
  return [{ type: 'reasoning', text, form: 'raw', extra: { [OPENAI_CHAT]: { field: 'reasoning' } } }];
}

/** The fields of an assistant message that carry its thoughts, in the spelling they came in. */
export function encodeReplayedReasoning(parts: readonly ReasoningPart[]): JsonObject {
  const details: JsonValue[] = [];
  let field = 'reasoning_content';
  let text = '';
  for (const part of parts) {
    const kept = part.extra?.[OPENAI_CHAT];
    if (kept?.reasoning_detail !== undefined) details.push(kept.reasoning_detail);
    else {
      text += part.text;
      if (kept?.field === 'reasoning') field = 'reasoning';
    }
  }
  return omitUndefined({
    [field]: text === '' ? undefined : text,
    reasoning_details: details.length > 0 ? details : undefined,
  }) as JsonObject; // strings and JSON items only
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
