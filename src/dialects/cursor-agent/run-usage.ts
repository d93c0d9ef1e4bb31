// Token counts. `turn_ended` has the true ones, for all rounds of the run: its input counts leave the cached tokens out,
// the canon's total includes them. Until then only the context fill and the streamed output are known: an estimate.
// A stateless client gets one answer per round, so the last one says what the earlier ones have not said yet.
import { estimateTokens, omitUndefined, type TurnEvent, type Usage } from '../../core/index.ts';
import type { TurnEndedUpdate } from '../../gen/agent/v1/interaction_update_pb.ts';

export class RunUsage {
  #outputTokens = 0;
  #contextTokens = 0;
  #rounds = 1;
  /** What the answers before this one have said. */
  #given: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** What belongs to this answer. */
  #newOutputTokens = 0;
  #newCharacters = 0;
  #hasRead = true;

  /** The model is asked once more in the same run, and reads its context once more. */
  addRound(): void {
    this.#rounds++;
    this.#hasRead = true;
  }

  addOutput(tokens: number): void {
    this.#outputTokens += Math.max(0, tokens);
    this.#newOutputTokens += Math.max(0, tokens);
  }

  noteContext(usedTokens: number): void {
    this.#contextTokens = usedTokens;
  }

  noteEvents(events: readonly TurnEvent[]): void {
    for (const event of events) {
      const isOutput =
        event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta';
      if (isOutput) this.#newCharacters += event.text.length;
    }
  }

  /**
   * An answer ends here with calls. It always has a count, so that nobody makes one up that the last answer of the run
   * would not know of; `countRequest` gives the characters of the request, for backends that say nothing before the end.
   */
  segment(countRequest: () => number): Usage {
    const guessed = this.#newCharacters === 0 ? 0 : estimateTokens(this.#newCharacters);
    const outputTokens = this.#newOutputTokens || guessed;
    const inputTokens = this.#newInput(outputTokens) ?? estimateTokens(countRequest());
    this.#given = {
      inputTokens: (this.#given?.inputTokens ?? 0) + inputTokens,
      outputTokens: (this.#given?.outputTokens ?? 0) + outputTokens,
    };
    this.#newOutputTokens = 0;
    this.#newCharacters = 0;
    this.#hasRead = false;
    return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
  }

  /** The counts of the last answer; undefined when nothing was counted. */
  final(ended: TurnEndedUpdate | undefined): Usage | undefined {
    const { inputTokens, outputTokens } = ended ?? {};
    if (!ended || (inputTokens === undefined && outputTokens === undefined)) return this.#estimate();
    const cacheWrite = optional(ended.cacheWriteTokens);
    const cacheRead = this.#capped(optional(ended.cacheReadTokens));
    const input = (optional(inputTokens) ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
    const output = optional(outputTokens) ?? this.#outputTokens;
    return this.#rest(
      omitUndefined({
        inputTokens: input,
        outputTokens: output,
        totalTokens: input + output,
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        reasoningTokens: optional(ended.reasoningTokens),
      }),
    );
  }

  #estimate(): Usage | undefined {
    const outputTokens = this.#newOutputTokens;
    const inputTokens = this.#newInput(outputTokens) ?? 0;
    if (inputTokens + outputTokens === 0) return undefined;
    return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
  }

  /** What was read for this answer; nothing when the model was not asked again, undefined when nobody knows. */
  #newInput(outputTokens: number): number | undefined {
    if (!this.#hasRead) return 0;
    return this.#contextTokens === 0 ? undefined : Math.max(0, this.#contextTokens - outputTokens);
  }

  /**
   * What is left of the whole run's counts for its last answer: all answers together are then true, and each alone is an
   * estimate. Counts that are smaller than what was said before cannot be those of the whole run; they stay as they are.
   */
  #rest(whole: Usage): Usage {
    const given = this.#given;
    if (!given || whole.inputTokens < given.inputTokens) return whole;
    const { cacheReadTokens, cacheWriteTokens, reasoningTokens } = whole;
    const inputTokens = whole.inputTokens - given.inputTokens;
    const outputTokens = Math.max(0, whole.outputTokens - given.outputTokens);
    const unread = inputTokens - Math.min(inputTokens, cacheReadTokens ?? 0);
    return omitUndefined({
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cacheReadTokens: cacheReadTokens === undefined ? undefined : inputTokens - unread,
      cacheWriteTokens: cacheWriteTokens === undefined ? undefined : Math.min(cacheWriteTokens, unread),
      reasoningTokens: reasoningTokens === undefined ? undefined : Math.min(reasoningTokens, outputTokens),
      estimated: true,
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
