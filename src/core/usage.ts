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
