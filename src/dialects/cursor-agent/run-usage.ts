// Token counts. `turn_ended` has the true ones, for all rounds of the run: its input counts leave the cached tokens out,
// the canon's total includes them. Without them only the context fill and the streamed output are known: an estimate.
import { omitUndefined, type Usage } from '../../core/index.ts';
import type { TurnEndedUpdate } from '../../gen/agent/v1/interaction_update_pb.ts';

export class RunUsage {
  #outputTokens = 0;
  #contextTokens = 0;
  #rounds = 1;

  /** The model is asked once more in the same run, and reads its context once more. */
  addRound(): void {
    this.#rounds++;
  }

  addOutput(tokens: number): void {
    this.#outputTokens += Math.max(0, tokens);
  }

  noteContext(usedTokens: number): void {
    this.#contextTokens = usedTokens;
  }

  /** The counts so far, or undefined when nothing was counted. */
  estimate(): Usage | undefined {
    const outputTokens = this.#outputTokens;
    const inputTokens = Math.max(0, this.#contextTokens - outputTokens);
    if (inputTokens + outputTokens === 0) return undefined;
    return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
  }

  final(ended: TurnEndedUpdate | undefined): Usage | undefined {
    const { inputTokens, outputTokens } = ended ?? {};
    if (!ended || (inputTokens === undefined && outputTokens === undefined)) return this.estimate();
    const cacheWrite = optional(ended.cacheWriteTokens);
    const cacheRead = this.#capped(optional(ended.cacheReadTokens));
    const input = (optional(inputTokens) ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
    const output = optional(outputTokens) ?? this.#outputTokens;
    return omitUndefined({
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
      reasoningTokens: optional(ended.reasoningTokens),
    });
  }

  /** The count of cache reads was seen to add up over days; more than the context, each round, cannot have been read. */
  #capped(cacheRead: number | undefined): number | undefined {
    if (cacheRead === undefined || this.#contextTokens === 0) return cacheRead;
    return Math.min(cacheRead, this.#contextTokens * this.#rounds);
  }
}

function optional(count: bigint | undefined): number | undefined {
  return count === undefined ? undefined : Number(count);
}
