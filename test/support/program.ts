// The built program in a process of its own, with a home of its own and no variables of the machine it runs on.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'dist/cli/main.js');

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramUnderTest {
  readonly url: string;
  readonly home: string;
  readonly child: ChildProcess;
  /** Everything printed so far, both streams. */
  output(): string;
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

export function isolatedEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CROSSPOINT_HOME: join(home, 'state'),
    CROSSPOINT_DISCOVER: 'off',
    NO_COLOR: '1',
  };
}

export async function runProgram(
  args: readonly string[],
  options: { home: string; cwd?: string; env?: Record<string, string> },
): Promise<ProgramResult> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.cwd ?? options.home,
    env: { ...isolatedEnvironment(options.home), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Starts a gateway and waits until it answers; fails with its output when it does not start. */
export async function startProgram(
  args: readonly string[],
  /** A home that is given is kept: for a program that is started again. */
  options: { command?: readonly string[]; env?: Record<string, string>; home?: string } = {},
): Promise<ProgramUnderTest> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'crosspoint-program-')));
  const command = options.command ?? [process.execPath, PROGRAM];
  const child = spawn(command[0] ?? '', [...command.slice(1), ...args], {
    cwd: options.command ? ROOT : home,
    env: { ...isolatedEnvironment(home), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const output = () => stdout() + stderr();
  const exited = new Promise<void>((done) => child.on('exit', () => done()));
  const url = await findUrl(output, exited);
  return {
    url,
    home,
    child,
    output,
    residentBytes: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      if (options.home === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

async function findUrl(output: () => string, exited: Promise<void>): Promise<string> {
  let isGone = false;
  void exited.then(() => {
    isGone = true;
  });
  for (;;) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
    if (url) {
      const isUp = await fetch(`${url}/healthz`).then(
        (response) => response.ok,
        () => false,
      );
      if (isUp) return url;
    }
    if (isGone) throw new Error(`the program ended before it served:\n${output()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  return () => text;
}
