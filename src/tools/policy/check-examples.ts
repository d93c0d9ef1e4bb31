import path from 'node:path';
import { invalidRequest } from '../../core/index.ts';
import { commandNeeds, forbidsCommand } from './judge-command.ts';
import { hostOf, matchesHost } from './match-host.ts';
import type { RuleConfig } from './policy-schema.ts';
import { isAboutTool, matchesMcp, type Rule } from './rule.ts';
import { analyseCommand } from './shell/analyse-command.ts';

/** Examples of path rules are looked up by name alone, below a folder that need not exist. */
const ROOT = '/workspace';

/** A rule that does not do what its own examples say is an error, before anything relies on it. */
export function checkExamples(rule: Rule, config: RuleConfig, homeFolder: string): void {
  const check = (examples: readonly string[], isWanted: boolean) => {
    for (const example of examples) {
      if (matchesExample(rule, example, homeFolder) === isWanted) continue;
      const [listed, did] = isWanted ? ['match', 'does not match'] : ['notMatch', 'matches'];
      throw invalidRequest(
        `Rule ${rule.id} ${did} its example ${JSON.stringify(example)} under ${listed}; correct the rule or the example.`,
        'rules',
      );
    }
  };
  check(config.match ?? [], true);
  check(config.notMatch ?? [], false);
}

function matchesExample(rule: Rule, example: string, homeFolder: string): boolean {
  const { subject } = rule;
  switch (subject.type) {
    case 'tool':
      return isAboutTool(rule, { name: example, number: -1 });
    case 'path': {
      const absolute = path.posix.resolve(ROOT, example.replace(/^~(?=\/|$)/, homeFolder));
      const names = { path: absolute, realPath: absolute, root: ROOT, realRoot: ROOT };
      return rule.decision === 'allow' ? subject.matcher.permits(names) : subject.matcher.forbids(names);
    }
    case 'command': {
      const analysis = analyseCommand(example, { cwd: ROOT, homeFolder });
      if (rule.decision !== 'allow') return forbidsCommand(subject.patterns, analysis) === 'yes';
      return commandNeeds(analysis, [rule], true) === undefined;
    }
    case 'exact-command':
      return subject.commands.has(example.trim());
    case 'host': {
      const host = hostOf(example.includes('://') ? example : `https://${example}/`);
      return host !== undefined && subject.patterns.some((pattern) => matchesHost(pattern, host));
    }
    case 'mcp': {
      const [server = '', tool = ''] = example.split(':');
      return subject.patterns.some((pattern) => matchesMcp(pattern, server, tool));
    }
  }
}
