/** A cell that cannot be good, and why. A gap that closes makes the test fail, so that it leaves this list. */
export interface KnownGap {
  readonly scenario: string;
  /** Left out: every front. */
  readonly front?: string;
  /** Left out: every upstream. */
  readonly upstream?: string;
  readonly reason: string;
}

export const KNOWN_GAPS: readonly KnownGap[] = [
  {
    scenario: 'a tool that takes free text is called with free text',
    front: 'anthropic-messages',
    reason: 'the Messages API has no such tools, so no client can declare one',
  },
  {
    scenario: 'a stop string ends the answer before it is said',
    front: 'openai-responses',
    reason: 'the Responses API has no field in which a client could ask for it',
  },
  {
    scenario: 'a stop string ends the answer before it is said',
    upstream: 'openai-responses',
    reason: 'the Responses API has no field for it; the turn carries a warning instead',
  },
  ...['an answer follows the schema it was given', 'a stop string ends the answer before it is said'].map(
    cannotTravel,
  ),
  ...['the limit of tokens ends the answer as cut', 'one call at a time when the client wants no more'].map(
    cannotTravel,
  ),
  ...['some tool is called when one must be', 'the tool that was named is called'].map(cannotTravel),
  {
    scenario: 'tokens are counted as the model counted them',
    upstream: 'cursor-agent',
    reason: 'the far loop puts its own instructions before a conversation without any, and they are counted',
  },
];

/** The loop runs at the far end, and its protocol has no words for how a single answer shall be. */
function cannotTravel(scenario: string): KnownGap {
  return {
    scenario,
    upstream: 'cursor-agent',
    reason: 'agent.v1 has no field in which it could be asked for',
  };
}

export function findGap(scenario: string, front: string, upstream: string): KnownGap | undefined {
  return KNOWN_GAPS.find(
    (gap) =>
      gap.scenario === scenario && (gap.front ?? front) === front && (gap.upstream ?? upstream) === upstream,
  );
}
