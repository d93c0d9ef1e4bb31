import { Command, Option } from 'commander';
import { MODES, type Mode, type Touch } from '../../tools/tool.ts';
import { printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Judgement } from '../judge-call.ts';
import { findWorkspace } from '../open-workspace.ts';
import { showPolicyCommand, trustCommand, untrustCommand } from '../policy-desk.ts';

interface CheckFlags {
  readonly mode: Mode;
  readonly cwd: string;
  readonly config?: string;
  readonly json?: boolean;
}

export const policyCommand: CreateCommand = (context, finish) => {
  const policy = new Command('policy')
    .summary('what tools may do without asking')
    .description(
      'What tools may do without asking: the section policy of the configuration, the rules that a workspace brings ' +
        'along, and the answers of "always".',
    )
    .addHelpText(
      'after',
      examples(
        ['crosspoint policy', 'every rule in force and the files they stand in'],
        [
          `crosspoint policy check run_terminal_cmd '{"command":"npm test"}'`,
          'allowed, asked for or denied?',
        ],
        ['crosspoint policy trust', 'let the files of this workspace name MCP servers and allow things'],
      ),
    );
  policy.addCommand(showPolicyCommand(context), { isDefault: true });
  policy.addCommand(checkCommand(context, finish));
  policy.addCommand(trustCommand(context));
  policy.addCommand(untrustCommand(context));
  return policy;
};

function checkCommand(context: CliContext, finish: (code: number) => void): Command {
  return new Command('check')
    .summary('what the policy says of one call')
    .description(
      'Says what would become of one call of a tool: allow, ask (a person decides) or deny, by which rule and why. ' +
        'Nothing is run. A tool of an MCP server is checked as call_mcp_tool.',
    )
    .argument('<tool>', 'the tool, by any of its names')
    .argument('[args]', 'its arguments, as one JSON object', '{}')
    .addOption(new Option('--mode <mode>', 'the mode of the session').choices(MODES).default('agent'))
    .option('--cwd <folder>', 'the workspace', '.')
    .option('-c, --config <file>', 'the configuration file (default: crosspoint.yaml, as for serve)')
    .option('--json', 'print JSON: { decision, rule, reason }')
    .addHelpText(
      'after',
      `${examples(
        [`crosspoint policy check Delete '{"path":"a.txt"}'`, 'by the words of the policy'],
        [`crosspoint policy check Shell '{"command":"git push"}' --mode plan`, 'in another mode'],
        [`crosspoint policy check Read '{"path":"/etc/passwd"}' --json`, 'for scripts'],
      )}\nExit codes:\n  0  allow or ask\n  2  no such tool, wrong arguments or a wrong policy\n  3  deny\n`,
    )
    .action(async (name: string, args: string, flags: CheckFlags) => {
      // On demand: the registry brings parsers and search along, which --help does not need.
      const { judgeCall } = await import('../judge-call.ts');
      const { loadToolSections, openUserPolicy } = await import('../load-policy.ts');
      const folder = findWorkspace(context, flags.cwd);
      const { sections } = await loadToolSections(context, flags.config);
      const { policy } = await openUserPolicy(context, sections, folder);
      const judgement = await judgeCall(context, { name, args, mode: flags.mode, folder, policy });
      if (flags.json) printJson(context, judgement.verdict);
      else context.stdout.write(formatJudgement(context, judgement));
      if (judgement.verdict.decision === 'deny') finish(EXIT.refused);
    });
}

function formatJudgement(context: CliContext, { tool, verdict, touches }: Judgement): string {
  const ansi = stdoutAnsi(context);
  const paint = { allow: ansi.green, ask: ansi.yellow, deny: ansi.red }[verdict.decision];
  const lines = [
    `${paint(verdict.decision)}  ${tool}`,
    `  rule     ${printable(verdict.rule)}`,
    `  reason   ${printable(verdict.reason)}`,
    ...touches.map((touch) => `  touches  ${printable(describeTouch(touch))}`),
  ];
  return `${lines.join('\n')}\n`;
}

function describeTouch(touch: Touch): string {
  switch (touch.type) {
    case 'path':
      return `${touch.access} ${touch.path}`;
    case 'command':
      return `run ${JSON.stringify(touch.command)} in ${touch.cwd}`;
    case 'host':
      return `reach ${touch.url}`;
    case 'mcp':
      return `call ${touch.server}:${touch.tool}`;
    case 'user':
      return `the user: ${touch.purpose}`;
  }
}
