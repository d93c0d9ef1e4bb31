import { Command } from 'commander';
import { statePaths } from '../../config/index.ts';
import { GatewayError } from '../../core/index.ts';
import { createRedactor } from '../../observe/redact.ts';
import type { Ansi } from '../ansi.ts';
import { printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import { type Check, failure, ok, warning } from '../doctor/check.ts';
import { checkDisk, checkNode, checkPort, checkStateFolder } from '../doctor/machine-checks.ts';
import { checkBind, checkKeys, checkLogins, checkSecurity, checkUpstreams } from '../doctor/setup-checks.ts';
import { EXIT } from '../exit-codes.ts';
import { loadSettings, type Settings } from '../load-settings.ts';

interface DoctorFlags {
  readonly config?: string;
  readonly security?: boolean;
  readonly json?: boolean;
}

export const doctorCommand: CreateCommand = (context, finish) =>
  new Command('doctor')
    .summary('checks the set-up and says what to do')
    .description(
      'Checks Node, the configuration, the state folder, the port, every upstream, the keys and the tools, and says for each ' +
        'problem what to do. Exit code 1 when anything fails; warnings alone do not count.',
    )
    .option('-c, --config <file>', 'the configuration to check')
    .option('--security', 'also look for secrets and files that others could read')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(['crosspoint doctor', 'everything'], ['crosspoint doctor --security', 'a closer look']),
    )
    .action(async (flags: DoctorFlags) => {
      const checks = await examine(context, flags);
      const hasFailed = checks.some(({ level }) => level === 'failure');
      if (flags.json) printJson(context, { ok: !hasFailed, checks });
      else context.stdout.write(formatChecks(checks, stdoutAnsi(context)));
      if (hasFailed) finish(EXIT.failed);
    });

async function examine(context: CliContext, flags: DoctorFlags): Promise<Check[]> {
  const paths = statePaths(context);
  const machine = [checkNode(context), await checkStateFolder(paths), await checkDisk(paths)];
  const logins = flags.security ? [await checkLogins(paths)] : [];
  let settings: Settings;
  try {
    settings = await loadSettings(context, { configFile: flags.config });
  } catch (thrown) {
    const { message } = GatewayError.from(thrown);
    return [
      ...machine,
      failure('configuration', message, 'Mend it and run the doctor again; the rest depends on it.'),
    ];
  }
  const { config, file, notices, secrets } = settings;
  // On demand: the policy brings a parser of shell commands along, which --help does not need.
  const { checkTools } = await import('../doctor/tool-checks.ts');
  const checks = [
    ...machine,
    ok('configuration', file ?? 'none; upstreams are discovered'),
    ...notices.map((notice) => warning('environment', notice, 'Nothing, if that is fine with you.')),
    checkBind(config),
    await checkPort(context, config, paths),
    await checkKeys(context, config),
    ...(await checkUpstreams(context, config)),
    ...(await checkTools(context, config)),
    ...logins,
    ...(flags.security ? await checkSecurity(settings) : []),
  ];
  // Upstreams' own words pass through here; they may repeat a key.
  const redactor = createRedactor(secrets);
  return checks.map((check) => ({ ...check, message: redactor.redact(check.message) }));
}

function formatChecks(checks: readonly Check[], ansi: Ansi): string {
  const mark = { ok: ansi.green('✓'), warning: ansi.yellow('!'), failure: ansi.red('✗') };
  const lines = checks.flatMap(({ name, level, message, remedy }) => {
    const text = printable(message).replaceAll('\n', '\n    ');
    const line = `${mark[level]} ${ansi.bold(name)}  ${text}`;
    return remedy === undefined ? [line] : [line, `    ${ansi.dim('→')} ${remedy}`];
  });
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length;
  const failures = count('failure');
  const warnings = count('warning');
  const warned = `${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  const last =
    failures > 0
      ? `${failures} failed, ${warned}.`
      : warnings > 0
        ? `Ready, with ${warned}.`
        : 'All is well.';
  return `${lines.join('\n')}\n\n${last}\n`;
}
