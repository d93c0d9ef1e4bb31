// What is in force in a workspace and who said so, and the user's word that its files may decide things.
import { Command } from 'commander';
import { statePaths } from '../config/index.ts';
import { omitUndefined } from '../core/index.ts';
import type { OpenPolicy, RuleConfig } from '../tools/policy/index.ts';
import { formatTable, printable } from './ansi.ts';
import { printJson, stdoutAnsi } from './command.ts';
import type { CliContext } from './context.ts';
import { findWorkspace } from './open-workspace.ts';

interface PolicyFlags {
  readonly cwd: string;
  readonly config?: string;
  readonly json?: boolean;
}

const CONFIG_OPTION = [
  '-c, --config <file>',
  'the configuration file (default: crosspoint.yaml, as for serve)',
] as const;

export function showPolicyCommand(context: CliContext): Command {
  return new Command('show')
    .summary('every rule in force, and where it stands')
    .option('--cwd <folder>', 'the workspace', '.')
    .option(...CONFIG_OPTION)
    .option('--json', 'print JSON')
    .action(async (flags: PolicyFlags) => {
      const { loadToolSections, openUserPolicy } = await import('./load-policy.ts');
      const folder = findWorkspace(context, flags.cwd);
      const { sections, file } = await loadToolSections(context, flags.config);
      const opened = await openUserPolicy(context, sections, folder);
      const shown = describePolicy(opened, sections.policy.rules, file);
      if (flags.json) printJson(context, shown);
      else context.stdout.write(formatPolicy(context, shown));
    });
}

interface ShownPolicy {
  readonly setting: string;
  readonly locked: boolean;
  /** Names of protections that are on. */
  readonly protections: readonly string[];
  readonly workspace: string;
  readonly trusted: boolean;
  /** The rules of the workspace are not the ones that were trusted. */
  readonly changed: boolean;
  readonly files: { readonly configuration?: string; readonly workspace?: string; readonly always: string };
  readonly rules: readonly (RuleConfig & { readonly from: string; readonly inForce: boolean })[];
}

function describePolicy(
  opened: OpenPolicy,
  userRules: readonly RuleConfig[],
  file: string | undefined,
): ShownPolicy {
  const { policy, workspaceRules, remembered, rememberedRules } = opened;
  const mayAllow = opened.isTrusted && !opened.hasChangedRules && !policy.isLocked;
  const mark = (from: string, isCounted: boolean) => (rule: RuleConfig) => ({
    ...rule,
    from,
    inForce: isCounted || rule.decision !== 'allow',
  });
  return {
    setting: policy.setting,
    locked: policy.isLocked,
    protections: Object.entries(policy.protections).flatMap(([name, isOn]) => (isOn ? [name] : [])),
    workspace: opened.workspace,
    trusted: opened.isTrusted,
    changed: opened.hasChangedRules,
    files: {
      ...(file === undefined ? {} : { configuration: file }),
      ...(workspaceRules && { workspace: workspaceRules.file }),
      always: remembered.file,
    },
    rules: [
      ...userRules.map(mark('configuration', true)),
      ...(workspaceRules?.policy.rules ?? []).map(mark('workspace', mayAllow)),
      ...rememberedRules.map(mark('always', !policy.isLocked)),
    ],
  };
}

function formatPolicy(context: CliContext, shown: ShownPolicy): string {
  const ansi = stdoutAnsi(context);
  const { files } = shown;
  const trust = !shown.trusted
    ? 'not trusted: its files only restrict (`crosspoint policy trust`)'
    : shown.changed
      ? 'trusted, but its rules have changed since and only restrict (`crosspoint policy trust` again)'
      : 'trusted';
  const facts = formatTable([
    ['setting', shown.locked ? `${shown.setting} (locked: an "always" adds nothing)` : shown.setting],
    ['protections', shown.protections.join(', ') || 'none'],
    ['configuration', files.configuration ?? 'none'],
    ['workspace', `${shown.workspace}: ${trust}`],
    ...(files.workspace === undefined ? [] : [['its rules', files.workspace]]),
    ['answers of "always"', files.always],
  ]);
  const rows = shown.rules.map(({ id, decision, from, inForce, ...rule }) => [
    inForce ? decision : `(${decision})`,
    from,
    id ?? '',
    describeRule(rule),
  ]);
  const head = [['DECISION', 'FROM', 'ID', 'ABOUT']];
  const rules = rows.length === 0 ? 'No rules.' : formatTable([...head, ...rows]);
  const idle = shown.rules.some(({ inForce }) => !inForce) ? '\nRules in brackets are not in force.' : '';
  return `${printable(facts)}\n\n${ansi.bold('Rules')} (deny wins over ask, ask over allow)\n${printable(rules)}${idle}\n`;
}

function describeRule(rule: Omit<RuleConfig, 'decision'>): string {
  const { reason, tool, path, access, command, exactCommand, cwd, host, mcp } = rule;
  const subject = omitUndefined({ tool, path, access, command, exactCommand, cwd, host, mcp });
  const words = Object.entries(subject).map(([key, value]) => `${key} ${[value].flat().join(', ')}`);
  return reason === undefined ? words.join('; ') : `${words.join('; ')} (${reason})`;
}

interface TrustFlags {
  readonly config?: string;
  readonly dryRun?: boolean;
}

export function trustCommand(context: CliContext): Command {
  return new Command('trust')
    .summary('let the files of a workspace decide things')
    .description(
      'From then on rules of .crosspoint/policy.yaml may allow, and servers of the MCP files of the workspace may be ' +
        'started, all as they are now: what is changed later counts only after you agree again. The folder is ' +
        'remembered by its real path.',
    )
    .argument('[folder]', 'the workspace', '.')
    .option(...CONFIG_OPTION)
    .option('--dry-run', 'only show what would be trusted')
    .action(async (folder: string, flags: TrustFlags) => {
      const { loadToolSections } = await import('./load-policy.ts');
      const { readTrustable, trustWorkspace } = await import('../server/tool-service/trust-workspace.ts');
      const { describeDefinition } = await import('../mcp/server-definition.ts');
      const workspace = findWorkspace(context, folder, 'as the argument');
      const { sections } = await loadToolSections(context, flags.config);
      const { env, home } = context;
      const options = { workspace, homeFolder: home, mcp: sections.mcp, env };
      const stateHome = statePaths(context).home;
      const files = flags.dryRun
        ? await readTrustable(options)
        : await trustWorkspace({ ...options, stateHome, nowMs: context.nowMs() });
      const allowed = files.rules?.policy.rules.filter(({ decision }) => decision === 'allow') ?? [];
      const lines = [
        flags.dryRun ? `Would be trusted: ${files.workspace}` : `Trusted: ${files.workspace}`,
        ...allowed.map((rule) => `  allows ${describeRule(rule)}`),
        ...files.servers.flatMap((server) => [
          `  MCP server ${server.name} (${server.origin})`,
          ...describeDefinition(server)
            .split('\n')
            .map((line) => `    ${line}`),
        ]),
        ...(allowed.length + files.servers.length === 0
          ? ['  It has no rules that allow and no MCP servers.']
          : []),
        ...(flags.dryRun ? [] : ['A gateway that runs takes it up when it is started anew.']),
      ];
      context.stdout.write(`${printable(lines.join('\n'))}\n`);
    });
}

export function untrustCommand(context: CliContext): Command {
  return new Command('untrust')
    .summary('take the word back')
    .argument('[folder]', 'the workspace', '.')
    .action(async (folder: string) => {
      const { realpathSync } = await import('node:fs');
      const { policyFiles, WorkspaceTrust } = await import('../tools/policy/index.ts');
      const workspace = realpathSync(findWorkspace(context, folder, 'as the argument'));
      const trust = new WorkspaceTrust(policyFiles(statePaths(context).home).trust);
      const wasTrusted = await trust.distrust(workspace);
      context.stdout.write(
        wasTrusted
          ? `No longer trusted: ${printable(workspace)}\nA gateway that runs takes it up when it is started anew.\n`
          : `${printable(workspace)} was not trusted.\n`,
      );
    });
}
