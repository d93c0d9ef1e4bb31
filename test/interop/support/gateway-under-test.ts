// The built gateway, started inside an isolated place; what it did is read from its own log.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolatedEnvironment, ROOT } from '../../support/program.ts';
import type { Isolation } from './isolation.ts';
import { type ProcessResult, runProcess, signalGroup } from './run-process.ts';

/** The program under test; another build can be named while developing. */
export const PROGRAM = process.env.CROSSPOINT_PROGRAM || join(ROOT, 'dist/cli/main.js');

const COMMAND_TIMEOUT_MS = 30_000;

/** What the gateway's log says of a finished turn. */
export interface LoggedTurn {
  readonly turnId: string;
  readonly front: string;
  readonly outcome: string;
  readonly toolCalls: number;
}

export interface GatewayUnderTest {
  readonly url: string;
  /** Every turn that has ended so far. */
  turns(): readonly LoggedTurn[];
  /** Another command of the program, with the same home. */
  command(args: readonly string[]): Promise<ProcessResult>;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly isolation: Isolation;
  /** Further names for the demo model. */
  readonly modelAliases: readonly string[];
  /** Further sections of the configuration. */
  readonly settings?: object;
}

export async function startGatewayUnderTest(options: GatewayOptions): Promise<GatewayUnderTest> {
  const { isolation, modelAliases, settings } = options;
  const home = await mkdtemp(join(tmpdir(), 'crosspoint-interop-gateway-'));
  const models = Object.fromEntries(modelAliases.map((name) => [name, { upstream: 'demo', model: 'demo' }]));
  const config = { ...settings, upstreams: { demo: { kind: 'demo' } }, models, default: 'demo/demo' };
  await writeFile(join(home, 'crosspoint.json'), JSON.stringify(config));
  const env = { ...isolatedEnvironment(home), ...isolation.env };
  const [program = '', ...args] = isolation.wrap([process.execPath, PROGRAM, 'serve', '--port', '0'], home);
  const child = spawn(program, args, {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  // `close`, not `exit`: nsenter may go before the gateway it started, which still holds the pipes.
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString();
      const listening = /"msg":"listening on (https?:[^"]+)"/.exec(output)?.[1];
      if (listening) resolve(listening);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`the gateway ended before it served:\n${output}`)));
  });
  return {
    url,
    command: (commandArgs) =>
      runProcess(isolation.wrap([process.execPath, PROGRAM, ...commandArgs], home), {
        cwd: home,
        env,
        timeoutMs: COMMAND_TIMEOUT_MS,
      }),
    turns: () => output.split('\n').flatMap(readTurn),
    stop: async () => {
      signalGroup(child.pid, 'SIGTERM');
      await closed;
      await rm(home, { recursive: true, force: true });
    },
  };
}

function readTurn(line: string): LoggedTurn[] {
  if (!line.startsWith('{') || !line.endsWith('}')) return [];
  const entry = JSON.parse(line) as Partial<LoggedTurn>; // checked field by field below
  const { turnId, front, outcome, toolCalls } = entry;
  if (turnId === undefined || front === undefined || outcome === undefined || toolCalls === undefined)
    return [];
  return [{ turnId, front, outcome, toolCalls }];
}
