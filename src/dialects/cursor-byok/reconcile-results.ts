// Brings calls and results together. Every server refuses a history in which they do not pair, and each of these
// repairs answers a history that Cursor was seen to send: aborted turns, trimmed beginnings, retries, ids that repeat.
import type { CallEntry, Entry, ResultEntry, SpeechEntry } from './transcript.ts';
import { isModelSide } from './transcript.ts';

export interface Reconciled {
  readonly entries: readonly Entry[];
  /** Ids of calls whose result says that it failed; the chat dialect has no field for that. */
  readonly failedCallIds: readonly string[];
  /** What was changed, for the record. */
  readonly repairs: readonly string[];
}

export const MISSING_RESULT = 'No result was returned for this call.';
/** An empty user turn is refused by several servers; this says as little as can be said. */
const EMPTY_TURN = '...';

export const EMPTY_SPEECH: SpeechEntry = {
  kind: 'speech',
  role: 'user',
  content: [{ type: 'text', text: EMPTY_TURN }],
  opensMessage: true,
};

interface OpenCall {
  readonly entry: CallEntry;
  /** As the client sent it. */
  readonly sent: CallEntry;
  result?: ResultEntry;
}

export function reconcileResults(read: readonly Entry[]): Reconciled {
  const repairs: string[] = [];
  const spoken = fillEmptyTurns(read);
  const calls = identifyCalls(spoken);
  matchResults(spoken, calls, repairs);
  const entries = placeResults(spoken, calls, repairs);
  const failedCallIds = entries.flatMap((entry) =>
    entry.kind === 'result' && entry.isError && entry.callId !== undefined ? [entry.callId] : [],
  );
  return { entries, failedCallIds, repairs };
}

/** Empty turns go, except a last one: without it the request would end with the assistant's own words. */
function fillEmptyTurns(entries: readonly Entry[]): Entry[] {
  const last = entries.findLast(
    (entry) => entry.kind !== 'speech' || entry.role === 'user' || entry.role === 'assistant',
  );
  return entries.flatMap((entry): Entry[] => {
    if (entry.kind !== 'speech' || entry.content.length > 0) return [entry];
    return entry === last ? [{ ...entry, content: EMPTY_SPEECH.content }] : [];
  });
}

/** Gives every call an id of its own. Some servers count from `call_0` in each answer, so ids come twice. */
function identifyCalls(entries: readonly Entry[]): Map<Entry, OpenCall> {
  const all = entries.filter((entry) => entry.kind === 'call');
  const taken = new Set(all.map((call) => call.callId));
  const used = new Set<string>();
  const copies = new Map<string, number>();
  const calls = new Map<Entry, OpenCall>();
  for (const call of all) {
    let callId = call.callId;
    const isVague = COUNTED_ID.test(callId) || used.has(callId);
    const { itemId } = call;
    const isUnique = itemId !== undefined && !COUNTED_ID.test(itemId) && !taken.has(itemId);
    if (isVague && isUnique) callId = itemId;
    let copy = copies.get(call.callId) ?? 2;
    for (; used.has(callId); copy++) {
      const candidate = `${call.callId}_${copy}`;
      if (!taken.has(candidate)) callId = candidate;
    }
    copies.set(call.callId, copy);
    used.add(callId);
    taken.add(callId);
    calls.set(call, { entry: { ...call, callId }, sent: call });
  }
  return calls;
}

/** `call_0`, `call_12`: a place in one answer, not the name of a call. */
const COUNTED_ID = /^[a-z]*_?\d{1,3}$/i;

function matchResults(
  entries: readonly Entry[],
  calls: ReadonlyMap<Entry, OpenCall>,
  repairs: string[],
): void {
  const open = new OpenCalls();
  const early: ResultEntry[] = [];
  for (const entry of entries) {
    const call = calls.get(entry);
    if (call) open.add(call);
    if (entry.kind !== 'result') continue;
    const found = entry.callId === undefined ? open.only() : open.find(entry.callId);
    if (found) open.answer(found, entry);
    else early.push(entry);
  }
  for (const result of early) {
    const { callId } = result;
    // A result may stand before its call; anything else answers nothing, or answers a second time.
    const found = callId === undefined ? undefined : open.find(callId);
    if (found) open.answer(found, result);
    else {
      const isKnown = callId !== undefined && open.knows(callId);
      const what = isKnown ? 'a second result' : 'a result without a call';
      repairs.push(`left out ${what}: ${callId ?? 'no id'}`);
    }
  }
}

/** The calls that wait for a result, by the ids under which a client may answer them. */
class OpenCalls {
  readonly #byCallId = new Map<string, OpenCall[]>();
  readonly #byItemId = new Map<string, OpenCall[]>();
  readonly #waiting = new Set<OpenCall>();

  add(call: OpenCall): void {
    this.#waiting.add(call);
    append(this.#byCallId, call.sent.callId, call);
    // Some clients answer by the id of the item that carried the call.
    if (call.sent.itemId !== undefined) append(this.#byItemId, call.sent.itemId, call);
  }

  /** The latest call of that id; an id that repeats means the turn before. */
  find(id: string): OpenCall | undefined {
    return this.#latest(this.#byCallId.get(id)) ?? this.#latest(this.#byItemId.get(id));
  }

  only(): OpenCall | undefined {
    const [first] = this.#waiting;
    return this.#waiting.size === 1 ? first : undefined;
  }

  knows(id: string): boolean {
    return this.#byCallId.has(id) || this.#byItemId.has(id);
  }

  answer(call: OpenCall, result: ResultEntry): void {
    call.result = result;
    this.#waiting.delete(call);
  }

  #latest(calls: OpenCall[] | undefined): OpenCall | undefined {
    while (calls && calls.length > 0 && calls.at(-1)?.result !== undefined) calls.pop();
    return calls?.at(-1);
  }
}

function append(index: Map<string, OpenCall[]>, id: string, call: OpenCall): void {
  const calls = index.get(id);
  if (calls) calls.push(call);
  else index.set(id, [call]);
}

/** Results follow directly on the turn that asked for them; what stood in between comes after. */
function placeResults(
  entries: readonly Entry[],
  calls: ReadonlyMap<Entry, OpenCall>,
  repairs: string[],
): Entry[] {
  const order = new Map(entries.map((entry, index) => [entry, index]));
  const placed: Entry[] = [];
  let turn: OpenCall[] = [];
  const closeTurn = () => {
    const answered = turn.flatMap((call) => (call.result ? [{ call, result: call.result }] : []));
    answered.sort((left, right) => (order.get(left.result) ?? 0) - (order.get(right.result) ?? 0));
    for (const { call, result } of answered) placed.push({ ...result, callId: call.entry.callId });
    for (const call of turn) {
      if (call.result) continue;
      const { callId } = call.entry;
      repairs.push(`added a result for a call that had none: ${callId}`);
      placed.push({ kind: 'result', callId, content: MISSING_RESULT, isError: false });
    }
    turn = [];
  };
  for (const entry of entries) {
    if (!isModelSide(entry)) closeTurn();
    if (entry.kind === 'result') continue;
    const call = calls.get(entry);
    if (call) turn.push(call);
    placed.push(call?.entry ?? entry);
  }
  closeTurn();
  return placed;
}
