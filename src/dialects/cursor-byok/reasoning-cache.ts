// Cursor never sends `reasoning_content` back, yet several models refuse a tool turn without it. What was thought
// before a call is therefore remembered here under the id of the call.
import type { Message, ReasoningPart, ToolCallPart } from '../../core/index.ts';

export interface Thought {
  readonly text: string;
  readonly form: ReasoningPart['form'];
}

export interface ReasoningCacheOptions {
  readonly maxEntries?: number | undefined;
  readonly maxBytes?: number | undefined;
}

type CallIdentity = Pick<ToolCallPart, 'callId' | 'name' | 'argumentsText'>;

const DEFAULT_ENTRIES = 2000;
const DEFAULT_BYTES = 16 * 1024 * 1024;

/** The least recently used go first. `scope` keeps the clients of different keys apart. */
export class ReasoningCache {
  readonly #thoughts = new Map<string, Thought>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(options: ReasoningCacheOptions = {}) {
    this.#maxEntries = options.maxEntries ?? DEFAULT_ENTRIES;
    this.#maxBytes = options.maxBytes ?? DEFAULT_BYTES;
  }

  get size(): number {
    return this.#thoughts.size;
  }

  remember(scope: string, calls: readonly CallIdentity[], thought: Thought): void {
    if (thought.text === '') return;
    for (const call of calls) this.#put(keyOf(scope, call), thought);
  }

  find(scope: string, call: CallIdentity): Thought | undefined {
    const key = keyOf(scope, call);
    const thought = this.#thoughts.get(key);
    if (!thought) return undefined;
    this.#thoughts.delete(key);
    this.#thoughts.set(key, thought);
    return thought;
  }

  /** Puts remembered thoughts before the calls they led to, in messages that came without any. */
  restore(scope: string, messages: readonly Message[]): Message[] {
    return messages.map((message) => {
      if (message.role !== 'assistant') return message;
      if (message.content.some((part) => part.type === 'reasoning')) return message;
      for (const part of message.content) {
        const thought = part.type === 'tool-call' ? this.find(scope, part) : undefined;
        if (thought) return { ...message, content: [{ type: 'reasoning', ...thought }, ...message.content] };
      }
      return message;
    });
  }

  #put(key: string, thought: Thought): void {
    this.#drop(key);
    const bytes = sizeOf(key, thought);
    if (bytes > this.#maxBytes) return;
    this.#thoughts.set(key, thought);
    this.#bytes += bytes;
    for (const oldest of this.#thoughts.keys()) {
      if (this.#thoughts.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const thought = this.#thoughts.get(key);
    if (!thought) return;
    this.#thoughts.delete(key);
    this.#bytes -= sizeOf(key, thought);
  }
}

function sizeOf(key: string, thought: Thought): number {
  return 2 * (key.length + thought.text.length);
}

/** Ids that merely count (`call_0`) return in every answer; with the call's own text they tell calls apart. */
function keyOf(scope: string, call: CallIdentity): string {
  const isCounted = call.callId.length < 8;
  const identity = isCounted ? `${call.callId}\n${call.name}\n${call.argumentsText}` : call.callId;
  return `${scope}\n${identity}`;
}
