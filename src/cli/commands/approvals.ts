import { Command } from 'commander';
import { GatewayError, isJsonObject, type JsonObject } from '../../core/index.ts';
import { type AdminClient, findAdminClient } from '../admin-client.ts';
import { formatTable, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson } from '../command.ts';
import type { CliContext } from '../context.ts';

/** Tool calls that wait for a person, answered from anywhere. */
export const approvalsCommand: CreateCommand = (context) => {
  const approvals = new Command('approvals')
    .summary('tool calls that wait for your word: list, allow, deny')
    .description('Shows the tool calls of the running gateway that wait for an answer, and answers them.')
    .addHelpText(
      'after',
      examples(
        ['crosspoint approvals list', 'what waits, with its id'],
        ['crosspoint approvals allow approval_…', 'this once'],
        ['crosspoint approvals allow approval_… --always', 'and calls like it, until the gateway restarts'],
        ['crosspoint approvals deny approval_… --feedback "use npm test"', 'the model reads the reason'],
      ),
    );
  approvals.addCommand(listCommand(context), { isDefault: true });
  approvals.addCommand(allowCommand(context));
  approvals.addCommand(denyCommand(context));
  return approvals;
};

function listCommand(context: CliContext): Command {
  return new Command('list')
    .summary('what waits')
    .option('--json', 'print JSON')
    .action(async (flags: { json?: boolean }) => {
      const waiting = readApprovals(await (await requireGateway(context)).get('/api/approvals'));
      if (flags.json) printJson(context, waiting);
      else context.stdout.write(formatApprovals(waiting));
    });
}

function allowCommand(context: CliContext): Command {
  return new Command('allow')
    .summary('let a call run')
    .argument('<id>', 'as `approvals list` shows it')
    .option('--always', 'and calls like it, until the gateway is started anew')
    .action(async (id: string, flags: { always?: boolean }) => {
      await answer(context, id, { type: flags.always ? 'always' : 'once' });
      context.stdout.write(`Allowed ${printable(id)}.\n`);
    });
}

function denyCommand(context: CliContext): Command {
  return new Command('deny')
    .summary('refuse a call')
    .argument('<id>', 'as `approvals list` shows it')
    .option('--feedback <text>', 'told to the model')
    .action(async (id: string, { feedback }: { feedback?: string }) => {
      await answer(context, id, feedback === undefined ? { type: 'deny' } : { type: 'deny', feedback });
      context.stdout.write(`Denied ${printable(id)}.\n`);
    });
}

async function answer(context: CliContext, id: string, body: JsonObject): Promise<void> {
  await (await requireGateway(context)).post(`/api/approvals/${encodeURIComponent(id)}`, body);
}

async function requireGateway(context: CliContext): Promise<AdminClient> {
  const client = await findAdminClient(context);
  if (client) return client;
  throw new GatewayError('not-found', 'No gateway runs here; start one with `crosspoint serve`.');
}

function readApprovals(body: unknown): readonly JsonObject[] {
  const list = isJsonObject(body) ? body.approvals : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function formatApprovals(waiting: readonly JsonObject[]): string {
  if (waiting.length === 0) return 'Nothing waits for an answer.\n';
  const rows = waiting.map(({ id, tool, risk, preview, reason }) =>
    [id, tool, risk, firstLine(preview), reason].map((cell) => printable(String(cell ?? ''))),
  );
  return `${formatTable([['id', 'tool', 'risk', 'what', 'why it is asked'], ...rows])}\n`;
}

function firstLine(preview: unknown): string {
  const [line = ''] = String(preview ?? '').split('\n');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
