import type { Message, Part, ToolResultPart } from '../../core/index.ts';
import { canonicalText } from './decode-arguments.ts';
import type { WaitingCall } from './resume-point.ts';

/**
 * Results that were given before a run was lost. When the backend asks for the same call again, it is answered from
 * here: the tool does not run twice.
 */
export class KnownResults {
  readonly #results = new Map<string, ToolResultPart>();
  readonly #meanings = new Map<string, string>();
  readonly #waiting: ReadonlySet<string>;

  /**
   * The same id with the same arguments is the same call; servers that count their ids anew in each run make the
   * arguments necessary. A run from a checkpoint may ask for a waiting call under another id: for those the same
   * arguments are enough.
   */
  constructor(
    calls: readonly WaitingCall[] = [],
    results: readonly ToolResultPart[] = [],
    waiting: readonly WaitingCall[] = [],
  ) {
    this.#waiting = new Set(waiting.map(({ callId }) => callId));
    for (const call of [...calls, ...waiting]) {
      const result = results.findLast(({ callId }) => callId === call.callId);
      if (!result) continue;
      this.#results.set(call.callId, result);
      this.#meanings.set(call.callId, meaningOf(call));
    }
  }

  /** Whatever was answered anywhere in a conversation, for a run that takes it up again. */
  static of(messages: readonly Message[], waiting: readonly WaitingCall[] = []): KnownResults {
    const calls = messages.flatMap(({ content }) => content).filter((part) => part.type === 'tool-call');
    const earlier = messages.flatMap(({ content }) => content).filter((part) => part.type === 'tool-result');
    return new KnownResults(calls, [...earlier, ...trailingResults(messages)], waiting);
  }

  get isEmpty(): boolean {
    return this.#results.size === 0;
  }

  /** Each result answers one call. */
  take(call: WaitingCall): ToolResultPart | undefined {
    const meaning = meaningOf(call);
    const same = [...this.#results.keys()].filter((id) => this.#meanings.get(id) === meaning);
    const id = same.find((each) => each === call.callId) ?? same.find((each) => this.#waiting.has(each));
    const result = id === undefined ? undefined : this.#results.get(id);
    if (id !== undefined) this.#results.delete(id);
    return result;
  }
}

function meaningOf({ name, argumentsText }: WaitingCall): string {
  return `${name}\n${canonicalText(argumentsText)}`;
}

/** The results at the end of a conversation; words that came along with them go into the last one, as in a live run. */
export function trailingResults(messages: readonly Message[]): ToolResultPart[] {
  const lastSpoken = messages.findLastIndex(({ role }) => role === 'assistant');
  const tail = messages.slice(lastSpoken + 1).flatMap(({ content }) => content);
  const results = tail.filter((part) => part.type === 'tool-result');
  const beside = tail.filter(isResultContent);
  const last = results.pop();
  if (!last) return [];
  return [...results, beside.length === 0 ? last : { ...last, content: [...last.content, ...beside] }];
}

function isResultContent(part: Part): part is ToolResultPart['content'][number] {
  return part.type === 'text' || part.type === 'image' || part.type === 'file' || part.type === 'audio';
}
