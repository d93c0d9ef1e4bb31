// Processes that serve, a load that is the same for each, and what it cost them.
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';

export interface Serving {
  readonly url: string;
  /** CPU seconds (user and system) this process has used so far. */
  cpuSeconds(): Promise<number>;
  residentBytes(): Promise<number>;
  stop(): void;
}

/** Starts a script that sends its URL over IPC once it listens. */
export async function serve(script: string, args: readonly string[]): Promise<Serving> {
  const child = fork(new URL(script, import.meta.url), args, {
    execArgv: ['--import', 'tsx'],
    stdio: 'inherit',
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', () => reject(new Error(`${script} ended before it served`)));
  });
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(child),
    residentBytes: () => residentBytesOf(child),
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Field 14 and 15 of /proc/PID/stat, in clock ticks of 1/100 s on every Linux that matters. */
async function cpuSecondsOf(child: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function residentBytesOf(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

export interface LoadResult {
  readonly requests: number;
  /** Milliseconds from sending a request to its first byte, sorted. */
  readonly firstByteMs: readonly number[];
}

export async function load(
  url: string,
  body: string,
  requests: number,
  concurrency: number,
  path = '/v1/chat/completions',
): Promise<LoadResult> {
  const firstByteMs: number[] = [];
  let left = requests;
  const worker = async () => {
    while (left > 0) {
      left--;
      firstByteMs.push(await once(url + path, body));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { requests, firstByteMs: firstByteMs.sort((a, b) => a - b) };
}

function once(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let firstByte = 0;
    const request = httpRequest(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    request.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered status ${response.statusCode}`));
      response
        .on('data', () => {
          firstByte ||= performance.now() - started;
        })
        .on('end', () => resolve(firstByte))
        .on('error', reject);
    });
    request.end(body);
  });
}

export const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  console.log(`\n## ${title}\n`);
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
}
