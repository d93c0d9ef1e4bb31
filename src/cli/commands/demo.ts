import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { type Config, defaultConfig, makeUpstream, statePaths } from '../../config/index.ts';
import { createLog } from '../../observe/log.ts';
import { type Ansi, printable } from '../ansi.ts';
import { type CreateCommand, examples, printJson, stdoutAnsi } from '../command.ts';
import type { CliContext, StartedGateway } from '../context.ts';
import { DEMO_CLIENTS } from '../demo/index.ts';
import {
  DEMO_CONTENT,
  DEMO_FILE,
  DEMO_TOOLS,
  type DemoOutcome,
  type DemoStep,
  runDemo,
} from '../demo/run-demo.ts';
import { EXIT } from '../exit-codes.ts';

const TIMEOUT_MS = 55_000;

export const demoCommand: CreateCommand = (context, finish) =>
  new Command('demo')
    .summary('a full tool turn on every front, offline')
    .description(
      'Starts a gateway of its own on a free port, with the built-in demo model, and holds a whole conversation with a ' +
        'tool call on every front this version serves. The tool is executed here. Needs no account and no network.',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(['crosspoint demo', 'watch it'], ['crosspoint demo --json', 'for scripts']),
    )
    .action(async (flags: { json?: boolean }) => {
      const outcomes = await runAll(context, flags.json === true);
      const isOk = outcomes.length > 0 && outcomes.every(({ ok }) => ok);
      if (flags.json) printJson(context, { ok: isOk, turns: outcomes });
      else context.stdout.write(formatSummary(outcomes, stdoutAnsi(context)));
      finish(isOk ? EXIT.done : EXIT.failed);
    });

async function runAll(context: CliContext, isQuiet: boolean): Promise<DemoOutcome[]> {
  const ansi = stdoutAnsi(context);
  const say = (text: string) => {
    if (!isQuiet) context.stdout.write(`${text}\n`);
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'crosspoint-demo-'));
  let gateway: StartedGateway | undefined;
  try {
    await writeFile(path.join(folder, DEMO_FILE), DEMO_CONTENT);
    gateway = await startDemoGateway(context, path.join(folder, 'state'));
    say(`${ansi.bold('Crosspoint demo')}  ${ansi.dim(gateway.url)}`);
    const { fronts } = await context.dialects();
    const served = DEMO_CLIENTS.filter(({ front }) => fronts.some(({ dialect }) => dialect === front));
    const outcomes: DemoOutcome[] = [];
    for (const client of served) {
      say(`\n${ansi.bold(client.name)} ${ansi.dim(`(${client.front})`)}`);
      const { fetch, nowMs } = context;
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const target = { url: gateway.url, model: 'demo/demo', tools: DEMO_TOOLS, fetch, signal };
      const onStep = (step: DemoStep) => say(formatStep(step, ansi));
      outcomes.push(await runDemo({ client, target, workspace: folder, nowMs, onStep }));
    }
    return outcomes;
  } finally {
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function startDemoGateway(context: CliContext, stateHome: string): Promise<StartedGateway> {
  const base = defaultConfig();
  const config: Config = {
    ...base,
    server: { ...base.server, port: 0, shutdownGraceMs: 100 },
    upstreams: { demo: makeUpstream({ kind: 'demo' }) },
    default: 'demo/demo',
    store: { kind: 'memory' },
    log: { level: 'silent' },
  };
  return context.startGateway({
    config,
    paths: statePaths({ env: { CROSSPOINT_HOME: stateHome }, home: stateHome }),
    adminToken: randomBytes(32).toString('base64url'),
    version: context.version,
    log: createLog({ level: 'silent' }),
  });
}

function formatStep({ who, text }: DemoStep, ansi: Ansi): string {
  const paint = { you: ansi.cyan, model: ansi.green, tool: ansi.yellow }[who];
  return `  ${paint(who.padEnd(6))} ${printable(text).replaceAll('\n', `\n${' '.repeat(9)}`)}`;
}

function formatSummary(outcomes: readonly DemoOutcome[], ansi: Ansi): string {
  const lines = outcomes.map(({ ok, client, durationMs, problem }) =>
    ok
      ? `${ansi.green('✓')} ${client} ${ansi.dim(`${durationMs} ms`)}`
      : `${ansi.red('✗')} ${client}: ${problem}`,
  );
  const isOk = outcomes.length > 0 && outcomes.every(({ ok }) => ok);
  const last = isOk ? 'Everything was as expected. Next: crosspoint serve' : 'Something was not as expected.';
  return `\n${lines.join('\n')}\n\n${last}\n`;
}
