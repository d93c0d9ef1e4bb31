import type { JsonObject } from '../../core/index.ts';
import type { RuleConfig } from '../policy/policy-schema.ts';
import type { Risk } from '../tool.ts';

/**
 * What a person is asked: whether a call may run, whether a server or tool is the one that was meant (`consent`), what a
 * tool or server wants to know (`question`), to sign in somewhere (`sign-in`).
 */
export type ApprovalKind = 'call' | 'consent' | 'question' | 'sign-in';

export interface FormOption {
  readonly id: string;
  readonly label: string;
}

/** What an answer may hold beside yes and no. */
export type ApprovalForm =
  | {
      /** Answered by the question's id: the id of an option, a list of them, or words of one's own. */
      readonly type: 'questions';
      readonly questions: readonly {
        readonly id: string;
        readonly prompt: string;
        readonly options: readonly FormOption[];
        readonly allowMultiple: boolean;
      }[];
    }
  /** A flat object of texts, numbers and choices, by JSON Schema. */
  | { readonly type: 'fields'; readonly schema: JsonObject }
  /** May be given back changed, as `text`. */
  | { readonly type: 'text'; readonly text: string }
  /** To be opened in a browser; where that cannot come back here, `address` takes what it was sent to. */
  | { readonly type: 'address'; readonly url: string };

/** Something that waits for a person, as a thing of its own: anybody with access may list and answer it. */
export interface Approval {
  readonly id: string;
  /** Left out: a call that wants to run. */
  readonly kind?: ApprovalKind;
  readonly form?: ApprovalForm;
  /** Empty where no single call is behind it. */
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
  /** For what has a form. */
  | { readonly type: 'reply'; readonly content: JsonObject }
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
  readonly kind?: ApprovalKind;
  readonly form?: ApprovalForm;
  readonly alwaysRule?: RuleConfig;
}

/** Where approvals outlive the process. Small on purpose: any store can be put behind it. */
export interface ApprovalStore {
  load(): Promise<readonly Approval[]>;
  save(approval: Approval): Promise<void>;
  remove(id: string): Promise<void>;
}
