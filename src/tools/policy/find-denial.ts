// The same policy for calls that run on somebody else's machine. Its user is asked there, so only what is forbidden binds;
// their disk is not this one, so paths are judged by their names.

import { decide, type PolicyCall } from './decide.ts';
import { NamedPlaces } from './named-places.ts';
import { Policy } from './policy.ts';
import type { PolicyConfig } from './policy-schema.ts';
import type { Verdict } from './verdict.ts';

export interface DistantCall extends PolicyCall {
  /** The folders that the machine's user works on; relative rules are about each of them. */
  readonly folders: readonly string[];
}

export interface Denials {
  /** Undefined unless a rule forbids the call. */
  find(call: DistantCall): Promise<Verdict | undefined>;
}

/** Undefined when nothing is forbidden at all. */
export function createDenials(
  config: PolicyConfig,
  options: { readonly homeFolder: string },
): Denials | undefined {
  const denying = config.rules.filter((rule) => rule.decision === 'deny');
  if (denying.length === 0) return undefined;
  const ofHome = new Map([[options.homeFolder, new Policy({ user: config }, options)]]);
  const speaksOfHomes = denying.some(({ path = [] }) =>
    [path].flat().some((glob) => /^~(?:\/|$)/.test(glob)),
  );
  const policyOf = (homeFolder: string): Policy => {
    const known = ofHome.get(homeFolder);
    if (known) return known;
    // Examples beside a rule were tried at the start, and may name the home they were written in.
    const rules = config.rules.map(({ match, notMatch, ...rule }) => rule);
    const made = new Policy({ user: { ...config, rules } }, { homeFolder });
    if (ofHome.size < MAX_HOMES) ofHome.set(homeFolder, made);
    return made;
  };
  return {
    async find(call) {
      const homes = new Set([options.homeFolder, ...(speaksOfHomes ? homesIn(call) : [])]);
      for (const homeFolder of homes) {
        for (const folder of call.folders.length === 0 ? [''] : call.folders) {
          const verdict = await judge(call, policyOf(homeFolder), new NamedPlaces(folder));
          if (verdict.decision === 'deny') return verdict;
        }
      }
      return undefined;
    },
  };
}

const MAX_HOMES = 32;

function judge(call: DistantCall, policy: Policy, workspace: NamedPlaces): Promise<Verdict> {
  const touches = call.touches.map((touch) =>
    touch.type === 'command' ? { ...touch, cwd: workspace.absolute(touch.cwd) } : touch,
  );
  return decide({ tool: call.tool, touches }, { policy, workspace, isElsewhere: true });
}

/** Where homes usually are; nobody says whose machine it is, so `~` in a rule means every home that a call names. */
const HOME = /(?:\/(?:home|Users)\/[^/\s"'\\]+|\/root(?![^/\s"'\\])|\b[A-Za-z]:[\\/]Users[\\/][^\\/\s"']+)/g;

function homesIn({ touches, folders }: DistantCall): string[] {
  const texts = touches.flatMap((touch) => {
    if (touch.type === 'path') return [touch.path];
    return touch.type === 'command' ? [touch.command, touch.cwd] : [];
  });
  const found = [...texts, ...folders].flatMap((text) => text.match(HOME) ?? []);
  return found.map((home) => new NamedPlaces(home).root);
}
