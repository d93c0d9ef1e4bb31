// A whole answer as one `response` object.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Part,
  type ToolResultPart,
  type TurnResult,
} from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { callItemId, namespaceOf } from './call-items.ts';
import { completeUsage } from './complete-usage.ts';
import { encodeAnnotations } from './encode-annotations.ts';
import { encodeIncompleteReason } from './finish-reason.ts';
import {
  argumentsOrEmpty,
  beginsReasoningItem,
  type CallFields,
  customCallItem,
  encryptedContent,
  endsReasoningItem,
  functionCallItem,
  imageItem,
  logprobList,
  messageItem,
  reasoningItem,
  refusalPart,
  serverCallItem,
  textPart,
} from './output-shapes.ts';
import { ResponseBuilder } from './response-object.ts';
import { OPENAI_RESPONSES, partExtra, wantsEncryptedReasoning } from './schema.ts';
import { itemIdOfSpan } from './thought-span-id.ts';

export function encodeResult(result: TurnResult, context: EncodeContext): JsonObject {
  const incompleteReason = encodeIncompleteReason(result.finishReason);
  const output = [...keptItems(result), ...encodeOutput(result.content, context)];
  return new ResponseBuilder(context).build({
    status: incompleteReason === undefined ? 'completed' : 'incomplete',
    output,
    model: result.start?.model,
    usage: completeUsage(result.usage, context.request, output),
    incompleteReason,
    serviceTier: result.end?.extra?.[OPENAI_RESPONSES]?.service_tier,
  });
}

/** Items of this dialect that the canon has no word for. Their place is not known; searches and the like come first. */
function keptItems(result: TurnResult): JsonObject[] {
  return result.opaque.flatMap(({ dialect, value }) => {
    if (dialect !== OPENAI_RESPONSES || !isJsonObject(value)) return [];
    return value.type === 'response.output_item.done' && isJsonObject(value.item) ? [value.item] : [];
  });
}

function encodeOutput(content: readonly Part[], context: EncodeContext): JsonObject[] {
  const writer = new OutputWriter(context, content);
  for (const part of content) writer.add(part);
  writer.leave();
  return writer.items;
}

class OutputWriter {
  readonly items: JsonObject[] = [];
  readonly #context: EncodeContext;
  readonly #results = new Map<string, ToolResultPart>();
  #message: JsonValue[] = [];
  #summary: JsonObject[] = [];
  #thought: JsonObject[] = [];
  #isThinking = false;
  #thoughtId: string | undefined;
  readonly #usedIds = new Set<string>();

  constructor(context: EncodeContext, content: readonly Part[]) {
    this.#context = context;
    for (const part of content) if (part.type === 'tool-result') this.#results.set(part.callId, part);
  }

  add(part: Part): void {
    if (part.type !== 'text' && part.type !== 'refusal') this.#leaveMessage();
    if (part.type !== 'reasoning') this.#leaveThought(undefined);
    switch (part.type) {
      case 'text':
        this.#message.push(
          textPart(
            part.text,
            encodeAnnotations(part.annotations, part.text.length),
            flatLogprobs(part.logprobs),
          ),
        );
        return;
      case 'refusal':
        this.#message.push(refusalPart(part.text));
        return;
      case 'reasoning':
        if (beginsReasoningItem(part.form, this.#thought.length > 0)) this.#leaveThought(undefined);
        this.#isThinking = true;
        this.#thoughtId ??= part.id === undefined ? undefined : itemIdOfSpan(part.id);
        if (part.form === 'summary') this.#summary.push({ type: 'summary_text', text: part.text });
        if (part.form === 'raw') this.#thought.push({ type: 'reasoning_text', text: part.text });
        if (endsReasoningItem(part)) this.#leaveThought(encryptedContent(part));
        return;
      case 'tool-call':
        this.#call(part);
        return;
      case 'image':
        if (part.source.type === 'base64') {
          const kept = partExtra(part)?.item;
          this.items.push(
            imageItem(this.#context.newId('ig_'), part.source.data, isJsonObject(kept) ? kept : undefined),
          );
        }
        return;
      case 'audio': {
        const data = part.source.type === 'base64' ? part.source.data : '';
        const audio = { type: 'output_audio', data, transcript: part.transcript ?? '' };
        this.items.push(messageItem(this.#context.newId('msg_'), 'completed', [audio]));
        return;
      }
      case 'tool-result': // shown with its call
      case 'file':
      case 'opaque':
        return;
      default:
        part satisfies never;
    }
  }

  leave(): void {
    this.#leaveMessage();
    this.#leaveThought(undefined);
  }

  #call(part: Extract<Part, { type: 'tool-call' }>): void {
    const { newId, request } = this.#context;
    const { callId, name, argumentsText } = part;
    const namespace = namespaceOf(part, request.tools);
    const fields = { callId, name, namespace, status: 'completed' } as const;
    if (part.kind === 'hosted') {
      const hosted: CallFields = { ...fields, id: newId('mcp_'), text: argumentsText };
      this.items.push(serverCallItem(hosted, this.#results.get(callId)));
      return;
    }
    const id = callItemId(part, newId);
    this.items.push(
      part.kind === 'custom'
        ? customCallItem({ ...fields, id, text: argumentsText })
        : functionCallItem({ ...fields, id, text: argumentsOrEmpty(argumentsText) }),
    );
  }

  #leaveMessage(): void {
    if (this.#message.length === 0) return;
    this.items.push(messageItem(this.#context.newId('msg_'), 'completed', this.#message));
    this.#message = [];
  }

  #leaveThought(encrypted: string | undefined): void {
    if (!this.#isThinking) return;
    this.#isThinking = false;
    const shown = wantsEncryptedReasoning(this.#context.request) ? encrypted : undefined;
    const known = this.#thoughtId;
    const id = known === undefined || this.#usedIds.has(known) ? this.#context.newId('rs_') : known;
    this.#usedIds.add(id);
    this.#thoughtId = undefined;
    this.items.push(reasoningItem(id, this.#summary, this.#thought, shown));
    this.#summary = [];
    this.#thought = [];
  }
}

/** A folded answer holds one entry for each delta. */
function flatLogprobs(value: JsonValue | undefined): JsonValue[] {
  if (!Array.isArray(value)) return logprobList(value);
  return value.flatMap((entry) => {
    const inner = logprobList(entry);
    return inner.length > 0 ? inner : Array.isArray(entry) ? [] : [entry];
  });
}
