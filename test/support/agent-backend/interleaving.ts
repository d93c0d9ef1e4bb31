// How a server may hand out the calls of one model answer: announced or not, in pieces that overlap, checkpoint before or
// after the execs, all at once or one after the other. A list of steps that any simulated server can play.
import fc from 'fast-check';
import type { ScriptedCall } from './tool-calls.ts';

export type InterleavingStep =
  | { readonly type: 'partial'; readonly call: ScriptedCall; readonly text: string }
  | { readonly type: 'started' | 'exec' | 'completed'; readonly call: ScriptedCall }
  | { readonly type: 'checkpoint'; readonly pending: readonly ScriptedCall[] }
  /** Waits until the results of these calls are there. */
  | { readonly type: 'await'; readonly calls: readonly ScriptedCall[] };

export interface Interleaving {
  readonly calls: readonly ScriptedCall[];
  /** The argument text of each call as it was streamed; absent for a call whose text was not. */
  readonly streamed: ReadonlyMap<string, string>;
  /** Whether every exec came before the first result was waited for, and a checkpoint before the execs named them all. */
  readonly isListedFirst: boolean;
  readonly steps: readonly InterleavingStep[];
}

export interface InterleavingOptions {
  /** A tool with one string parameter. */
  readonly tool: { readonly name: string; readonly parameter: string };
  /** False: calls may be run in another order than the model made them in. */
  readonly isInOrder: boolean;
}

const MAX_CALLS = 4;

const shape = fc.record({
  values: fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: MAX_CALLS }),
  indent: fc.constantFrom(0, 1),
  announcement: fc.constantFrom('none', 'started', 'text', 'text', 'mixed'),
  cuts: fc.array(fc.nat(), { maxLength: 8 }),
  choices: fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
  order: fc.array(fc.nat(), { minLength: MAX_CALLS, maxLength: MAX_CALLS }),
  breaks: fc.array(fc.boolean(), { minLength: MAX_CALLS, maxLength: MAX_CALLS }),
  checkpoint: fc.constantFrom('none', 'before', 'between', 'after'),
  hasCompletions: fc.boolean(),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

export function interleavings(options: InterleavingOptions): fc.Arbitrary<Interleaving> {
  return shape.map((drawn) => buildInterleaving(drawn, options));
}

function buildInterleaving(drawn: Shape, { tool, isInOrder }: InterleavingOptions): Interleaving {
  const { values, checkpoint, announcement, hasCompletions } = drawn;
  const calls = values.map((value, index): ScriptedCall => {
    return { callId: `call-${index + 1}`, name: tool.name, args: { [tool.parameter]: value } };
  });
  const streamed = new Map<string, string>();
  for (const [index, call] of calls.entries()) {
    const hasText = announcement === 'text' || (announcement === 'mixed' && index % 2 === 1);
    if (hasText) streamed.set(call.callId, JSON.stringify(call.args, null, drawn.indent));
  }
  const batches = splitIntoBatches(isInOrder ? calls : sortBy(calls, drawn.order), drawn.breaks);
  const steps = announcement === 'none' ? [] : announceAll(calls, streamed, drawn);
  const open = new Set(calls);
  const tellPending = () => steps.push({ type: 'checkpoint', pending: [...open] });
  if (checkpoint === 'before') tellPending();
  for (const [index, batch] of batches.entries()) {
    // Within a batch the order never matters: all of its execs are out before any result.
    for (const [at, call] of sortBy(batch, drawn.order).entries()) {
      if (checkpoint === 'between' && at === 1) tellPending();
      steps.push({ type: 'exec', call });
    }
    if (checkpoint === 'after' && index === 0) tellPending();
    steps.push({ type: 'await', calls: batch });
    for (const call of batch) {
      open.delete(call);
      if (hasCompletions) steps.push({ type: 'completed', call });
    }
  }
  steps.push({ type: 'checkpoint', pending: [] });
  return { calls, streamed, isListedFirst: batches.length === 1 && checkpoint === 'before', steps };
}

/** Calls begin in order; from then on the pieces of all of them come in any order. */
function announceAll(
  calls: readonly ScriptedCall[],
  streamed: ReadonlyMap<string, string>,
  { cuts, choices }: Shape,
): InterleavingStep[] {
  const lanes = calls.map((call) => {
    const text = streamed.get(call.callId);
    const pieces: InterleavingStep[] =
      text === undefined ? [] : cutText(text, cuts).map((piece) => ({ type: 'partial', call, text: piece }));
    return [...pieces, { type: 'started' as const, call }];
  });
  const steps = lanes.flatMap((lane) => lane.splice(0, 1));
  for (let turn = 0; lanes.some((lane) => lane.length > 0); turn++) {
    const left = lanes.filter((lane) => lane.length > 0);
    const lane = left[(choices[turn % choices.length] ?? 0) % left.length];
    const step = lane?.shift();
    if (step) steps.push(step);
  }
  return steps;
}

function cutText(text: string, cuts: readonly number[]): string[] {
  const at = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

function splitIntoBatches<T>(items: readonly T[], breaks: readonly boolean[]): T[][] {
  const batches: T[][] = [];
  for (const [index, item] of items.entries()) {
    const last = batches.at(-1);
    if (last && !breaks[index]) last.push(item);
    else batches.push([item]);
  }
  return batches;
}

function sortBy<T>(items: readonly T[], keys: readonly number[]): T[] {
  return items
    .map((item, index) => ({ item, key: keys[index] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
