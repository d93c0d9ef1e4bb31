// Why a turn ended, both ways. The words are those of Anthropic's reference; new ones become `other` and keep their name.
import type { FinishReason, JsonObject, TurnEnd } from '../../core/index.ts';
import { ANTHROPIC_MESSAGES, type StopReason } from './schema.ts';

const REASONS: Readonly<Record<StopReason, FinishReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context-full',
};

const STOP_REASONS: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  pause: 'pause_turn',
  refusal: 'refusal',
  'context-full': 'model_context_window_exceeded',
  'content-filter': 'refusal',
  other: 'end_turn',
};

export function decodeStopReason(reason: string): FinishReason {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as StopReason] : 'other'; // hasOwn has just checked it
}

/** A word that only this dialect knows survives the way through the canon. */
export function encodeStopReason(end: TurnEnd | undefined, hasRefusal: boolean): string {
  const reason = end?.reason ?? 'other';
  if (reason === 'other' && typeof endExtra(end)?.stop_reason === 'string')
    return String(endExtra(end)?.stop_reason);
  if (hasRefusal && (reason === 'stop' || reason === 'other')) return 'refusal';
  return STOP_REASONS[reason];
}

export function endExtra(end: TurnEnd | undefined): JsonObject | undefined {
  return end?.extra?.[ANTHROPIC_MESSAGES];
}
