import type { PathNames } from './match-path.ts';
import type { Policy } from './policy.ts';
import { isAboutTool, type PolicyTool } from './rule.ts';

/** What a tool may not read below a folder that it may read: for tools that look through whole trees. */
export interface ReadDenials {
  /** By names alone, without a look at the disk: it is asked for every file of a tree. */
  forbids(names: PathNames): boolean;
  /** False when a file of this name is forbidden only where its whole folder is. */
  mayName(name: string): boolean;
  /** Whether a rule may be about something in this folder; true does not say that there is any such file. */
  mayReach(folder: PathNames): boolean;
}

/** Undefined when no rule forbids the tool to read any path. Rules that ask are about calls and forbid no file. */
export function findReadDenials(policy: Policy, tool: PolicyTool): ReadDenials | undefined {
  const matchers = policy.rules.flatMap((rule) => {
    const isMeant = rule.decision === 'deny' && isAboutTool(rule, tool);
    return isMeant && rule.subject.type === 'path' && rule.subject.access.has('read')
      ? [rule.subject.matcher]
      : [];
  });
  if (matchers.length === 0) return undefined;
  return {
    forbids: (names) => matchers.some((matcher) => matcher.forbids(names)),
    mayName: (name) => matchers.some((matcher) => matcher.mayName(name)),
    mayReach: (folder) => matchers.some((matcher) => matcher.mayReach(folder)),
  };
}
