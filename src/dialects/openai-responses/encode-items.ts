// Messages, canon to input items. Items that came from this dialect get their own fields back; parts of any other
// origin are said with what this dialect has. Thoughts go only to the vendor that can read them.
import {
  type JsonObject,
  type JsonValue,
  type Message,
  omitUndefined,
  type Part,
  type ReasoningPart,
  type RefusalPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../core/index.ts';
import { encodeInputContent, encodeOutputPart, encodeResultOutput } from './encode-parts.ts';
import { OPENAI, OPENAI_RESPONSES, partExtra } from './schema.ts';
import type { WireNames } from './wire-names.ts';

export interface ItemContext {
  readonly isOwn: boolean;
  readonly names: WireNames;
  readonly warn: (code: string, message: string) => void;
}

export function encodeItems(messages: readonly Message[], context: ItemContext): JsonObject[] {
  const writer = new ItemWriter(context);
  for (const message of messages) {
    if (message.role === 'assistant') writer.assistant(message.content);
    else if (message.role === 'tool') writer.results(message.content);
    else writer.message(message);
  }
  return writer.items;
}

class ItemWriter {
  readonly items: JsonObject[] = [];
  readonly #context: ItemContext;
  readonly #customCalls = new Set<string>();
  readonly #droppedCalls = new Set<string>();
  #thoughts: ReasoningPart[] = [];
  #openContent: JsonValue[] | undefined;

  constructor(context: ItemContext) {
    this.#context = context;
  }

  message(message: Message): void {
    const [first] = message.content;
    if (first && this.#item(first)) return;
    const { instructions: _instructions, compaction: _compaction, ...rest } = this.#own(message.extra);
    this.items.push(
      omitUndefined({
        type: 'message',
        id: this.#context.isOwn ? message.id : undefined,
        role: message.role,
        content: encodeInputContent(message.content),
        ...rest,
      }) as JsonObject, // JSON values only
    );
  }

  results(content: readonly Part[]): void {
    for (const part of content) {
      if (part.type === 'tool-result') this.#result(part);
      else this.#item(part);
    }
  }

  assistant(content: readonly Part[]): void {
    for (const part of content) {
      if (part.type !== 'reasoning') this.#endThoughts();
      if (part.type !== 'text' && part.type !== 'refusal') this.#openContent = undefined;
      this.#assistantPart(part);
    }
    this.#endThoughts();
    this.#openContent = undefined;
  }

  #assistantPart(part: Part): void {
    switch (part.type) {
      case 'text':
      case 'refusal':
        this.#words(part);
        return;
      case 'reasoning':
        this.#thoughts.push(part);
        if (partExtra(part)?.item || part.encrypted !== undefined) this.#endThoughts();
        return;
      case 'tool-call':
        this.#call(part);
        return;
      case 'tool-result':
        this.#result(part);
        return;
      case 'opaque':
        this.#item(part);
        return;
      case 'audio':
        if (part.transcript) this.#words({ type: 'text', text: part.transcript });
        return;
      case 'image':
      case 'file':
        this.#context.warn(
          'part-dropped',
          `An assistant's ${part.type} has no form in this dialect and was left out.`,
        );
        return;
      default:
        part satisfies never;
    }
  }

  #words(part: TextPart | RefusalPart): void {
    const mark = partExtra(part)?.message;
    if (!this.#openContent || isObject(mark)) {
      this.#openContent = [];
      const fields = this.#context.isOwn && isObject(mark) ? mark : {};
      this.items.push({ type: 'message', role: 'assistant', ...fields, content: this.#openContent });
    }
    this.#openContent.push(encodeOutputPart(part));
  }

  #call(part: ToolCallPart): void {
    const { isOwn, names, warn } = this.#context;
    if (part.kind === 'hosted') {
      this.#droppedCalls.add(part.callId);
      warn('call-dropped', `The call of ${part.name} was run by another server and was left out.`);
      return;
    }
    // A custom tool's raw text may come back in a function envelope (Cursor); the declaration decides.
    const isCustom = part.kind === 'custom' || names.isCustom(part);
    if (isCustom) this.#customCalls.add(part.callId);
    this.items.push(
      omitUndefined({
        type: isCustom ? 'custom_tool_call' : 'function_call',
        id: isOwn ? part.itemId : undefined,
        call_id: names.callId(part.callId),
        name: names.toolName(part),
        namespace: isOwn ? part.namespace : undefined,
        [isCustom ? 'input' : 'arguments']: part.argumentsText,
        ...this.#own(part.extra),
      }) as JsonObject, // JSON values only
    );
  }

  #result(part: ToolResultPart): void {
    if (this.#droppedCalls.has(part.callId)) return;
    const isCustom = this.#customCalls.has(part.callId) || part.kind === 'custom';
    this.items.push(
      omitUndefined({
        type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
        call_id: this.#context.names.callId(part.callId),
        output: encodeResultOutput(part),
        ...this.#own(part.extra),
      }) as JsonObject, // JSON values only
    );
  }

  /** Writes a whole item that was kept as it came; false when the part is something else. */
  #item(part: Part): boolean {
    if (part.type !== 'opaque') return false;
    if (part.dialect !== OPENAI_RESPONSES) {
      this.#context.warn('part-dropped', `A part that only ${part.dialect} knows was left out.`);
      return false;
    }
    if (!partExtra(part)?.item || !isObject(part.value)) return false;
    this.items.push(part.value);
    return true;
  }

  /**
   * A request of this dialect replays its thoughts whole. From elsewhere only encrypted ones can be used: nothing
   * is stored under the other ones' ids, and OpenAI refuses an id it does not know.
   */
  #endThoughts(): void {
    const thoughts = this.#thoughts;
    this.#thoughts = [];
    const last = thoughts.at(-1);
    if (!last) return;
    const mark = partExtra(last)?.item;
    const isForeign = last.origin !== undefined && last.origin !== OPENAI;
    const encrypted = last.origin === OPENAI ? last.encrypted : undefined;
    if (isForeign || (encrypted === undefined && !(this.#context.isOwn && isObject(mark)))) return;
    const raw = thoughts.filter((part) => part.form === 'raw');
    const summary = thoughts.filter((part) => part.form === 'summary');
    this.items.push(
      omitUndefined({
        type: 'reasoning',
        ...(isObject(mark) ? mark : {}),
        summary: summary.map(({ text }) => ({ type: 'summary_text', text })),
        content: raw.length > 0 ? raw.map(({ text }) => ({ type: 'reasoning_text', text })) : undefined,
        encrypted_content: encrypted,
      }) as JsonObject, // JSON values only
    );
  }

  #own(extra: Message['extra']): JsonObject {
    return this.#context.isOwn ? (extra?.[OPENAI_RESPONSES] ?? {}) : {};
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
