import { Command } from 'commander';
import { GatewayError } from '../../core/index.ts';
import { formatAccounts, readAccounts } from '../account-status.ts';
import { type AdminClient, findAdminClients } from '../admin-client.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { formatStatus, type GatewayStatus, readStatus } from '../gateway-status.ts';

interface Found {
  readonly pid: number;
  readonly url: string;
  readonly adminToken: string;
  readonly status?: GatewayStatus;
  readonly error?: string;
}

export const statusCommand: CreateCommand = (context, finish) =>
  new Command('status')
    .summary('the running gateway, its admin token, and accounts')
    .description(
      'Shows the gateways that run on this machine: address, upstreams and their health, turns, and the ' +
        'token of the admin API; then the accounts that are stored here. Exit code 1 when none runs.',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(['crosspoint status', 'for people'], ['crosspoint status --json', 'for scripts']),
    )
    .action(async (flags: { json?: boolean }) => {
      const found = await Promise.all(
        (await findAdminClients(context)).map((client) => inspect(client, context.nowMs())),
      );
      const accounts = await readAccounts(context);
      if (flags.json) printJson(context, { running: found.length > 0, gateways: found, ...accounts });
      else if (found.length === 0)
        context.stdout.write('No gateway runs here. Start one with:\n\n  crosspoint serve\n');
      else context.stdout.write(found.map((item) => formatFound(context, item)).join('\n'));
      const accountLines = formatAccounts(accounts, context.nowMs(), stdoutAnsi(context));
      if (!flags.json && accountLines !== '') context.stdout.write(`\n${accountLines}`);
      if (!found.some(({ status }) => status)) finish(EXIT.failed);
    });

async function inspect(client: AdminClient, nowMs: number): Promise<Found> {
  const { pid, url } = client.gateway;
  const head = { pid, url, adminToken: client.token };
  try {
    const [status, turns] = await Promise.all([
      client.get('/api/status'),
      client.get('/api/turns?limit=500'),
    ]);
    return { ...head, status: readStatus(status, turns, nowMs) };
  } catch (thrown) {
    return { ...head, error: GatewayError.from(thrown).message };
  }
}

function formatFound(context: CliContext, { pid, url, adminToken, status, error }: Found): string {
  const ansi = stdoutAnsi(context);
  const head = `${ansi.bold('Crosspoint')} ${status?.version ?? ''}  ${ansi.cyan(url)}  ${ansi.dim(`process ${pid}`)}\n`;
  if (!status) return `${head}  ${ansi.red('✗')} ${error}\n`;
  return `${head}${formatStatus(status, adminToken, ansi)}`;
}
