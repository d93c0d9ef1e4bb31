import { createHash } from 'node:crypto';
import type { AgentCall, CallResult, Message, NoProgressKind } from '../core/index.ts';
import { harnessNote } from './harness-note.ts';

/** For each kind: at which repetition the model is told, and at which the run stops. */
export type GuardThresholds = Readonly<
  Record<NoProgressKind, { readonly hint: number; readonly stop: number }>
>;

export const DEFAULT_THRESHOLDS: GuardThresholds = {
  'repeated-reads': { hint: 3, stop: 6 },
  'repeated-failures': { hint: 3, stop: 6 },
  'no-change': { hint: 4, stop: 8 },
};

export interface SettledCall {
  readonly call: AgentCall;
  readonly result: CallResult;
  readonly isReadOnly: boolean;
}

export type Verdict =
  | { readonly type: 'hint'; readonly kind: NoProgressKind; readonly message: Message }
  | { readonly type: 'stop'; readonly kind: NoProgressKind; readonly explanation: string };

interface Seen {
  outcome: string;
  times: number;
  isHinted: boolean;
}

/** Past this many different calls the oldest are forgotten; every buffer has a bound. */
const MAX_REMEMBERED = 500;

/**
 * Notices a run that goes in circles. Something new is a call whose answer has not been seen since the last change;
 * a change is a call that does more than read, succeeds, and has not succeeded just so before.
 */
export class ProgressGuard {
  readonly #thresholds: GuardThresholds;
  /** Reads and failures since the last change: after it, the same question may have another answer. */
  readonly #sinceChange = new Map<string, Seen>();
  /** Never cleared, so that a change and its undoing, over and over, are seen as what they are. */
  readonly #changes = new Map<string, Seen>();
  #idle: Seen = freshCount();

  constructor(thresholds: Partial<GuardThresholds> = {}) {
    this.#thresholds = { ...DEFAULT_THRESHOLDS, ...thresholds };
  }

  /** Looks at a step's calls, in their order. The model is always told once before the run is stopped. */
  judge(calls: readonly SettledCall[]): Verdict | undefined {
    const known = new Set<string>();
    const repeats: { readonly kind: NoProgressKind; readonly seen: Seen; readonly call: AgentCall }[] = [];
    let hasNews = false;
    for (const { call, result, isReadOnly } of calls) {
      const key = digest(`${call.name} ${call.argumentsText}`);
      // The same call several times in one step is clumsy, but it is one attempt.
      if (known.has(key)) continue;
      known.add(key);
      const isFailure = result.isError === true;
      const isChange = !isReadOnly && !isFailure;
      const seen = remember(isChange ? this.#changes : this.#sinceChange, key, result);
      if (seen.times === 1) {
        hasNews = true;
        if (isChange) this.#sinceChange.clear();
      } else if (!isChange) {
        repeats.push({ kind: isFailure ? 'repeated-failures' : 'repeated-reads', seen, call });
      }
    }
    if (hasNews) this.#idle = freshCount();
    else this.#idle.times++;
    repeats.sort((a, b) => b.seen.times - a.seen.times);
    for (const { kind, seen, call } of repeats) {
      const verdict = this.#weigh(kind, seen, call);
      if (verdict) return verdict;
    }
    // One thing at a time: the model has been told what it repeats.
    if (repeats.some(({ seen }) => seen.isHinted)) return undefined;
    return this.#weigh('no-change', this.#idle, calls[0]?.call);
  }

  #weigh(kind: NoProgressKind, seen: Seen, call: AgentCall | undefined): Verdict | undefined {
    const { hint, stop } = this.#thresholds[kind];
    if (seen.isHinted) {
      return seen.times < stop
        ? undefined
        : { type: 'stop', kind, explanation: explain(kind, seen.times, call) };
    }
    if (seen.times < hint) return undefined;
    seen.isHinted = true;
    return { type: 'hint', kind, message: harnessNote(advise(kind, seen.times, call)) };
  }
}

function freshCount(): Seen {
  return { outcome: '', times: 0, isHinted: false };
}

function remember(memory: Map<string, Seen>, key: string, result: CallResult): Seen {
  const outcome = digest(`${result.isError === true} ${JSON.stringify(result.content)}`);
  const known = memory.get(key);
  const seen = known?.outcome === outcome ? known : { outcome, times: 0, isHinted: false };
  seen.times++;
  memory.delete(key);
  memory.set(key, seen);
  if (memory.size > MAX_REMEMBERED) {
    const [oldest] = memory.keys();
    if (oldest !== undefined) memory.delete(oldest);
  }
  return seen;
}

/** Results may be megabytes; only whether they are the same matters. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function advise(kind: NoProgressKind, times: number, call: AgentCall | undefined): string {
  const name = call?.name ?? 'the tool';
  switch (kind) {
    case 'repeated-reads':
      return `You have called ${name} with the same arguments ${times} times and got the same answer each time. The answer is above; use it. Take the next step, or tell the user what is missing.`;
    case 'repeated-failures':
      return `The same call to ${name} has failed in the same way ${times} times. Repeating it will not help. Read the error, try a different way, or tell the user what stands in the way.`;
    case 'no-change':
      return `Your last ${times} steps brought nothing new. Do something different, finish with an answer, or ask the user how to go on.`;
    default:
      return kind satisfies never;
  }
}

function explain(kind: NoProgressKind, times: number, call: AgentCall | undefined): string {
  const name = call?.name ?? 'a tool';
  switch (kind) {
    case 'repeated-reads':
      return `The model called ${name} with the same arguments ${times} times and got the same answer each time, also after it was told so.`;
    case 'repeated-failures':
      return `The same call to ${name} failed in the same way ${times} times, also after the model was told so.`;
    case 'no-change':
      return `The last ${times} steps repeated earlier ones without any change, also after the model was told so.`;
    default:
      return kind satisfies never;
  }
}
