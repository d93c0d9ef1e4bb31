import { Command, InvalidArgumentError } from 'commander';
import { GatewayError, omitUndefined } from '../../core/index.ts';
import type { KeyRecord, NewKey } from '../../store/index.ts';
import { formatTable, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import { type KeyDesk, openKeyDesk } from '../key-desk.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface CreateFlags {
  readonly models?: string;
  readonly rpm?: number;
  readonly maxConcurrent?: number;
  readonly expires?: number;
  readonly json?: boolean;
}

export const keysCommand: CreateCommand = (context) => {
  const keys = new Command('keys')
    .summary('gateway keys: create, list, revoke')
    .description(
      'Manages the keys that clients present to the gateway. Works with a running gateway and without one. ' +
        'Keys are asked for when server.auth is keys.',
    )
    .addHelpText(
      'after',
      examples(
        ['crosspoint keys create laptop', 'prints the key, once'],
        ['crosspoint keys create ci --models demo/demo --rpm 30 --expires 7', 'a narrow key'],
        ['crosspoint keys list', 'what there is'],
        ['crosspoint keys revoke key_…', 'stops working at once'],
      ),
    );
  keys.addCommand(createKey(context));
  keys.addCommand(listKeys(context));
  keys.addCommand(revokeKey(context));
  return keys;
};

function createKey(context: CliContext): Command {
  return new Command('create')
    .description('Makes a key and prints it. It is shown this once and stored only as a hash.')
    .argument('<name>', 'what or whom the key is for')
    .option('--models <names>', 'models it may use, separated by commas (default: all)')
    .option('--rpm <number>', 'requests per minute (default: no limit)', positiveInteger)
    .option('--max-concurrent <number>', 'turns at the same time (default: no limit)', positiveInteger)
    .option('--expires <days>', 'days until it stops working (default: never)', positiveInteger)
    .option('--json', 'print JSON')
    .addHelpText('after', examples(['crosspoint keys create laptop', 'a key for everything']))
    .action((name: string, flags: CreateFlags) =>
      withDesk(context, async (desk) => {
        const models = flags.models?.split(',').flatMap((model) => model.trim() || []);
        const { rpm: requestsPerMinute, maxConcurrent, expires } = flags;
        const expiresAtMs = expires === undefined ? undefined : context.nowMs() + expires * DAY_MS;
        const wanted: NewKey = omitUndefined({ name, models, requestsPerMinute, maxConcurrent, expiresAtMs });
        const { record, secret } = await desk.create(wanted);
        if (flags.json) printJson(context, { ...record, key: secret });
        else context.stdout.write(formatNewKey(context, record, secret));
      }),
    );
}

function listKeys(context: CliContext): Command {
  return new Command('list')
    .description('Lists the keys, newest last. The keys themselves cannot be shown again.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples(['crosspoint keys list', 'a table']))
    .action((flags: { json?: boolean }) =>
      withDesk(context, async (desk) => {
        const records = await desk.list();
        if (flags.json) printJson(context, records);
        else context.stdout.write(formatKeys(records, context.nowMs()));
      }),
    );
}

function revokeKey(context: CliContext): Command {
  return new Command('revoke')
    .description('Revokes a key. Clients that use it are refused from now on.')
    .argument('<id>', 'the id, as `crosspoint keys list` shows it')
    .option('--json', 'print JSON')
    .addHelpText('after', examples(['crosspoint keys revoke key_…', 'stops working at once']))
    .action((id: string, flags: { json?: boolean }) =>
      withDesk(context, async (desk) => {
        if (!(await desk.revoke(id))) {
          throw new GatewayError(
            'not-found',
            `There is no key ${id} that works. \`crosspoint keys list\` shows the ids.`,
          );
        }
        if (flags.json) printJson(context, { id, revoked: true });
        else context.stdout.write(`Revoked ${id}.\n`);
      }),
    );
}

async function withDesk(context: CliContext, use: (desk: KeyDesk) => Promise<void>): Promise<void> {
  const desk = await openKeyDesk(context);
  try {
    await use(desk);
  } finally {
    await desk.close();
  }
}

function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be a whole number above zero.');
}

function formatNewKey(context: CliContext, record: KeyRecord, secret: string): string {
  const ansi = stdoutAnsi(context);
  return (
    `\n  ${ansi.bold(secret)}\n\n` +
    `This is the key ${printable(record.name)} (${record.id}). It is shown this once; keep it safe.\n` +
    'Clients send it as their API key. `crosspoint connect CLIENT --key KEY` puts it into their settings.\n'
  );
}

function formatKeys(records: readonly KeyRecord[], nowMs: number): string {
  if (records.length === 0) return 'No keys yet. Make one with: crosspoint keys create NAME\n';
  const rows = records.map((record) => [
    record.id,
    printable(record.name),
    `${record.prefix}…`,
    stateOf(record, nowMs),
    formatDay(record.createdAtMs),
    record.lastUsedAtMs === undefined ? 'never' : formatDay(record.lastUsedAtMs),
    record.models?.join(', ') ?? 'all',
  ]);
  return `${formatTable([['ID', 'NAME', 'KEY', 'STATE', 'CREATED', 'USED', 'MODELS'], ...rows])}\n`;
}

function stateOf({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): string {
  if (revokedAtMs !== undefined) return 'revoked';
  if (expiresAtMs === undefined) return 'active';
  return expiresAtMs <= nowMs ? 'expired' : `until ${formatDay(expiresAtMs)}`;
}

function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
