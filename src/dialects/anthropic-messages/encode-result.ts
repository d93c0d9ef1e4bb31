// A whole answer, canon to wire: the `message` object of a request that did not ask for a stream.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Part,
  type ReasoningPart,
  type TurnResult,
} from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { describeAnswer } from './describe-answer.ts';
import { encodeInput, isCitation } from './encode-parts.ts';
import { encodeStopReason, endExtra } from './finish-reason.ts';
import { lowerInput } from './lowered-tool.ts';
import { unwrapBlock } from './opaque-block.ts';
import { ANTHROPIC_ORIGIN, type MessagesAnswer } from './schema.ts';
import { encodeUsage } from './usage.ts';

export function encodeResult(result: TurnResult, context: EncodeContext): JsonValue {
  const { usage: usageRest, stop_reason: _reason, ...others } = endExtra(result.end) ?? {};
  const hasRefusal = result.content.some((part) => part.type === 'refusal');
  const answer: MessagesAnswer = {
    ...others,
    ...describeAnswer(result.start, context),
    content: encodeContent(result),
    stop_reason: encodeStopReason(result.end, hasRefusal),
    stop_sequence: result.end?.stopSequence ?? null,
    usage: encodeUsage(result.usage, isJsonObject(usageRest) ? usageRest : undefined),
  };
  return answer;
}

/** Blocks the canon could not name know their index, and the others fill the places between. */
function encodeContent(result: TurnResult): JsonObject[] {
  const blocks = result.content.flatMap(encodeAnswerPart);
  for (const { dialect, value } of result.opaque) {
    const opaque = unwrapBlock(dialect, value);
    if (opaque) blocks.splice(opaque.index, 0, opaque.block);
  }
  return blocks;
}

function encodeAnswerPart(part: Part): JsonObject[] {
  switch (part.type) {
    case 'text': {
      if (part.text === '') return [];
      const citations = part.annotations?.filter(isCitation) ?? [];
      return [{ type: 'text', text: part.text, ...(citations.length > 0 ? { citations } : {}) }];
    }
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return encodeThought(part);
    case 'tool-call': {
      // Hosted calls run elsewhere: a client that saw one would try to run it.
      if (part.kind === 'hosted') return [];
      const { callId: id, name, kind, argumentsText } = part;
      const input = kind === 'custom' ? lowerInput(argumentsText) : encodeInput(argumentsText);
      return [{ type: 'tool_use', id, name, input }];
    }
    case 'image':
    case 'file':
    case 'audio':
    case 'tool-result':
    case 'opaque':
      return [];
    default:
      return part satisfies never;
  }
}

function encodeThought(part: ReasoningPart): JsonObject[] {
  const isOwn = part.origin === ANTHROPIC_ORIGIN;
  if (part.form === 'redacted') {
    return isOwn && part.encrypted !== undefined ? [{ type: 'redacted_thinking', data: part.encrypted }] : [];
  }
  const signature = (isOwn && part.signature) || '';
  return part.text === '' && signature === '' ? [] : [{ type: 'thinking', thinking: part.text, signature }];
}
