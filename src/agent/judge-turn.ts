import {
  type AgentCall,
  type CallResult,
  GatewayError,
  type Message,
  type Part,
  type RunEndReason,
} from '../core/index.ts';
import { errorResult } from './check-call.ts';
import { harnessNote } from './harness-note.ts';
import { nameModel } from './name-model.ts';
import type { TurnOutcome } from './turn-watch.ts';

/** What is to be done after a turn. `answer` is what of it becomes part of the conversation, perhaps nothing. */
export type TurnVerdict =
  | { readonly type: 'fail'; readonly error: GatewayError }
  /** The conversation has outgrown the model: make it shorter and ask again. */
  | { readonly type: 'compact' }
  | {
      readonly type: 'calls';
      readonly answer: readonly Part[];
      /** Calls that must not run, with what is answered instead. */
      readonly problems: ReadonlyMap<AgentCall, CallResult>;
    }
  | {
      readonly type: 'end';
      readonly answer: readonly Part[];
      readonly reason: RunEndReason;
      readonly explanation?: string;
    }
  /** The answer is none; the model is told so and asked again. */
  | { readonly type: 'nudge'; readonly answer: readonly Part[]; readonly message: Message }
  | { readonly type: 'continue'; readonly answer: readonly Part[] };

export interface JudgeContext {
  readonly model: string;
  /** How often in a row it was nudged already. */
  readonly nudges: number;
  readonly mayCompact: boolean;
}

const MAX_NUDGES = 1;

export function judgeTurn(outcome: TurnOutcome, context: JudgeContext): TurnVerdict {
  const { calls, cutCalls, finishReason, error } = outcome;
  // A thought without any word after it is refused by some APIs when it is sent back.
  const answer = outcome.content.some((part) => part.type !== 'reasoning') ? outcome.content : [];
  if (error) {
    return error.code === 'context-overflow' && context.mayCompact
      ? { type: 'compact' }
      : { type: 'fail', error };
  }
  if (finishReason === 'content-filter' || finishReason === 'refusal') {
    return judgeFiltered(outcome);
  }
  if (calls.length > 0) return { type: 'calls', answer, problems: doubtfulCalls(outcome) };
  if (finishReason === 'context-full' && context.mayCompact) return { type: 'compact' };
  const [cut] = cutCalls;
  if (cut !== undefined && context.nudges < MAX_NUDGES) {
    return { type: 'nudge', answer, message: harnessNote(cutAdvice(cut)) };
  }
  if (finishReason === 'length' || finishReason === 'context-full' || cut !== undefined) {
    return { type: 'end', answer, reason: 'length', explanation: explainLength(outcome, cut) };
  }
  if (finishReason === 'pause' && answer.length > 0) return { type: 'continue', answer };
  if (outcome.content.some(isAnswer)) return { type: 'end', answer, reason: 'done' };
  if (context.nudges < MAX_NUDGES) return { type: 'nudge', answer, message: harnessNote(EMPTY_ADVICE) };
  return {
    type: 'fail',
    error: new GatewayError(
      'upstream-malformed',
      `There was no answer from ${nameModel(context.model)}, also when asked again. Repeat the message, or try another model.`,
    ),
  };
}

/** Calls of an answer that a filter stopped are not what the model would have said; none of them runs or stays. */
function judgeFiltered(outcome: TurnOutcome): TurnVerdict {
  const isRefusal = outcome.finishReason === 'refusal';
  const what = isRefusal ? 'The model declined to go on' : 'A content filter stopped the answer';
  const raw = outcome.rawReason === undefined ? '' : ` (${outcome.rawReason})`;
  return {
    type: 'end',
    answer: outcome.content.filter((part) => part.type === 'text' || part.type === 'refusal'),
    reason: 'content-filter',
    explanation: `${what}${raw}. Put the request differently, or use another model.`,
  };
}

/**
 * The last call of an answer that was cut at its output limit may itself be cut without showing it: free text has no
 * end mark, and no text at all reads as a call without arguments.
 */
function doubtfulCalls(outcome: TurnOutcome): ReadonlyMap<AgentCall, CallResult> {
  const last = outcome.calls.at(-1);
  const wasCut = outcome.finishReason === 'length' || outcome.finishReason === 'context-full';
  if (!last || !wasCut || outcome.cutCalls.length > 0) return new Map();
  if (last.kind !== 'custom' && last.argumentsText.trim() !== '') return new Map();
  const text = `Your answer reached its output limit, so this call to ${last.name} may be incomplete and was not run. Repeat it, in smaller pieces if its input is long.`;
  return new Map([[last, errorResult(text)]]);
}

function isAnswer(part: Part): boolean {
  if (part.type === 'text' || part.type === 'refusal') return part.text.trim() !== '';
  return part.type === 'image' || part.type === 'file' || part.type === 'audio';
}

const EMPTY_ADVICE =
  'Your last answer was empty. If the task is done, say in a sentence or two what you did. If not, go on with it.';

function cutAdvice(name: string): string {
  return `Your answer ended in the middle of a call to ${name}; nothing of that call was run. Repeat it, in smaller pieces if its input is long.`;
}

function explainLength(outcome: TurnOutcome, cut: string | undefined): string {
  const what = outcome.finishReason === 'context-full' ? 'its context window' : 'its output limit';
  const where = cut === undefined ? '' : ` in the middle of a call to ${cut}, which was not run`;
  return `The model reached ${what}${where}. Ask it to continue, or raise the limit.`;
}
