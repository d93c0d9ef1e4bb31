import { type JsonObject, omitUndefined, randomId } from '../../core/index.ts';
import type { ApprovalForm, ApprovalKind } from './approval.ts';
import type { Approvals, CheckReply } from './approvals.ts';

export interface PersonRequest {
  readonly kind: Exclude<ApprovalKind, 'call'>;
  /** Who asks: a tool, an MCP server. */
  readonly asker: string;
  /** The question with everything that is needed to answer it. */
  readonly preview: string;
  readonly reason: string;
  /** For programs that tell questions apart. */
  readonly rule: string;
  /** The call during which it came up. */
  readonly callId?: string | undefined;
  readonly form?: ApprovalForm;
  readonly checkReply?: CheckReply;
}

export type PersonAnswer =
  | { readonly type: 'agreed'; readonly content?: JsonObject }
  | { readonly type: 'refused'; readonly reason?: string }
  | { readonly type: 'unanswered'; readonly why: 'expired' | 'cancelled' };

/** A question that is no permission for a call: asked once, answered wherever approvals are, kept by nobody. */
export async function askPerson(
  approvals: Approvals,
  request: PersonRequest,
  signal: AbortSignal,
): Promise<PersonAnswer> {
  const { kind, asker, preview, reason, rule, callId = '', form, checkReply } = request;
  const question = omitUndefined({
    kind,
    callId,
    form,
    // Never the same question twice, even in the same words.
    fingerprint: randomId('question_'),
    tool: asker,
    args: {},
    risk: 'interact' as const,
    preview,
    reason,
    rule,
  });
  const { id, state, answer } = await approvals.request(question, signal, checkReply);
  await approvals.consume(id);
  if (state === 'expired' || state === 'cancelled') return { type: 'unanswered', why: state };
  if (answer?.type === 'deny') return omitUndefined({ type: 'refused' as const, reason: answer.feedback });
  return omitUndefined({
    type: 'agreed' as const,
    content: answer?.type === 'reply' ? answer.content : undefined,
  });
}
