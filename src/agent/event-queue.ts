import { type AgentEvent, type CallProgress, omitUndefined } from '../core/index.ts';

/** What a slow reader is owed of one output; older text gives way, with a notice. */
const MAX_WAITING_CHARACTERS = 64 * 1024;

interface WaitingProgress {
  readonly callId: string;
  readonly stream: CallProgress['stream'];
  text: string | undefined;
  skipped: number;
}

/**
 * Events of calls that run side by side, on their way to one reader. Progress that waits is joined, so it is bounded;
 * none may come for a call whose end has been pushed.
 */
export class EventQueue {
  readonly #waiting: (AgentEvent | WaitingProgress)[] = [];
  readonly #progress = new Map<string, WaitingProgress>();
  #wake: (() => void) | undefined;

  push(event: AgentEvent): void {
    this.#waiting.push(event);
    this.wake();
  }

  progress(callId: string, { text, stream }: CallProgress): void {
    const key = `${stream ?? ''} ${callId}`;
    let entry = this.#progress.get(key);
    if (!entry) {
      entry = { callId, stream, text: undefined, skipped: 0 };
      this.#progress.set(key, entry);
      this.#waiting.push(entry);
    }
    if (text !== undefined) append(entry, text);
    this.wake();
  }

  shift(): AgentEvent | undefined {
    const next = this.#waiting.shift();
    if (!next || 'type' in next) return next;
    this.#progress.delete(`${next.stream ?? ''} ${next.callId}`);
    return { type: 'call-progress', callId: next.callId, progress: toProgress(next) };
  }

  /** Lets the reader look again. */
  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** Resolves at the next event or `wake`; ask only when `shift` had nothing. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function append(entry: WaitingProgress, text: string): void {
  const joined = (entry.text ?? '') + text;
  const excess = Math.max(0, joined.length - MAX_WAITING_CHARACTERS);
  entry.text = joined.slice(excess);
  entry.skipped += excess;
}

function toProgress({ text, stream, skipped }: WaitingProgress): CallProgress {
  const notice = skipped > 0 ? `[${skipped} characters not shown]\n` : '';
  return omitUndefined({ text: text === undefined ? undefined : notice + text, stream });
}
