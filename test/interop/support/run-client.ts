// One run of a client: a home of its own with its settings, a fresh work folder, nothing of the machine but PATH.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type ClientWay, DEMO_MODEL, type InteropClient, KEY } from '../clients/index.ts';
import { PROGRAM } from './gateway-under-test.ts';
import type { Isolation } from './isolation.ts';
import { describeRun, type ProcessResult, runProcess } from './run-process.ts';

/** The promise of the suite: no run takes longer. */
export const RUN_TIMEOUT_MS = 120_000;

export interface ClientSetup {
  readonly client: InteropClient;
  readonly way: ClientWay;
  /** The installed program of the client. */
  readonly program: string;
  readonly gatewayUrl: string;
  readonly isolation: Isolation;
}

export interface ClientTask {
  /** Several are asked one after the other, in one conversation. */
  readonly prompts: readonly [string, ...string[]];
  /** Another model than the way's own. */
  readonly model?: string;
  /** What lies in the work folder before the run. */
  readonly files: Readonly<Record<string, string>>;
}

export interface ClientRun extends ProcessResult {
  /** What lies in the work folder after the run. */
  readonly files: Readonly<Record<string, string>>;
}

type RunInside = (command: readonly string[]) => Promise<ProcessResult>;

export async function runClient(setup: ClientSetup, task: ClientTask): Promise<ClientRun> {
  const root = await mkdtemp(join(tmpdir(), `crosspoint-interop-${setup.client.name}-`));
  const [home, work, temporary] = [join(root, 'home'), join(root, 'work'), join(root, 'tmp')];
  try {
    await mkdir(temporary);
    await writeFiles(home, {});
    await writeFiles(work, task.files);
    const env = {
      ...clientEnvironment(home, temporary),
      ...setup.isolation.env,
      ...setup.client.env,
    };
    const run: RunInside = (command) =>
      runProcess(setup.isolation.wrap(command, work), { cwd: work, env, timeoutMs: RUN_TIMEOUT_MS });
    const model = task.model ?? setup.way.modelAlias ?? DEMO_MODEL;
    await configure(setup, { home, model }, run);
    const result = await ask(setup, task.prompts, run);
    return { ...result, files: await readFiles(work) };
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function clientEnvironment(home: string, temporary: string): Record<string, string> {
  return {
    // Launchers begin with `#!/usr/bin/env node`; they get the Node that runs the suite.
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    TERM: 'dumb',
    NO_COLOR: '1',
  };
}

/** Asks everything and gives back the last run; one that fails is the last. */
async function ask(
  { client, program }: ClientSetup,
  [first, ...others]: ClientTask['prompts'],
  run: RunInside,
): Promise<ProcessResult> {
  let result = await run([program, ...client.args(first)]);
  for (const prompt of others) {
    if (!client.resumeArgs)
      throw new Error(`${client.title} cannot go on with a conversation without a terminal`);
    if (result.code !== 0) break;
    result = await run([program, ...client.resumeArgs(prompt)]);
  }
  return result;
}

async function configure(
  { client, way, gatewayUrl, program }: ClientSetup,
  { home, model }: { readonly home: string; readonly model: string },
  run: RunInside,
): Promise<void> {
  const target = { url: gatewayUrl, model };
  switch (way.configuration.by) {
    case 'connect': {
      const flags = ['--write', '--url', target.url, '--model', target.model, '--key', KEY];
      return succeed(await run([process.execPath, PROGRAM, 'connect', client.name, ...flags]));
    }
    case 'files':
      return writeFiles(home, way.configuration.files(target));
    case 'command':
      return succeed(await run([program, ...way.configuration.args(target)]));
  }
}

function succeed(run: ProcessResult): void {
  if (run.code !== 0) throw new Error(`the client could not be configured: ${describeRun(run)}`);
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}
