import path from 'node:path';
import type { ResolvedPath, Workspace } from '../workspace.ts';
import { hasOtherNames } from '../workspace.ts';
import { hasDotSegment, holdsSecrets, isHarmlessDevice, isOwnFile, namesCommands } from './guarded-paths.ts';
import type { PathNames } from './match-path.ts';
import type { Policy } from './policy.ts';
import { isAboutTool, type PolicyTool, type Rule } from './rule.ts';
import { allow, ask, type Verdict } from './verdict.ts';

export type Access = 'read' | 'write' | 'delete';

/** How paths are looked up: on this disk, or by name alone where the disk is another machine's. */
export type Places = Pick<Workspace, 'root' | 'resolve' | 'display'>;

/** Where paths are judged: what is the project's, and what is the runtime's own. */
export interface PathWorld {
  readonly workspace: Places;
  /** The disk is another machine's: no link or second name is looked for on this one. */
  readonly isElsewhere?: boolean;
  /** The runtime's folder for full outputs, notes and journals. */
  readonly stateFolder?: string | undefined;
  /** Where this program keeps tokens, rules and trust. */
  readonly ownFolder?: string | undefined;
}

export interface PathCall {
  readonly path: string;
  readonly access: Access;
  readonly tool: PolicyTool;
}

/** Judged on where the path really leads now; the runtime looks again before the tool runs. */
export async function judgePath(call: PathCall, policy: Policy, world: PathWorld): Promise<Verdict> {
  const { workspace } = world;
  if (isHarmlessDevice(call.path)) return allow('builtin:device', `${call.path} holds nothing.`);
  const resolved = await workspace.resolve(call.path);
  const { realPath: realRoot } = await workspace.resolve('.');
  const names: PathNames = {
    path: resolved.path,
    realPath: resolved.realPath,
    root: workspace.root,
    realRoot,
  };
  const rules = policy.rules.filter((rule) => isAboutTool(rule, call.tool));
  const what = `${VERBS[call.access]} ${shownPath(workspace, resolved)}`;

  for (const decision of ['deny', 'ask'] as const) {
    const rule = rules.find(
      (candidate) => candidate.decision === decision && isRestricting(candidate, call, names),
    );
    if (rule)
      return { decision, rule: rule.id, reason: rule.reason ?? `A rule ${WORDS[decision]} it to ${what}.` };
  }
  const state = await judgeState(call, resolved, world);
  if (state) return state;
  if (call.access !== 'read' && (isOwnFile(resolved.realPath) || isOwnFile(resolved.path))) {
    return ask('protection:own-files', `To ${what} would change what this program itself obeys.`);
  }
  const permission = rules.find((rule) => rule.decision === 'allow' && isPermitting(rule, call, names));
  if (permission) return allow(permission.id, permission.reason ?? `A rule allows it to ${what}.`);
  const protection = await findProtection(call.access, resolved, policy, names, world);
  if (protection)
    return ask(`protection:${protection.name}`, `To ${what} needs a person: ${protection.reason}.`);
  const general = rules.find((rule) => rule.decision === 'allow' && rule.subject.type === 'tool');
  if (general) return allow(general.id, general.reason ?? `A rule allows the tool ${call.tool.name}.`);
  if (call.access === 'read') return allow('builtin:read', 'Reading inside the workspace is free.');
  if (policy.setting !== 'always-ask')
    return allow(`setting:${policy.setting}`, 'Edits inside the workspace are accepted.');
  return ask('setting:always-ask', `Every change is asked for; this one would ${what}.`);
}

const VERBS = { read: 'read', write: 'write to', delete: 'delete' } as const;
const WORDS = { deny: 'forbids', ask: 'wants a person to agree before' } as const;

function shownPath(workspace: Places, resolved: ResolvedPath): string {
  const inside = workspace.display(resolved.path);
  const shown = inside === '.' ? 'the workspace folder itself' : inside;
  return resolved.realPath === resolved.path ? shown : `${shown} (really ${resolved.realPath})`;
}

/** Tools that keep notes, todos and plans in the runtime's own folder; no argument of theirs names a file there. */
const BOOKKEEPERS: ReadonlySet<number> = new Set([25, 34, 35, 43, 46, 47]);

/** Full outputs may be read again by anyone; what the runtime remembers is changed only by the tools that keep it. */
async function judgeState(
  call: PathCall,
  resolved: ResolvedPath,
  { workspace, stateFolder, ownFolder }: PathWorld,
): Promise<Verdict | undefined> {
  const isBelow = async (place: string, folder: string | undefined) =>
    folder !== undefined && `${place}/`.startsWith(`${(await workspace.resolve(folder)).realPath}/`);
  if (!(await isBelow(path.dirname(resolved.realPath), stateFolder))) {
    // A workspace somewhere below is the user's own choice, and not what is meant.
    const isKept = (await isBelow(resolved.realPath, ownFolder)) && !resolved.isInside;
    return isKept ? ask('protection:own-files', 'This program keeps its keys and rules there.') : undefined;
  }
  if (call.access === 'read' || BOOKKEEPERS.has(call.tool.number)) {
    return allow('builtin:state', "It is in the runtime's own folder.");
  }
  return ask('protection:own-files', "It would change the runtime's own records.");
}

function isRestricting(rule: Rule, call: PathCall, names: PathNames): boolean {
  if (rule.subject.type === 'tool') return true;
  if (rule.subject.type !== 'path' || !rule.subject.access.has(call.access)) return false;
  const { matcher } = rule.subject;
  return matcher.forbids(names) || (call.access === 'delete' && matcher.reachesBelow(names));
}

function isPermitting(rule: Rule, call: PathCall, names: PathNames): boolean {
  return (
    rule.subject.type === 'path' &&
    rule.subject.access.has(call.access) &&
    rule.subject.matcher.permits(names)
  );
}

interface Protection {
  readonly name: string;
  readonly reason: string;
}

async function findProtection(
  access: Access,
  resolved: ResolvedPath,
  policy: Policy,
  names: PathNames,
  { isElsewhere }: PathWorld,
): Promise<Protection | undefined> {
  const { protections } = policy;
  if (
    /^\/(?:proc|sys|dev)(?:\/|$)/.test(resolved.realPath) ||
    /^\/(?:proc|sys|dev)(?:\/|$)/.test(resolved.path)
  ) {
    return { name: 'outside-workspace', reason: 'it is a device or a view of the kernel, not a file' };
  }
  if (protections.outsideWorkspace && !resolved.isInside) {
    return { name: 'outside-workspace', reason: 'it is outside the workspace' };
  }
  const inside = resolved.isInside ? resolved.realPath.slice(names.realRoot.length) : resolved.realPath;
  if (access === 'read') {
    const isSecret = protections.dotFiles && (holdsSecrets(inside) || holdsSecrets(resolved.path));
    return isSecret ? { name: 'dot-files', reason: 'files of this name hold secrets' } : undefined;
  }
  if (protections.dotFiles && hasDotSegment(inside)) {
    return { name: 'dot-files', reason: 'dot files and folders steer programs' };
  }
  if (protections.configFiles && namesCommands(inside)) {
    return { name: 'config-files', reason: 'it names commands or code that other programs run' };
  }
  if (protections.outsideWorkspace && isElsewhere !== true && (await hasOtherNames(resolved.realPath))) {
    return { name: 'outside-workspace', reason: 'the file has a second name (hard link), perhaps elsewhere' };
  }
  // Last, so that a rule which answers this one does not answer the others with it.
  if (protections.delete && access === 'delete') return { name: 'delete', reason: 'deleting is protected' };
  return undefined;
}
