// The one place that says whether a call may run, whoever asked for it and by whatever name.
import type { Risk, Touch } from '../tool.ts';
import { judgeCommand } from './judge-command.ts';
import { judgePath, type PathWorld } from './judge-path.ts';
import { hostOf, isPrivateHost, matchesHost } from './match-host.ts';
import type { Policy } from './policy.ts';
import { isAboutTool, matchesMcp, type PolicyTool, type Rule, type RuleSubject } from './rule.ts';
import { allow, ask, deny, strictest, type Verdict } from './verdict.ts';

export interface PolicyCall {
  readonly tool: PolicyTool & { readonly risk: Risk };
  readonly touches: readonly Touch[];
}

/** What is known of an MCP tool beyond its name. */
export interface McpFacts {
  /** Drives a browser; has a protection of its own. */
  readonly isPlaywright?: boolean;
  /** Its description or schema is not the one that was agreed to. */
  readonly isChanged?: boolean;
  /** Nobody has agreed to it yet, and the user wants to be asked for each one. */
  readonly isNew?: boolean;
}

export interface PolicyContext extends PathWorld {
  readonly policy: Policy;
  mcpFacts?(server: string, tool: string): McpFacts | undefined;
}

export async function decide(call: PolicyCall, context: PolicyContext): Promise<Verdict> {
  if (call.touches.length === 0) return judgeUntouching(call, context.policy);
  const verdicts: Verdict[] = [];
  for (const touch of call.touches) verdicts.push(await judgeTouch(touch, call, context));
  const { decision, rule, reason } =
    strictest(verdicts) ?? ask('builtin:nothing', 'It says nothing of what it does.');
  return { decision, rule, reason };
}

function judgeTouch(touch: Touch, call: PolicyCall, context: PolicyContext): Verdict | Promise<Verdict> {
  const { tool } = call;
  switch (touch.type) {
    case 'path':
      return judgePath({ path: touch.path, access: touch.access, tool }, context.policy, context);
    case 'command':
      return judgeCommand({ command: touch.command, cwd: touch.cwd, tool }, context.policy, context);
    case 'host':
      return judgeHost(touch.url, call, context.policy);
    case 'mcp':
      return judgeMcp(touch.server, touch.tool, call, context);
    case 'user':
      return judgeByTool(call, context.policy) ?? allow('builtin:user', 'It only speaks with the user.');
    default:
      return deny(
        'builtin:unknown-touch',
        `A touch of the kind ${String((touch as Touch).type)} is unknown.`,
      ); // a newer tool
  }
}

/** A tool that names nothing may only be one that cannot do anything. */
function judgeUntouching(call: PolicyCall, policy: Policy): Verdict {
  const ruled = judgeByTool(call, policy);
  if (ruled) return ruled;
  const { risk, name } = call.tool;
  if (risk === 'none' || risk === 'read' || risk === 'interact')
    return allow('builtin:harmless', 'It changes nothing outside.');
  if (policy.setting === 'run-everything') return allow('setting:run-everything', 'Everything runs.');
  return ask('builtin:nothing', `${name} can ${risk} but does not say what.`);
}

function judgeByTool(call: PolicyCall, policy: Policy): Verdict | undefined {
  return findRule(call, policy, () => false);
}

function judgeHost(url: string, call: PolicyCall, policy: Policy): Verdict {
  const host = hostOf(url);
  if (!host) {
    const ruled = judgeByTool(call, policy);
    return ruled?.decision === 'deny'
      ? ruled
      : ask('builtin:host', `${url} is not an http or https address.`);
  }
  const isPrivate = isPrivateHost(host.name);
  const ruled = findRule(call, policy, (subject, decision) => {
    if (subject.type !== 'host') return false;
    const patterns =
      decision === 'allow' && isPrivate ? subject.patterns.filter((one) => one !== '*') : subject.patterns;
    return patterns.some((pattern) => matchesHost(pattern, host));
  });
  if (ruled && !(ruled.decision === 'allow' && isPrivate && ruled.isByTool)) return ruled;
  if (isPrivate) return ask('protection:private-host', `${host.name} is on this machine or its network.`);
  if (policy.setting === 'run-everything') return allow('setting:run-everything', 'Everything runs.');
  return ask(`setting:${policy.setting}`, `No rule allows it to reach ${host.name}.`);
}

function judgeMcp(server: string, tool: string, call: PolicyCall, context: PolicyContext): Verdict {
  const { policy } = context;
  const facts = context.mcpFacts?.(server, tool);
  const isOddName = /[:*]/.test(server + tool);
  const ruled = findRule(call, policy, (subject, decision) => {
    if (subject.type !== 'mcp') return false;
    if (decision === 'allow')
      return !isOddName && subject.patterns.some((pattern) => matchesMcp(pattern, server, tool));
    const folded = [server.toLowerCase(), tool.toLowerCase()] as const;
    return subject.patterns.some((pattern) => matchesMcp(pattern.toLowerCase(), ...folded));
  });
  if (ruled && ruled.decision !== 'allow') return ruled;
  const name = `${server}:${tool}`;
  if (facts?.isChanged)
    return ask('protection:mcp-changed', `${name} is not described as it was when it was agreed to.`);
  if (facts?.isNew) return ask('protection:mcp-new', `Nobody has agreed to ${name} yet.`);
  if (ruled && !ruled.isByTool) return ruled;
  const isBrowser = facts?.isPlaywright ?? (/playwright/i.test(server) || /^browser_/i.test(tool));
  if (policy.protections.playwright && isBrowser)
    return ask('protection:playwright', `${name} drives a browser.`);
  if (policy.protections.mcpTools) return ask('protection:mcp-tools', `No rule allows the MCP tool ${name}.`);
  if (ruled) return ruled;
  if (policy.setting === 'always-ask')
    return ask('setting:always-ask', `Every MCP call is asked for; this one is ${name}.`);
  return allow(`setting:${policy.setting}`, 'MCP tools are accepted.');
}

interface Ruled extends Verdict {
  /** The rule named only the tool, not what it touches. */
  readonly isByTool: boolean;
}

/** Deny before ask before allow, whatever the order they were written in. */
function findRule(
  call: PolicyCall,
  policy: Policy,
  matches: (subject: RuleSubject, decision: Rule['decision']) => boolean,
): Ruled | undefined {
  const rules = policy.rules.filter((rule) => isAboutTool(rule, call.tool));
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const fitting = rules.filter(
      (rule) =>
        rule.decision === decision && (rule.subject.type === 'tool' || matches(rule.subject, decision)),
    );
    // The narrower permission is the better reason: it also answers a protection.
    const rule = fitting.find((one) => one.subject.type !== 'tool') ?? fitting[0];
    if (!rule) continue;
    const reason = rule.reason ?? `Rule ${rule.id} says ${decision}.`;
    return { decision, rule: rule.id, reason, isByTool: rule.subject.type === 'tool' };
  }
  return undefined;
}
