import { omitUndefined } from './omit-undefined.ts';

/**
 * Token counts of one turn. Totals are inclusive: `inputTokens` contains cache reads and writes,
 * `outputTokens` contains reasoning. The parts are there to be shown; nobody downstream subtracts.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly inputAudioTokens?: number;
  readonly outputAudioTokens?: number;
  readonly acceptedPredictionTokens?: number;
  readonly rejectedPredictionTokens?: number;
  /** True when nobody counted: the numbers are our guess and every report of them must say so. */
  readonly estimated?: boolean;
}

/** A rough count for texts nobody counted: about four characters a token in English and code. */
export function estimateTokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4));
}

export function estimatedUsage(inputCharacters: number, outputCharacters: number): Usage {
  const inputTokens = estimateTokens(inputCharacters);
  const outputTokens = estimateTokens(outputCharacters);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

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
