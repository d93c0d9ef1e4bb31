// A place without a network but loopback, for the gateway and a client together. On Linux a network namespace (unshare(1)
// and nsenter(1), as root or with user namespaces); elsewhere proxy variables that lead nowhere, which hold back only those
// who honour them. A process namespace comes along, so that whatever was started inside ends with the place.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { runProcess } from './run-process.ts';

export interface Isolation {
  readonly kind: 'namespace' | 'dead-proxy';
  /** What holds, in words, for the report. */
  readonly protection: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command that runs `command` in `cwd` inside. */
  wrap(command: readonly string[], cwd: string): readonly string[];
  stop(): Promise<void>;
}

export async function isolate(): Promise<Isolation> {
  const opened = await openNamespace();
  return typeof opened === 'string' ? deadProxy(opened) : opened;
}

type Holder = ChildProcessByStdio<Writable, Readable, Readable>;

/** The holder's input is our pipe: when this process dies, `cat` reads the end, and the kernel ends everything inside. */
const HOLD = '(ip link set lo up || ifconfig lo up) && echo up && exec cat';

/** Root may make namespaces; anybody else needs a user namespace around them. */
function privileges(): { readonly unshare: readonly string[]; readonly nsenter: readonly string[] } {
  const isRoot = process.getuid?.() === 0;
  return isRoot
    ? { unshare: [], nsenter: [] }
    : { unshare: ['--map-root-user'], nsenter: ['--user', '--preserve-credentials'] };
}

async function openNamespace(): Promise<Isolation | string> {
  if (process.platform !== 'linux') return `there are no network namespaces on ${process.platform}`;
  const flags = privileges();
  const holder: Holder = spawn(
    'unshare',
    [...flags.unshare, '--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', HOLD],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => holder.on('close', () => resolve()));
  const stop = async () => {
    holder.stdin.end();
    await ended;
  };
  const problem = await waitUntilUp(holder);
  if (problem !== undefined) return `unshare failed: ${problem}`;
  const namespaces = `/proc/${holder.pid}/ns`;
  const enter = [
    ...['nsenter', ...flags.nsenter, '--target', String(holder.pid), '--net', '--mount'],
    // The holder's parent made the process namespace for its children and is not in it.
    `--pid=${namespaces}/pid_for_children`,
    // Entering a mount namespace leaves the working directory behind.
    ...['--', 'sh', '-c', 'cd -- "$0" && exec "$@"'],
  ];
  const wrap = (command: readonly string[], cwd: string) => [...enter, cwd, ...command];
  const probe = await runProcess(wrap(['true'], '/'), {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH },
    timeoutMs: 10_000,
  }).catch((error: unknown) => ({ code: null, stderr: String(error) }));
  if (probe.code !== 0) {
    await stop();
    return `nsenter failed: ${probe.stderr.trim()}`;
  }
  const protection = 'a network namespace in which only loopback exists';
  return { kind: 'namespace', protection, env: {}, wrap, stop };
}

function waitUntilUp(holder: Holder): Promise<string | undefined> {
  return new Promise((resolve) => {
    let stderr = '';
    holder.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    holder.stdout.on('data', () => resolve(undefined));
    holder.on('error', (error) => resolve(error.message));
    holder.on('close', (code) => resolve(stderr.trim() || `it ended with ${code}`));
  });
}

function deadProxy(why: string): Isolation {
  // Port 9 (discard) is one that nobody serves today.
  const proxy = 'http://127.0.0.1:9';
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const loopback = 'localhost,127.0.0.1,::1';
  return {
    kind: 'dead-proxy',
    protection: `proxy variables that lead nowhere, which not every program honours (${why})`,
    env: {
      ...Object.fromEntries(names.flatMap((name) => [name, name.toUpperCase()]).map((name) => [name, proxy])),
      no_proxy: loopback,
      NO_PROXY: loopback,
    },
    wrap: (command) => command,
    stop: async () => {},
  };
}
