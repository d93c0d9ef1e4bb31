export type Decision = 'allow' | 'ask' | 'deny';

/** What the policy says of a call, by which rule, and why in words for people and models. */
export interface Verdict {
  readonly decision: Decision;
  /** The id of a rule, or of a built-in one such as `protection:delete`. */
  readonly rule: string;
  readonly reason: string;
}

const WEIGHT: Readonly<Record<Decision, number>> = { allow: 0, ask: 1, deny: 2 };

export function allow(rule: string, reason: string): Verdict {
  return { decision: 'allow', rule, reason };
}

export function ask(rule: string, reason: string): Verdict {
  return { decision: 'ask', rule, reason };
}

export function deny(rule: string, reason: string): Verdict {
  return { decision: 'deny', rule, reason };
}

/** The strictest one; among equals the first. Order changes only which reason is told, never the decision. */
export function strictest(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.reduce<Verdict | undefined>(
    (worst, next) => (!worst || WEIGHT[next.decision] > WEIGHT[worst.decision] ? next : worst),
    undefined,
  );
}
