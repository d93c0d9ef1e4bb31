// Takes a conversation apart, item by item. Chat messages, Responses items and Anthropic blocks may follow each other
// in one list, so each item is judged by its own marks and never by the body it came in.
import {
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
} from '../../core/index.ts';
import { describe } from '../../wire/json.ts';
import { type DeclaredTools, readCallItem, readChatCall, readToolUse } from './read-calls.ts';
import { listBlocks, readCache, readPart, readResultContent } from './read-content.ts';
import type { ContentPart, Entry, ResultEntry, SpeakerRole } from './transcript.ts';

export interface ReadOptions {
  readonly tools: DeclaredTools;
  /** Changes the words of the assistant, e.g. to take shown thoughts out of them. */
  readonly cleanAssistantText?: ((text: string) => string) | undefined;
}

export function readItems(
  items: readonly JsonValue[],
  field: 'messages' | 'input' | 'system',
  options: ReadOptions,
): Entry[] {
  let missingIds = 0;
  const newId = () => `call_without_id_${++missingIds}`;
  const reader = new ItemReader(options, newId);
  for (const [index, item] of items.entries()) reader.read(item, `${field}[${index}]`);
  return reader.entries;
}

class ItemReader {
  readonly entries: Entry[] = [];
  readonly #options: ReadOptions;
  readonly #newId: () => string;

  constructor(options: ReadOptions, newId: () => string) {
    this.#options = options;
    this.#newId = newId;
  }

  read(value: JsonValue, path: string): void {
    if (typeof value === 'string') {
      this.#readSpeech('user', listBlocks(value, path), {});
      return;
    }
    if (!isJsonObject(value)) {
      throw invalidRequest(`\`${path}\` must be an object, not ${describe(value)}.`, path);
    }
    if (value.role === undefined && typeof value.type === 'string' && value.type !== 'message') {
      this.#readItem(value, path);
    } else this.#readMessage(value, path);
  }

  #readItem(item: JsonObject, path: string): void {
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
        this.#push(readCallItem(item, this.#options.tools, this.#newId));
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#push(readResult(item, item.call_id, item.output, `${path}.output`));
        return;
      // Blocks that lost their message.
      case 'tool_use':
      case 'tool_result':
      case 'text':
      case 'input_text':
        this.#readSpeech(item.type === 'tool_use' ? 'assistant' : 'user', [item], {});
        return;
      default:
        this.entries.push({ kind: 'item', item });
    }
  }

  #readMessage(message: JsonObject, path: string): void {
    const { role } = message;
    switch (role) {
      case 'system':
      case 'developer':
      case 'user':
        this.#readSpeech(role, this.#blocks(message, path), message);
        return;
      case 'assistant':
        this.#readAssistant(message, path);
        return;
      case 'tool':
      case 'function':
        this.#push(
          readResult(message, message.tool_call_id ?? message.call_id, message.content, `${path}.content`),
        );
        return;
      default:
        throw invalidRequest(
          `\`${path}.role\` must be "system", "developer", "user", "assistant" or "tool", not ${describe(role)}.`,
          `${path}.role`,
        );
    }
  }

  /** A mark on the whole message means the end of it. */
  #blocks(message: JsonObject, path: string): JsonObject[] {
    const blocks = listBlocks(message.content, `${path}.content`);
    const last = blocks.at(-1);
    if (!last || !isJsonObject(message.cache_control) || last.cache_control !== undefined) return blocks;
    return [...blocks.slice(0, -1), { ...last, cache_control: message.cache_control }];
  }

  #readAssistant(message: JsonObject, path: string): void {
    const { reasoning_content: thought } = message;
    if (typeof thought === 'string' && thought !== '') this.entries.push({ kind: 'thought', text: thought });
    this.#readSpeech('assistant', this.#blocks(message, path), message);
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      const content: ContentPart[] = [{ type: 'refusal', text: message.refusal }];
      this.entries.push({ kind: 'speech', role: 'assistant', content, opensMessage: false });
    }
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    for (const call of calls) this.#push(readChatCall(call, this.#options.tools, this.#newId));
    if (isJsonObject(message.function_call)) {
      this.#push(readChatCall(message.function_call, this.#options.tools, this.#newId));
    }
  }

  /** Words of one message. Calls and results among its blocks become entries of their own, in their place. */
  #readSpeech(role: SpeakerRole, blocks: readonly JsonObject[], message: JsonObject): void {
    let content: ContentPart[] = [];
    let opensMessage = true;
    const flush = () => {
      if (content.length === 0) return;
      const name = typeof message.name === 'string' && message.name !== '' ? message.name : undefined;
      const item = opensMessage ? itemFields(message) : undefined;
      this.entries.push(omitUndefined({ kind: 'speech' as const, role, content, name, item, opensMessage }));
      content = [];
      opensMessage = false;
    };
    let isSpoken = blocks.length === 0;
    for (const block of blocks) {
      if (block.type === 'tool_result') {
        // Results belong before the words beside them: they answer the turn before.
        this.#push(readResult(block, block.tool_use_id, block.content, 'content'));
      } else if (block.type === 'tool_use') {
        flush();
        if (role === 'assistant') this.#push(readToolUse(block, this.#options.tools, this.#newId));
      } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
        if (typeof block.thinking === 'string' && block.thinking !== '') {
          this.entries.push({ kind: 'thought', text: block.thinking });
        }
      } else {
        isSpoken = true;
        const part = this.#clean(role, readPart(block));
        if (part) content.push(part);
      }
    }
    flush();
    // A user's turn that is truly empty is kept for now: it may be the one that asks.
    if (opensMessage && isSpoken && role === 'user') {
      this.entries.push({ kind: 'speech', role, content: [], opensMessage: true });
    }
  }

  #clean(role: SpeakerRole, part: ContentPart | undefined): ContentPart | undefined {
    const clean = this.#options.cleanAssistantText;
    if (role !== 'assistant' || part?.type !== 'text' || !clean) return part;
    const text = clean(part.text);
    return text === '' ? undefined : { ...part, text };
  }

  #push(entry: Entry | undefined): void {
    if (entry) this.entries.push(entry);
  }
}

function readResult(
  source: JsonObject,
  id: JsonValue | undefined,
  content: JsonValue | undefined,
  path: string,
): ResultEntry {
  return omitUndefined({
    kind: 'result' as const,
    callId: typeof id === 'string' && id !== '' ? id : undefined,
    name: typeof source.name === 'string' && source.name !== '' ? source.name : undefined,
    content: readResultContent(content, path),
    isError: source.is_error === true,
    cache: readCache(source),
  });
}

function itemFields(message: JsonObject): JsonObject | undefined {
  const { id, status, phase } = message;
  const kept = omitUndefined({ id, status, phase }) as JsonObject; // JSON values only
  return Object.keys(kept).length > 0 ? kept : undefined;
}
