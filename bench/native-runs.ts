// Five hundred native runs at once, each with two rounds of tools that its client carries out on disk. The gateway, the
// model and the clients are processes of their own; CPU and memory are the gateway's alone.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Http2SessionManager } from '@connectrpc/connect-node';
import { type CarrierKind, NativeClient, Workspace } from '../test/support/native-client/index.ts';
import { median, printTable, type Serving, serve } from './measure.ts';

const RUNS = 500;
const WARM_UP = 50;
const SESSIONS = 10;
const SAMPLE_MS = 100;

interface Measured {
  readonly completed: number;
  readonly seconds: number;
  readonly cpuMs: number;
  readonly peakKilobytes: number;
  readonly growthKilobytes: number;
  readonly medianSeconds: number;
  readonly violations: number;
  /** Why runs did not complete at the first attempt, each reason once. */
  readonly reasons: readonly string[];
}

export async function benchNativeRuns(): Promise<void> {
  const model = await serve('./native-model-server.ts', []);
  const rows: string[][] = [];
  const reasons = new Set<string>();
  for (const carrier of ['http2', 'http1'] as const) {
    const gateway = await serve('./native-gateway-server.ts', [model.url]);
    await playRuns(gateway.url, carrier, WARM_UP);
    const measured = await measureRuns(gateway, carrier);
    // The heap finds its size in the first two waves; what a leak leaves behind shows in the third.
    const second = await measureRuns(gateway, carrier);
    const third = await measureRuns(gateway, carrier);
    const waves = [measured, second, third];
    for (const reason of waves.flatMap((wave) => wave.reasons)) reasons.add(reason);
    gateway.stop();
    rows.push([
      carrier === 'http2' ? `Run on ${SESSIONS} HTTP/2 connections` : 'RunSSE and BidiAppend',
      `${sum(waves, 'completed')} of ${waves.length * RUNS}`,
      `${measured.seconds.toFixed(1)} s`,
      `${measured.medianSeconds.toFixed(1)} s`,
      `${measured.cpuMs.toFixed(1)} ms`,
      `${measured.peakKilobytes.toFixed(0)} KB`,
      `${third.growthKilobytes.toFixed(0)} KB`,
      String(sum(waves, 'violations')),
    ]);
  }
  model.stop();
  printTable(
    `${RUNS} native runs at once, in three waves; three calls in two rounds each`,
    [
      'transport',
      'completed',
      'all done after',
      'median run',
      'CPU per run',
      'peak memory per run',
      'growth in a third wave, per run',
      'protocol violations',
    ],
    rows,
  );
  for (const reason of reasons) console.log(`not at the first attempt: ${reason}`);
}

function sum(waves: readonly Measured[], key: 'completed' | 'violations'): number {
  return waves.reduce((total, wave) => total + wave[key], 0);
}

async function measureRuns(gateway: Serving, carrier: CarrierKind): Promise<Measured> {
  const memoryBefore = await gateway.residentBytes();
  const cpuBefore = await gateway.cpuSeconds();
  let peak = memoryBefore;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await gateway.residentBytes());
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const runs = await playRuns(gateway.url, carrier, RUNS);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(watch);
  const perRun = (bytes: number) => (bytes - memoryBefore) / 1024 / RUNS;
  return {
    completed: runs.filter(({ problem }) => problem === undefined).length,
    seconds,
    cpuMs: (((await gateway.cpuSeconds()) - cpuBefore) * 1000) / RUNS,
    peakKilobytes: perRun(peak),
    growthKilobytes: perRun(await gateway.residentBytes()),
    medianSeconds: median(runs.map((run) => run.seconds).sort((a, b) => a - b)),
    violations: runs.reduce((total, run) => total + run.violations, 0),
    reasons: runs.flatMap(({ problem }) => problem ?? []),
  };
}

interface PlayedRun {
  /** Undefined when it completed at the first attempt. */
  readonly problem: string | undefined;
  readonly seconds: number;
  readonly violations: number;
}

async function playRuns(url: string, carrier: CarrierKind, count: number): Promise<PlayedRun[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crosspoint-native-runs-'));
  await writeFile(join(folder, 'notes.txt'), 'a line of notes\n'.repeat(40));
  const sessions = Array.from({ length: SESSIONS }, () => new Http2SessionManager(url));
  try {
    return await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const session = sessions[index % SESSIONS];
        const shared = carrier === 'http2' && session !== undefined ? { session } : {};
        const client = new NativeClient({ url, apiKey: 'bench', carrier, ...shared });
        const agent = client.openAgent({ workspace: new Workspace({ folder }), model: 'up/m' });
        const startedAt = performance.now();
        const { record, end } = await agent.send('Work with the notes.', { isRetried: false });
        const isDone = end.kind === 'done' && record.text.includes('All done.');
        const problem = isDone ? undefined : `${end.kind} ${'error' in end ? String(end.error) : ''}`;
        const seconds = (performance.now() - startedAt) / 1000;
        return { problem, seconds, violations: record.violations.length };
      }),
    );
  } finally {
    for (const session of sessions) session.abort();
    await rm(folder, { recursive: true, force: true });
  }
}
