// A finished output item: from `response.output_item.done`, or from the list in the final response.
import {
  GatewayError,
  isJsonObject,
  type JsonObject,
  omitUndefined,
  type TurnEvent,
} from '../../core/index.ts';
import { restWithoutNulls } from '../../wire/expect-field.ts';
import { type ItemSpans, type ItemState, objectsOf } from './item-spans.ts';
import { OPENAI, OPENAI_RESPONSES } from './schema.ts';
import { openProof } from './sealed-content.ts';

export function decodeOutputItem(
  item: ItemState,
  wire: JsonObject,
  spans: ItemSpans,
  out: TurnEvent[],
): void {
  switch (wire.type) {
    case 'message':
      finishMessage(item, wire, spans, out);
      break;
    case 'reasoning':
      finishReasoning(item, wire, spans, out);
      break;
    case 'function_call':
    case 'custom_tool_call':
      finishCall(item, wire, spans, out);
      return;
    case 'image_generation_call':
      if (typeof wire.result === 'string') {
        const format = typeof wire.output_format === 'string' ? wire.output_format : 'png';
        spans.media(wire.result, `image/${format}`, wire, OPENAI_RESPONSES, out);
        break;
      }
      keepItem(wire, out);
      break;
    default:
      keepItem(wire, out);
  }
  item.isDone = true;
}

function finishMessage(item: ItemState, wire: JsonObject, spans: ItemSpans, out: TurnEvent[]): void {
  for (const [index, part] of objectsOf(wire.content)) {
    const isRefusal = part.type === 'refusal';
    if (!isRefusal && part.type !== 'output_text') continue;
    const isNew = !item.parts.has(`c${index}`);
    const state = spans.part(item, `c${index}`, isRefusal ? 'refusal' : 'text');
    const logprobs = Array.isArray(part.logprobs) && part.logprobs.length > 0 ? part.logprobs : undefined;
    if (Array.isArray(part.annotations) && state.annotations.length === 0) {
      state.annotations.push(...part.annotations);
    }
    if (isNew && state.annotations.length > 0) spans.open(state, out);
    spans.sayRest(state, isRefusal ? part.refusal : part.text, logprobs, out);
    spans.closePart(state, out);
  }
  for (const state of item.parts.values()) spans.closePart(state, out);
}

function finishReasoning(item: ItemState, wire: JsonObject, spans: ItemSpans, out: TurnEvent[]): void {
  for (const [index, part] of objectsOf(wire.summary)) {
    spans.sayRest(spans.part(item, `s${index}`, 'summary'), part.text, undefined, out);
  }
  for (const [index, part] of objectsOf(wire.content)) {
    spans.sayRest(spans.part(item, `c${index}`, 'raw'), part.text, undefined, out);
  }
  const rest = restWithoutNulls(wire, ['type', 'summary', 'content', 'encrypted_content']) ?? {};
  const extra = { [OPENAI_RESPONSES]: { item: rest } };
  const encrypted = typeof wire.encrypted_content === 'string' ? wire.encrypted_content : undefined;
  // Another crosspoint may be the upstream: then the proof is one of those we seal ourselves.
  const proof = encrypted === undefined ? undefined : openProof(encrypted);
  if (proof) {
    const { signature, origin } = proof;
    spans.endReasoning(
      item,
      { ...omitUndefined({ signature, encrypted: proof.encrypted, origin }), extra },
      out,
    );
  } else {
    spans.endReasoning(item, encrypted === undefined ? { extra } : { encrypted, origin: OPENAI, extra }, out);
  }
}

/** A call that says of itself that it is incomplete stays open; the end of the turn closes it without a call. */
function finishCall(item: ItemState, wire: JsonObject, spans: ItemSpans, out: TurnEvent[]): void {
  spans.startCall(item, wire, out);
  if (item.callId === undefined) {
    throw new GatewayError('upstream-malformed', 'The upstream called a tool without naming it.');
  }
  spans.appendInputRest(item, wire.type === 'function_call' ? wire.arguments : wire.input, out);
  if (wire.status !== 'incomplete') spans.finishCall(item, out);
}

/** Items the canon has no word for (web searches, shell calls …) reach clients of this dialect whole. */
function keepItem(wire: JsonObject, out: TurnEvent[]): void {
  if (!isJsonObject(wire)) return;
  out.push({
    type: 'opaque',
    dialect: OPENAI_RESPONSES,
    value: { type: 'response.output_item.done', item: wire },
  });
}
