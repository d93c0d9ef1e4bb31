// Whether a shell command may run. Every command in its syntax tree must be allowed for itself, every file it names is
// judged like a file a tool names, and what cannot be read is asked about under every setting.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { judgePath, type PathWorld } from './judge-path.ts';
import { type CommandPattern, forbids, permits } from './match-command.ts';
import { hostOf, matchesHost } from './match-host.ts';
import type { Policy } from './policy.ts';
import { isAboutTool, type PolicyTool, type Rule } from './rule.ts';
import {
  analyseCommand,
  type CommandAnalysis,
  type PathUse,
  type SimpleCommand,
} from './shell/analyse-command.ts';
import { allow, ask, deny, strictest, type Verdict } from './verdict.ts';

export interface CommandCall {
  readonly command: string;
  readonly cwd: string;
  readonly tool: PolicyTool;
}

export async function judgeCommand(call: CommandCall, policy: Policy, world: PathWorld): Promise<Verdict> {
  const analysis = analyseCommand(call.command, { cwd: call.cwd, homeFolder: policy.homeFolder });
  const rules = policy.rules.filter((rule) => isAboutTool(rule, call.tool));
  const files = await judgeFiles(analysis, call, policy, world);
  const restriction = findRestriction(analysis, call, rules);
  const denied = [restriction, files].find((verdict) => verdict?.decision === 'deny');
  if (denied) return denied;
  if (restriction) return restriction;

  const allowing = rules.filter((rule) => rule.decision === 'allow');
  const exact = allowing.find((rule) => isExactly(rule, call));
  if (exact) return allow(exact.id, exact.reason ?? 'A rule allows exactly this command.');
  const [unreadable] = analysis.unreadable;
  if (unreadable !== undefined)
    return ask('builtin:unreadable-command', `The command cannot be judged: ${unreadable}.`);
  if (files && files.decision !== 'allow') return files;
  if (policy.setting === 'run-everything') return judgeFreely(analysis, allowing, policy);
  const need = commandNeeds(analysis, allowing, policy.setting === 'auto-accept');
  return need ?? allow(permissionId(analysis, allowing), 'Every command in it is allowed.');
}

/** Files the command names itself, and the folder it starts in. */
async function judgeFiles(
  analysis: CommandAnalysis,
  call: CommandCall,
  policy: Policy,
  world: PathWorld,
): Promise<Verdict | undefined> {
  const links = world.isElsewhere === true ? [] : await Promise.all(analysis.paths.map(linksIn));
  const uses: PathUse[] = [{ path: call.cwd, access: 'read' }, ...analysis.paths, ...links.flat()];
  const verdicts: Verdict[] = [];
  for (const use of uses)
    verdicts.push(await judgePath({ path: use.path, access: use.access, tool: call.tool }, policy, world));
  const worst = strictest(verdicts);
  // Deleting by a command is the delete protection's own question, which a command rule may answer.
  const isDeletion = worst?.rule === 'protection:delete';
  return isDeletion ? strictest(verdicts.filter((verdict) => verdict.rule !== 'protection:delete')) : worst;
}

/** A repository may bring links to anywhere, and `cat *` follows them all. */
async function linksIn(use: PathUse): Promise<PathUse[]> {
  if (use.names === undefined) return [];
  const fits = picomatch(use.names, { nocase: true, dot: true });
  const entries = await readdir(use.path, { withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink() && fits(entry.name));
  return links.map((entry) => ({ path: path.join(use.path, entry.name), access: use.access }));
}

function findRestriction(
  analysis: CommandAnalysis,
  call: CommandCall,
  rules: readonly Rule[],
): Verdict | undefined {
  const verdicts: Verdict[] = [];
  for (const rule of rules) {
    if (rule.decision === 'allow') continue;
    const match = restricts(rule, analysis, call);
    if (match === 'no') continue;
    const reason = rule.reason ?? `The command is one that rule ${rule.id} is about.`;
    if (match === 'maybe')
      verdicts.push(
        ask(rule.id, `Part of the command is known only when it runs, and rule ${rule.id} may be about it.`),
      );
    else verdicts.push(rule.decision === 'deny' ? deny(rule.id, reason) : ask(rule.id, reason));
  }
  return strictest(verdicts);
}

function restricts(rule: Rule, analysis: CommandAnalysis, call: CommandCall): 'yes' | 'maybe' | 'no' {
  const { subject } = rule;
  if (subject.type === 'tool') return 'yes';
  if (subject.type === 'exact-command') return isExactly(rule, call) ? 'yes' : 'no';
  if (subject.type === 'command') return forbidsCommand(subject.patterns, analysis);
  if (subject.type !== 'host') return 'no';
  const hosts = analysis.urls.flatMap((url) => hostOf(url) ?? []);
  return hosts.some((host) => subject.patterns.some((pattern) => matchesHost(pattern, host))) ? 'yes' : 'no';
}

export function forbidsCommand(
  patterns: readonly CommandPattern[],
  analysis: CommandAnalysis,
): 'yes' | 'maybe' | 'no' {
  const found = analysis.commands.flatMap((command) => patterns.map((pattern) => forbids(pattern, command)));
  return found.includes('yes') ? 'yes' : found.includes('maybe') ? 'maybe' : 'no';
}

function isExactly(rule: Rule, call: CommandCall): boolean {
  if (rule.subject.type !== 'exact-command') return false;
  const { commands, cwd } = rule.subject;
  return commands.has(call.command.trim()) && (cwd === undefined || cwd === call.cwd);
}

/** Run-everything runs everything but what deletion protection holds back. */
function judgeFreely(analysis: CommandAnalysis, allowing: readonly Rule[], policy: Policy): Verdict {
  const deletion = policy.protections.delete
    ? analysis.commands.find((command) => command.isDeleting && !permission(command, allowing))
    : undefined;
  if (deletion)
    return ask('protection:delete', `${quote(deletion)} deletes files, and deleting is protected.`);
  return allow('setting:run-everything', 'Everything runs.');
}

/** What still needs a person; undefined when every command is allowed. */
export function commandNeeds(
  analysis: CommandAnalysis,
  allowing: readonly Rule[],
  trustsSafe: boolean,
): Verdict | undefined {
  const [unreadable] = analysis.unreadable;
  if (unreadable !== undefined)
    return ask('builtin:unreadable-command', `The command cannot be judged: ${unreadable}.`);
  const [caution] = analysis.cautions;
  if (caution !== undefined) return ask('builtin:careful-command', `The command needs a look: ${caution}.`);
  for (const command of analysis.commands) {
    const [doubt] = command.cautions;
    if (doubt !== undefined)
      return ask('builtin:careful-command', `${quote(command)} needs a look: ${doubt}.`);
    if (command.isTransparent || (trustsSafe && command.isSafe) || permission(command, allowing)) continue;
    return ask('builtin:unknown-command', `No rule allows ${quote(command)}.`);
  }
  return undefined;
}

function permission(command: SimpleCommand, allowing: readonly Rule[]): Rule | undefined {
  return allowing.find(({ subject }) => {
    if (subject.type === 'tool') return true;
    return subject.type === 'command' && subject.patterns.some((pattern) => permits(pattern, command));
  });
}

function permissionId(analysis: CommandAnalysis, allowing: readonly Rule[]): string {
  for (const command of analysis.commands) {
    const rule = permission(command, allowing);
    if (rule) return rule.id;
  }
  return 'builtin:safe-command';
}

function quote(command: SimpleCommand): string {
  const text = command.text.length > 80 ? `${command.text.slice(0, 80)}…` : command.text;
  return `\`${text}\``;
}
