import { createHash } from 'node:crypto';
import type { Approval, Approvals } from '../approvals/index.ts';
import type { ToolCall } from '../envelope.ts';
import {
  decide,
  deriveRule,
  type Policy,
  type PolicyContext,
  type RuleConfig,
  type Verdict,
} from '../policy/index.ts';
import type { Tool, Touch } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { fail, type ToolOutcome } from '../tool-outcome.ts';

/** Permission for one run of one call, and the means to see that it still holds. */
export interface Clearance {
  readonly touches: readonly Touch[];
  /** A refusal when the call no longer touches what was judged: a link was swapped, an earlier call moved things. */
  recheck(): Promise<ToolOutcome | undefined>;
  /** Uses the permission up, just before the tool runs. */
  begin(): Promise<void>;
}

export interface ClearOptions {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly args: unknown;
  readonly context: ToolContext;
  readonly policy: Policy;
  readonly policyContext: PolicyContext;
  readonly approvals: Approvals;
  readonly refuse: (touches: readonly Touch[]) => string | undefined;
  readonly onRule: ((rule: RuleConfig) => void | Promise<void>) | undefined;
}

interface Look {
  readonly touches: readonly Touch[];
  readonly verdict: Verdict;
  /** Of the call and of where its paths really lead. */
  readonly fingerprint: string;
}

/** Mode, policy and approval, in this order; a refusal is an outcome the model can read. */
export async function clearCall(options: ClearOptions): Promise<Clearance | ToolOutcome> {
  // The mode is asked first by the tool alone: a call that it refuses should not even look at files.
  const early = options.refuse([]);
  if (early !== undefined) return fail('WRONG_MODE', early);
  const look = await lookAt(options);
  const refusal = options.refuse(look.touches);
  if (refusal !== undefined) return fail('WRONG_MODE', refusal);
  if (look.verdict.decision === 'deny') return denied(look.verdict);
  const approval = look.verdict.decision === 'ask' ? await requestApproval(options, look) : undefined;
  if (approval && 'ok' in approval) return approval;
  return {
    touches: look.touches,
    recheck: async () => {
      const again = await lookAt(options);
      if (again.verdict.decision === 'allow') return undefined;
      // What a person agreed to is this call, on these files, for this reason; any other question is a new one.
      const isSameQuestion =
        again.fingerprint === look.fingerprint && again.verdict.rule === look.verdict.rule;
      if (approval && isSameQuestion && again.verdict.decision === 'ask') return undefined;
      const why =
        again.verdict.decision === 'deny'
          ? again.verdict.reason
          : `What the call touches has changed since it was judged: ${again.verdict.reason}`;
      return fail('DENIED', `${why} Nothing was done; look again and make a new call.`);
    },
    begin: async () => {
      if (approval) await options.approvals.consume(approval.id);
    },
  };
}

async function lookAt(options: ClearOptions): Promise<Look> {
  const { tool, args, context, call, policyContext } = options;
  const touches = await tool.touches(args, context);
  const realPaths: string[] = [];
  for (const touch of touches) {
    if (touch.type === 'path') realPaths.push((await context.workspace.resolve(touch.path)).realPath);
  }
  const verdict = await decide({ tool, touches }, policyContext);
  const text = JSON.stringify([call.name, call.args, touches, realPaths]);
  return { touches, verdict, fingerprint: createHash('sha256').update(text).digest('hex') };
}

async function requestApproval(options: ClearOptions, look: Look): Promise<Approval | ToolOutcome> {
  const { call, tool, args, context, approvals, policy, policyContext } = options;
  const preview = (await tool.preview?.(args, context)) ?? JSON.stringify(call.args, undefined, 2);
  const offered = policy.isLocked
    ? undefined
    : await deriveRule(tool, look.touches, {
        workspace: policyContext.workspace,
        homeFolder: policy.homeFolder,
      });
  const approval = await approvals.request(
    {
      callId: call.id,
      fingerprint: look.fingerprint,
      tool: tool.name,
      args: call.args,
      risk: tool.risk,
      preview,
      reason: look.verdict.reason,
      rule: look.verdict.rule,
      ...(offered && { alwaysRule: offered }),
    },
    context.signal,
  );
  return readAnswer(approval, options);
}

async function readAnswer(approval: Approval, options: ClearOptions): Promise<Approval | ToolOutcome> {
  const { answer, alwaysRule } = approval;
  if (approval.state === 'cancelled')
    return fail('ECANCELED', 'The call was cancelled while it waited for approval.');
  if (approval.state === 'expired' || !answer) {
    return fail(
      'DENIED',
      'Nobody approved the call in time, so it was not run. Go on without it, or ask the user.',
    );
  }
  if (answer.type === 'deny') {
    await options.approvals.consume(approval.id);
    const feedback = answer.feedback ? ` They said: ${answer.feedback}` : '';
    return fail('DENIED', `The user refused this call.${feedback} Do not repeat it unchanged.`);
  }
  if (answer.type === 'always' && alwaysRule && options.policy.remember(alwaysRule))
    await options.onRule?.(alwaysRule);
  return approval;
}

function denied({ reason, rule }: Verdict): ToolOutcome {
  return fail('DENIED', `${reason} The policy refuses it (${rule}); do it another way or ask the user.`);
}
