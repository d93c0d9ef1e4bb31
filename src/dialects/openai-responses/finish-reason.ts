// This dialect has no finish reason: a response is completed or incomplete, and its items say the rest.
import type { FinishReason } from '../../core/index.ts';

export function wholeReason(seen: {
  readonly hasCalls: boolean;
  readonly hasRefusal: boolean;
}): FinishReason {
  if (seen.hasCalls) return 'tool-calls';
  return seen.hasRefusal ? 'refusal' : 'stop';
}

/** `rawReason` is the word in `incomplete_details`; servers that leave it out mean the output limit. */
export function cutReason(rawReason: string | undefined): FinishReason {
  if (rawReason === undefined || rawReason === 'max_output_tokens') return 'length';
  return rawReason === 'content_filter' ? 'content-filter' : 'other';
}

/** Undefined for an answer that is whole. */
export function encodeIncompleteReason(reason: FinishReason): string | undefined {
  switch (reason) {
    case 'length':
    case 'context-full':
      return 'max_output_tokens';
    case 'content-filter':
      return 'content_filter';
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    case 'refusal':
    case 'pause':
    case 'other':
      return undefined;
    default:
      return reason satisfies never;
  }
}
