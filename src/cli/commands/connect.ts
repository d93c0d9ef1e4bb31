import { existsSync } from 'node:fs';
import path from 'node:path';
import { Argument, Command } from 'commander';
import { isHttpUrl } from '../../config/index.ts';
import { invalidRequest } from '../../core/index.ts';
import { findAdminClient } from '../admin-client.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import { CONNECT_CLIENTS, type ConnectClient, type ConnectTarget } from '../connect/index.ts';
import type { CliContext } from '../context.ts';
import { applyEdit, type PlannedEdit, planEdit } from '../edit-file.ts';
import { diffLines } from '../line-diff.ts';
import { loadSettings } from '../load-settings.ts';
import { readModels, type ShownModel } from '../read-models.ts';

interface ConnectFlags {
  readonly write?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly url?: string;
  readonly model?: string;
  readonly key?: string;
  readonly file?: string;
}

/** Most clients refuse an empty key; a gateway without keys takes any word. */
const NO_KEY = 'crosspoint';
/** A client's own list is for choosing from, not for scrolling. */
const MAX_MODELS = 50;

export const connectCommand: CreateCommand = (context) =>
  new Command('connect')
    .summary('settings for a client: print them, or write them with --write')
    .description(
      'Prints what a client must be told to use this gateway, or writes it into its settings file.',
    )
    .addArgument(new Argument('<client>', 'the client').choices(CONNECT_CLIENTS.map(({ name }) => name)))
    .option('-w, --write', 'edit the settings file (a backup is kept beside it)')
    .option('--dry-run', 'show what --write would change, and change nothing')
    .option('--url <url>', 'address of the gateway (default: the running one, else the configured one)')
    .option('-m, --model <model>', 'the model to use')
    .option('-k, --key <key>', 'the gateway key to put in')
    .option('-f, --file <file>', 'the settings file, if it is not in its usual place')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `\nClients:\n${CONNECT_CLIENTS.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}\n` +
        examples(
          ['crosspoint connect opencode', 'show the settings'],
          ['crosspoint connect opencode --write', 'write them'],
          ['crosspoint connect codex --model demo/demo --dry-run', 'see the change first'],
        ),
    )
    .action((name: string, flags: ConnectFlags) => connect(context, name, flags));

async function connect(context: CliContext, name: string, flags: ConnectFlags): Promise<void> {
  const client = CONNECT_CLIENTS.find((known) => known.name === name);
  if (!client) throw invalidRequest(`There is no client ${name}.`); // the argument's choices have ruled it out
  const target = await findTarget(context, flags);
  const { fronts, natives } = await context.dialects();
  const isServed = [...fronts.map(({ dialect }) => dialect), ...natives].includes(client.front);
  const notice = isServed
    ? undefined
    : `${client.title} speaks ${client.front}, which this version does not serve yet. The settings are right for the version that will.`;
  const plan = flags.write || flags.dryRun ? await planSettings(context, client, target, flags) : undefined;
  const isChanged = plan !== undefined && plan.before !== plan.after;
  const isWritten = isChanged && flags.write === true && flags.dryRun !== true;
  const backup = isWritten ? await applyEdit(plan, context.nowMs()) : undefined;

  if (flags.json) {
    const { url, model } = target;
    const { front } = client;
    const file = plan?.file;
    const settings = client.describe(target);
    printJson(context, {
      client: name,
      front,
      isServed,
      url,
      model,
      settings,
      file,
      changed: isWritten,
      backup,
    });
    return;
  }
  const ansi = stdoutAnsi(context);
  if (notice) context.stderr.write(`${ansi.yellow('!')} ${notice}\n\n`);
  if (plan) context.stdout.write(formatEdit(plan, { isChanged, isWritten, backup }, context));
  else if (flags.write || flags.dryRun) {
    context.stdout.write(
      `${client.title} has no settings file; there is nothing to write. Do this instead:\n\n`,
    );
    context.stdout.write(client.describe(target));
  } else context.stdout.write(client.describe(target));
}

async function findTarget(context: CliContext, flags: ConnectFlags): Promise<ConnectTarget> {
  if (flags.url !== undefined && !isHttpUrl(flags.url)) {
    throw invalidRequest(`--url ${flags.url}: the address must begin with http:// or https://.`, '--url');
  }
  const running = await findAdminClient(context);
  const { config } = await loadSettings(context, { probesPorts: false });
  const offered = running ? await running.get('/api/models').then(readModels, () => []) : [];
  const fallback = config.default ?? 'demo/demo';
  const model = flags.model ?? fallback;
  const { host, port, tls } = config.server;
  const configured = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = (flags.url ?? running?.gateway.url ?? configured).replace(/\/+$/, '').replace(/\/v1$/, '');
  const models = [
    ...new Set([
      model,
      ...Object.keys(config.models),
      ...offered.filter(isWorthOffering).map(({ id }) => id),
    ]),
  ];
  return {
    url,
    model,
    models: models.slice(0, MAX_MODELS),
    key: flags.key ?? NO_KEY,
    isModelChosen: flags.model !== undefined,
  };
}

/** The demo upstream has models that show faults on purpose; nobody wants those in a list to choose from. */
function isWorthOffering({ id, upstream }: ShownModel): boolean {
  return upstream !== 'demo' || id === 'demo/demo';
}

async function planSettings(
  context: CliContext,
  client: ConnectClient,
  target: ConnectTarget,
  flags: ConnectFlags,
): Promise<PlannedEdit | undefined> {
  if (!client.settings) return undefined;
  const { env, home, cwd } = context;
  const configHome = env.XDG_CONFIG_HOME || path.join(home, '.config');
  const candidates = client.settings.files({ env, home, configHome });
  const usual = candidates.find((candidate) => existsSync(candidate)) ?? candidates.at(-1) ?? candidates[0];
  const file = flags.file === undefined ? usual : path.resolve(cwd, flags.file);
  return planEdit(file, client.settings.edit(target));
}

interface EditOutcome {
  readonly isChanged: boolean;
  readonly isWritten: boolean;
  readonly backup: string | undefined;
}

function formatEdit(
  plan: PlannedEdit,
  { isChanged, isWritten, backup }: EditOutcome,
  context: CliContext,
): string {
  if (!isChanged) return `${plan.file} is up to date; nothing was changed.\n`;
  const ansi = stdoutAnsi(context);
  const diff = diffLines(plan.before, plan.after).map((line) => {
    if (line.startsWith('+')) return ansi.green(line);
    return line.startsWith('-') ? ansi.red(line) : line;
  });
  const verb = isWritten ? 'Changed' : 'Would change';
  const kept = backup === undefined ? '' : `The old file is kept as ${backup}.\n`;
  return `${verb} ${plan.file}:\n\n${diff.join('\n')}\n\n${kept}`;
}
