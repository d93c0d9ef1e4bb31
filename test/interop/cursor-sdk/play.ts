// What play.mjs is told and what it tells, and one run of it: a fresh home, a fresh work folder, the isolated place.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Isolation } from '../support/isolation.ts';
import { clientEnvironment } from '../support/run-client.ts';
import { describeRun, runProcess } from '../support/run-process.ts';
import type { SdkInstallation } from './sdk-version.ts';

const PLAY_TIMEOUT_MS = 60_000;

export interface Play {
  readonly model?: string;
  readonly sends: readonly PlayedSend[];
  readonly hasCustomTools?: boolean;
  /** Told where the work folder is. */
  readonly mcpServers?: (work: string) => Readonly<Record<string, object>>;
  readonly listsModels?: boolean;
  readonly apiKey?: string;
  /** Further options of `Agent.create`. */
  readonly options?: object;
  /** What lies in the work folder before. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface PlayedSend {
  readonly text: string;
  readonly images?: readonly { readonly data: string; readonly mimeType: string }[];
  readonly options?: object;
  /** Cancels when the first message of this type comes. */
  readonly cancelAt?: string;
  /** Cuts every connection at the first message of this type and status. */
  readonly cutAt?: string;
  /** Says this while the first tool runs (`run.steer`). */
  readonly steerWith?: string;
  /** By `Agent.resume`, in an agent object of its own. */
  readonly isResumed?: boolean;
}

/** The messages of the SDK, as far as the checks read them. */
export interface SeenMessage {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly status?: string;
  readonly args?: unknown;
  readonly result?: unknown;
}

export interface SeenSend {
  readonly messages: readonly SeenMessage[];
  readonly deltas: readonly { readonly type: string }[];
  /** What `run.steer` resolved with. */
  readonly steered?: string;
  readonly result: {
    readonly status: string;
    readonly result?: string;
    readonly error?: { readonly message: string };
    readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  };
}

export interface PlaySeen {
  readonly sends: readonly SeenSend[];
  /** The paths of all calls that went over HTTP/2. */
  readonly overHttp2: readonly string[];
  /** How often the connections were cut. */
  readonly cuts: number;
  readonly models?: readonly { readonly id: string; readonly displayName: string }[];
  readonly me?: { readonly apiKeyName: string };
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string };
  /** What lies in the work folder after, folders below it included. */
  readonly files: Readonly<Record<string, string>>;
  /** Connections and look-ups beyond loopback that were tried. */
  readonly outside: readonly string[];
}

export interface Stage {
  readonly isolation: Isolation;
  readonly gatewayUrl: string;
  readonly installation: Exclude<SdkInstallation, { problem: string }>;
  /** A file with the certificate to trust, for a gateway with TLS. */
  readonly certificate?: string | undefined;
}

export async function runPlay(stage: Stage, play: Play): Promise<PlaySeen> {
  return inFreshFolders(async ({ root, work, env }) => {
    for (const [name, text] of Object.entries(play.files ?? {})) {
      await mkdir(dirname(join(work, name)), { recursive: true });
      await writeFile(join(work, name), text);
    }
    const [script, report, connections] = [
      join(root, 'play.json'),
      join(root, 'seen.json'),
      join(root, 'outside'),
    ];
    await writeFile(script, JSON.stringify({ ...scriptOf(stage, play, work), report }));
    await writeFile(connections, '');
    const recorder = join(import.meta.dirname, '../../support/native-client/record-connections.mjs');
    const command = ['--import', recorder, join(import.meta.dirname, 'play.mjs'), script];
    await runNode(stage, command, work, { ...env, CONNECTIONS_FILE: connections });
    const seen = JSON.parse(await readFile(report, 'utf8')) as Omit<PlaySeen, 'files' | 'outside'>; // play.mjs wrote it
    const outside = (await readFile(connections, 'utf8')).split('\n').filter((line) => line !== '');
    return { ...seen, files: await readFiles(work), outside };
  });
}

/** A program that imports the SDK by its name, beside an installed one. */
export async function runGuide(
  stage: Stage,
  program: string,
): Promise<{ readonly stdout: string; readonly files: Readonly<Record<string, string>> }> {
  return inFreshFolders(async ({ root, work, env }) => {
    await symlink(join(stage.installation.folder, 'node_modules'), join(root, 'node_modules'));
    await writeFile(join(root, 'program.mjs'), program);
    const stdout = await runNode(stage, [join(root, 'program.mjs')], work, {
      ...env,
      CURSOR_API_KEY: 'crosspoint',
    });
    return { stdout, files: await readFiles(work) };
  });
}

interface FreshFolders {
  readonly root: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
}

async function inFreshFolders<T>(use: (folders: FreshFolders) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'crosspoint-interop-cursor-sdk-'));
  const [home, work, temporary] = [join(root, 'home'), join(root, 'work'), join(root, 'tmp')];
  try {
    for (const folder of [home, work, temporary]) await mkdir(folder);
    return await use({ root, work, env: clientEnvironment(home, temporary) });
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runNode(
  { installation, isolation, gatewayUrl, certificate }: Stage,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const platform = `node_modules/@cursor/sdk-${process.platform}-${process.arch}`;
  const run = await runProcess(isolation.wrap([installation.node, ...args], cwd), {
    cwd,
    env: {
      ...env,
      ...isolation.env,
      CURSOR_BACKEND_URL: gatewayUrl,
      // The SDK looks for ripgrep beside the main script, which here is not installed beside the SDK.
      CURSOR_RIPGREP_PATH: join(installation.folder, platform, 'bin/rg'),
      ...(certificate === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificate }),
    },
    timeoutMs: PLAY_TIMEOUT_MS,
  });
  if (run.code !== 0) throw new Error(`it did not end well: ${describeRun(run)}`);
  return run.stdout;
}

function scriptOf({ installation }: Stage, play: Play, cwd: string): object {
  return {
    sdk: installation.module,
    apiKey: 'local',
    cwd,
    model: 'demo/demo',
    ...play,
    mcpServers: play.mcpServers?.(cwd),
  };
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const;
    }),
  );
  return Object.fromEntries(texts);
}
