// FETCH_RULES (16): `rule_names` as in `aiserver.v1.FetchRulesParams`; by path is ours.
import path from 'node:path';
import { z } from 'zod';
import { nearestName } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { settle } from '../files/file-fault.ts';
import { appliesTo, type FoundRule, findRules } from './find-rules.ts';

const args = toolArguments(
  {
    rule_names: z.array(z.string()).default([]).describe('Rules to read, by name; none lists what there is.'),
    paths: z.array(z.string()).default([]).describe('Files you will work on: reads every rule about them.'),
  },
  {
    aliases: {
      rule_names: ['rules', 'names', 'rule_name', 'name'],
      paths: ['path', 'file_path', 'target_file', 'files'],
    },
  },
);

export const fetchRules = defineTool({
  number: 16,
  name: 'fetch_rules',
  description:
    'Read the rules this project has written down for those who change it (.cursor/rules, AGENTS.md, CLAUDE.md, in any folder). With paths you get the rules that hold for those files; with rule_names those rules; with neither a list. Follow what they say.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'retired',
  touches: (_given, context) => [{ type: 'path', path: context.workspace.root, access: 'read' }],
  run: (given, context) =>
    settle(context, async () => {
      const rules = await findRules(context);
      if (rules.length === 0) return succeed('This project has no rules.', { data: { rules: [] } });
      if (given.rule_names.length === 0 && given.paths.length === 0) return listRules(rules);
      const files = given.paths.map((file) =>
        relativePath(context.workspace.root, context.workspace.absolute(file)),
      );
      const chosen = new Set(rules.filter((rule) => files.some((file) => appliesTo(rule, file))));
      for (const name of given.rule_names) {
        const named = rules.filter((rule) => isNamed(rule, name));
        if (named.length === 0) return unknownRule(name, rules);
        for (const rule of named) chosen.add(rule);
      }
      if (chosen.size === 0)
        return succeed(`No rule is about ${given.paths.join(', ')}.`, { data: { rules: [] } });
      return showRules([...chosen]);
    }),
});

function listRules(rules: readonly FoundRule[]): ToolOutcome {
  const lines = rules.map((rule) => {
    const when = rule.alwaysApply ? 'always' : rule.globs.length > 0 ? rule.globs.join(', ') : 'on request';
    return `- ${rule.name} (${when})${rule.description === '' ? '' : `: ${rule.description}`}`;
  });
  return succeed(`Rules of this project:\n${lines.join('\n')}`, {
    attachments: { match_count: rules.length },
    data: { rules: rules.map(({ body: _body, ...rule }) => ruleData({ ...rule, body: '' })) },
  });
}

function showRules(rules: readonly FoundRule[]): ToolOutcome {
  return succeed(rules.map((rule) => `## ${rule.name}\n\n${rule.body}`).join('\n\n'), {
    attachments: { match_count: rules.length },
    data: { rules: rules.map(ruleData) },
  });
}

function unknownRule(name: string, rules: readonly FoundRule[]): ToolOutcome {
  const near = nearestName(name, rules.map(shortName));
  const known = rules.map((rule) => rule.name).slice(0, 30);
  return fail(
    'ENOENT',
    `There is no rule "${name}"${near === undefined ? '' : `; did you mean "${near}"?`} The rules are: ${known.join(', ')}.`,
  );
}

function isNamed(rule: FoundRule, name: string): boolean {
  const wanted = name.replace(/^@/, '').toLowerCase();
  const names = [rule.name, path.posix.basename(rule.name), shortName(rule)];
  return names.some((one) => one.toLowerCase() === wanted);
}

function shortName(rule: FoundRule): string {
  return path.posix.basename(rule.name).replace(/\.mdc?$/i, '');
}

function relativePath(root: string, absolute: string): string {
  return path.relative(root, absolute).split(path.sep).join('/');
}

/** As `aiserver.v1.CursorRule` spells it. */
function ruleData(rule: FoundRule) {
  return {
    name: rule.name,
    description: rule.description,
    body: rule.body,
    is_from_glob: !rule.alwaysApply && rule.globs.length > 0,
    always_apply: rule.alwaysApply,
    full_path: rule.path,
  };
}
