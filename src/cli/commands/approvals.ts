import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import {
  GatewayError,
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../core/index.ts';
import { type AdminClient, findAdminClient } from '../admin-client.ts';
import { formatTable, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson } from '../command.ts';
import type { CliContext } from '../context.ts';

/** Tool calls and questions that wait for a person, answered from anywhere. */
export const approvalsCommand: CreateCommand = (context) => {
  const approvals = new Command('approvals')
    .summary('what waits for your word: list, show, allow, reply, deny')
    .description(
      'Shows what the tools of the running gateway wait for, and answers it: calls that want to run, questions of ' +
        'models and MCP servers, servers and tools that have changed, sign-ins.',
    )
    .addHelpText(
      'after',
      examples(
        ['crosspoint approvals list', 'what waits, with its id'],
        ['crosspoint approvals show apr_…', 'the whole command, diff, question or address'],
        ['crosspoint approvals allow apr_…', 'this once'],
        ['crosspoint approvals allow apr_… --always', 'and calls like it in this workspace, from now on'],
        ['crosspoint approvals reply apr_… database=postgres', 'answers a question'],
        ['crosspoint approvals deny apr_… --feedback "use npm test"', 'the model reads the reason'],
      ),
    );
  approvals.addCommand(listCommand(context), { isDefault: true });
  approvals.addCommand(showCommand(context));
  approvals.addCommand(allowCommand(context));
  approvals.addCommand(replyCommand(context));
  approvals.addCommand(denyCommand(context));
  return approvals;
};

function listCommand(context: CliContext): Command {
  return new Command('list')
    .summary('what waits')
    .option('--json', 'print JSON')
    .action(async (flags: { json?: boolean }) => {
      const waiting = await readApprovals(context);
      if (flags.json) printJson(context, waiting);
      else context.stdout.write(formatApprovals(waiting));
    });
}

function showCommand(context: CliContext): Command {
  return new Command('show')
    .summary('one of them, whole')
    .argument('<id>', 'as `approvals list` shows it')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: { json?: boolean }) => {
      const approval = await findApproval(context, id);
      if (flags.json) printJson(context, approval);
      else context.stdout.write(formatApproval(approval));
    });
}

function allowCommand(context: CliContext): Command {
  return new Command('allow')
    .summary('let a call run, agree to a change')
    .argument('<id>', 'as `approvals list` shows it')
    .option(
      '--always',
      'and calls like it in this workspace, from now on (`crosspoint policy` shows the rules)',
    )
    .action(async (id: string, flags: { always?: boolean }) => {
      await answer(context, id, { type: flags.always ? 'always' : 'once' });
      context.stdout.write(`Allowed ${printable(id)}.\n`);
    });
}

function replyCommand(context: CliContext): Command {
  return new Command('reply')
    .summary('answer a question')
    .description(
      'Answers what `approvals show` lists, as name=value; several values of one name make a list, and @FILE reads the ' +
        'value from a file.',
    )
    .argument('<id>', 'as `approvals list` shows it')
    .argument('<answers...>', 'name=value, or one JSON object')
    .action(async (id: string, pairs: readonly string[]) => {
      const approval = await findApproval(context, id);
      await answer(context, id, { type: 'reply', content: readPairs(context, pairs, approval) });
      context.stdout.write(`Answered ${printable(id)}.\n`);
    });
}

function denyCommand(context: CliContext): Command {
  return new Command('deny')
    .summary('refuse')
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

async function readApprovals(context: CliContext): Promise<readonly JsonObject[]> {
  const body = await (await requireGateway(context)).get('/api/approvals');
  const list = isJsonObject(body) ? body.approvals : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

async function findApproval(context: CliContext, id: string): Promise<JsonObject> {
  const found = (await readApprovals(context)).find((approval) => approval.id === id);
  if (found) return found;
  throw new GatewayError(
    'not-found',
    `Nothing waits under ${id}; \`crosspoint approvals list\` shows what does.`,
  );
}

function readPairs(context: CliContext, pairs: readonly string[], { form }: JsonObject): JsonObject {
  const [first = ''] = pairs;
  if (pairs.length === 1 && first.trimStart().startsWith('{')) return parseObject(first);
  const schema = isJsonObject(form) && isJsonObject(form.schema) ? form.schema.properties : undefined;
  const content: Record<string, JsonValue> = {};
  for (const pair of pairs) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined)
      throw invalidRequest(`"${pair}" is not an answer; write it as name=value.`, 'answers');
    const field = isJsonObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
    const value = toValue(text.startsWith('@') ? readText(context, text.slice(1)) : text, field);
    const before = Object.hasOwn(content, name) ? content[name] : undefined;
    content[name] = before === undefined ? value : [before, value].flat();
  }
  return content;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // said below
  }
  throw invalidRequest('The answer begins with { but is not a JSON object.', 'answers');
}

function readText(context: CliContext, file: string): string {
  try {
    return readFileSync(path.resolve(context.cwd, file), 'utf8');
  } catch {
    throw invalidRequest(`${file} cannot be read.`, 'answers');
  }
}

/** A terminal only knows text; the schema of the question says what is meant by it. */
function toValue(text: string, field: JsonValue | undefined): JsonValue {
  const type = isJsonObject(field) ? field.type : undefined;
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'array' ? [text] : text;
}

function formatApprovals(waiting: readonly JsonObject[]): string {
  if (waiting.length === 0) return 'Nothing waits for an answer.\n';
  const rows = waiting.map(({ id, kind, tool, preview, reason }) =>
    [id, kind ?? 'call', tool, firstLine(preview), reason].map((cell) => printable(String(cell ?? ''))),
  );
  return `${formatTable([['id', 'kind', 'from', 'what', 'why it is asked'], ...rows])}\n`;
}

function formatApproval({
  id,
  kind,
  tool,
  risk,
  preview,
  reason,
  rule,
  form,
  alwaysRule,
}: JsonObject): string {
  const facts = formatTable(
    [
      ['kind', kind ?? 'call'],
      ['from', tool],
      ['risk', risk],
      ['why', `${String(reason)} (${String(rule)})`],
      ...(isJsonObject(alwaysRule) ? [['always', `would add ${JSON.stringify(alwaysRule)}`]] : []),
    ].map((row) => row.map((cell) => printable(String(cell ?? '')))),
  );
  const how = isJsonObject(form) ? howToAnswer(String(form.type), kind) : undefined;
  const command = how === undefined ? '' : `\nAnswer with: crosspoint approvals reply ${String(id)} ${how}\n`;
  return `${facts}\n\n${printable(String(preview))}\n${printable(command)}`;
}

/** What follows the id; undefined where `allow` and `deny` say everything. */
function howToAnswer(form: string, kind: JsonValue | undefined): string | undefined {
  switch (form) {
    case 'questions':
      return 'QUESTION=OPTION …';
    case 'fields':
      return 'FIELD=VALUE …';
    case 'text':
      return 'text=@FILE   (or `allow` to take it as it is)';
    case 'address':
      return kind === 'sign-in'
        ? 'address=ADDRESS   (only when the browser runs on another machine)'
        : undefined;
    default:
      return undefined;
  }
}

function firstLine(preview: unknown): string {
  const [line = ''] = String(preview ?? '').split('\n');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
