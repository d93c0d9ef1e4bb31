import type { JsonObject } from '../../core/index.ts';
import type { RuleConfig } from '../policy/policy-schema.ts';
import type { Risk } from '../tool.ts';

/** A call that waits for a person, as a thing of its own: anybody with access may list and answer it. */
export interface Approval {
  readonly id: string;
  readonly callId: string;
  /** Two requests with one fingerprint are the same question: same call, same arguments, same files. */
  readonly fingerprint: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly risk: Risk;
  /** The command or the diff. */
  readonly preview: string;
  /** Why it is asked, and by which rule. */
  readonly reason: string;
  readonly rule: string;
  /** What an "always" would add to the policy; absent when that is not on offer. */
  readonly alwaysRule?: RuleConfig;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly state: 'pending' | 'answered' | 'expired' | 'cancelled';
  readonly answer?: ApprovalAnswer;
  readonly answeredAtMs?: number;
}

export type ApprovalAnswer =
  | { readonly type: 'once' }
  | { readonly type: 'always' }
  /** `feedback` is told to the model: what to do differently. */
  | { readonly type: 'deny'; readonly feedback?: string };

export type ApprovalEvent =
  | { readonly type: 'approval-requested'; readonly approval: Approval }
  | { readonly type: 'approval-answered'; readonly approval: Approval }
  | { readonly type: 'approval-expired'; readonly approval: Approval }
  | { readonly type: 'approval-cancelled'; readonly approval: Approval };

export interface ApprovalRequest
  extends Pick<
    Approval,
    'callId' | 'fingerprint' | 'tool' | 'args' | 'risk' | 'preview' | 'reason' | 'rule'
  > {
  readonly alwaysRule?: RuleConfig;
}

/** Where approvals outlive the process. Small on purpose: any store can be put behind it. */
export interface ApprovalStore {
  load(): Promise<readonly Approval[]>;
  save(approval: Approval): Promise<void>;
  remove(id: string): Promise<void>;
}
