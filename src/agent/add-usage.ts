import { omitUndefined, type Usage } from '../core/index.ts';

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

const PARTS = [
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'inputAudioTokens',
  'outputAudioTokens',
  'acceptedPredictionTokens',
  'rejectedPredictionTokens',
] as const;

/** The sum of two counts. One guess in it makes the whole a guess; a part nobody counted stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const parts: Partial<Record<(typeof PARTS)[number], number>> = {};
  for (const part of PARTS) {
    if (a[part] !== undefined || b[part] !== undefined) parts[part] = (a[part] ?? 0) + (b[part] ?? 0);
  }
  return omitUndefined({
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    ...parts,
    estimated: a.estimated || b.estimated ? true : undefined,
  });
}
