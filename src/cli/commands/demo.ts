import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { type Ansi, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext, StartedGateway } from '../context.ts';
import { startDemoGateway } from '../demo/demo-gateway.ts';
import { DEMO_CONTENT, DEMO_FILE, ONE_CALL } from '../demo/demo-tasks.ts';
import { formatMatrix } from '../demo/format-matrix.ts';
import { DEMO_CLIENTS } from '../demo/index.ts';
import { type DemoOutcome, type DemoStep, describeClient, runDemo } from '../demo/run-demo.ts';
import { runMatrix } from '../demo/run-matrix.ts';
import { EXIT } from '../exit-codes.ts';

const TIMEOUT_MS = 55_000;

interface DemoFlags {
  readonly json?: boolean;
  readonly matrix?: boolean;
}

export const demoCommand: CreateCommand = (context, finish) =>
  new Command('demo')
    .summary('a full tool turn on every front, offline')
    .description(
      'Starts a gateway of its own on a free port, with the built-in demo model, and holds a whole conversation with a ' +
        'tool call on every front this version serves. The tool is executed here. Needs no account and no network.',
    )
    .option('--matrix', 'every front with every upstream, with two calls at once')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        ['crosspoint demo', 'watch it'],
        ['crosspoint demo --matrix', 'a table of everything that can meet'],
        ['crosspoint demo --json', 'for scripts'],
      ),
    )
    .action(async (flags: DemoFlags) => {
      const show = flags.matrix ? showMatrix : showTurns;
      const isOk = await inWorkspace((workspace) => show(context, workspace, flags.json === true));
      finish(isOk ? EXIT.done : EXIT.failed);
    });

async function inWorkspace<T>(work: (workspace: string) => Promise<T>): Promise<T> {
  const workspace = await mkdtemp(path.join(tmpdir(), 'crosspoint-demo-'));
  try {
    await writeFile(path.join(workspace, DEMO_FILE), DEMO_CONTENT);
    return await work(workspace);
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

async function showMatrix(context: CliContext, workspace: string, isJson: boolean): Promise<boolean> {
  const cells = await runMatrix(context, { workspace, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const isOk = cells.length > 0 && cells.every(({ state }) => state === 'ok');
  if (isJson) printJson(context, { ok: isOk, cells });
  else context.stdout.write(`${formatMatrix(cells, stdoutAnsi(context))}\n\n${verdict(isOk)}\n`);
  return isOk;
}

async function showTurns(context: CliContext, workspace: string, isJson: boolean): Promise<boolean> {
  const outcomes = await runTurns(context, workspace, isJson);
  const isOk = outcomes.length > 0 && outcomes.every(({ ok }) => ok);
  if (isJson) printJson(context, { ok: isOk, turns: outcomes });
  else context.stdout.write(formatSummary(outcomes, isOk, stdoutAnsi(context)));
  return isOk;
}

async function runTurns(context: CliContext, workspace: string, isQuiet: boolean): Promise<DemoOutcome[]> {
  const ansi = stdoutAnsi(context);
  const say = (text: string) => {
    if (!isQuiet) context.stdout.write(`${text}\n`);
  };
  let gateway: StartedGateway | undefined;
  try {
    gateway = await startDemoGateway(context, path.join(workspace, 'state'));
    say(`${ansi.bold('Crosspoint demo')}  ${ansi.dim(gateway.url)}`);
    const { fronts } = await context.dialects();
    const served = DEMO_CLIENTS.filter(({ front }) => fronts.some(({ dialect }) => dialect === front));
    const outcomes: DemoOutcome[] = [];
    for (const client of served) {
      for (const stream of [false, true]) {
        say(`\n${ansi.bold(describeClient(client, stream))} ${ansi.dim(`(${client.front})`)}`);
        const { fetch, nowMs } = context;
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const target = { url: gateway.url, model: 'demo/demo', stream, fetch, signal };
        const onStep = (step: DemoStep) => say(formatStep(step, ansi));
        outcomes.push(await runDemo({ client, task: ONE_CALL, target, workspace, nowMs, onStep }));
      }
    }
    return outcomes;
  } finally {
    await gateway?.close();
  }
}

function formatStep({ who, text }: DemoStep, ansi: Ansi): string {
  const paint = { you: ansi.cyan, model: ansi.green, tool: ansi.yellow }[who];
  return `  ${paint(who.padEnd(6))} ${printable(text).replaceAll('\n', `\n${' '.repeat(9)}`)}`;
}

function formatSummary(outcomes: readonly DemoOutcome[], isOk: boolean, ansi: Ansi): string {
  const lines = outcomes.map(({ ok, client, durationMs, problem = '' }) =>
    ok
      ? `${ansi.green('✓')} ${client} ${ansi.dim(`${durationMs} ms`)}`
      : `${ansi.red('✗')} ${client}: ${printable(problem)}`,
  );
  return `\n${lines.join('\n')}\n\n${verdict(isOk)}\n`;
}

function verdict(isOk: boolean): string {
  return isOk ? 'Everything was as expected. Next: crosspoint serve' : 'Something was not as expected.';
}
