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
  readonly afterKilobytes: number;
  readonly medianSeconds: number;
  readonly violations: number;
}

export async function benchNativeRuns(): Promise<void> {
  const model = await serve('./native-model-server.ts', []);
  const rows: string[][] = [];
  for (const carrier of ['http2', 'http1'] as const) {
    const gateway = await serve('./native-gateway-server.ts', [model.url]);
    await playRuns(gateway.url, carrier, WARM_UP);
    const measured = await measureRuns(gateway, carrier);
    gateway.stop();
    rows.push([
      carrier === 'http2' ? `Run on ${SESSIONS} HTTP/2 connections` : 'RunSSE and BidiAppend',
      `${measured.completed} of ${RUNS}`,
      `${measured.seconds.toFixed(1)} s`,
      `${measured.medianSeconds.toFixed(1)} s`,
      `${measured.cpuMs.toFixed(1)} ms`,
      `${measured.peakKilobytes.toFixed(0)} KB`,
      `${measured.afterKilobytes.toFixed(0)} KB`,
      String(measured.violations),
    ]);
  }
  model.stop();
  printTable(
    `${RUNS} native runs at once, three calls in two rounds each`,
    [
      'transport',
      'completed',
      'all done after',
      'median run',
      'CPU per run',
      'peak memory per run',
      'memory per run afterwards',
      'protocol violations',
    ],
    rows,
  );
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
  const after = await gateway.residentBytes();
  const perRun = (bytes: number) => (bytes - memoryBefore) / 1024 / RUNS;
  return {
    completed: runs.filter(({ isDone }) => isDone).length,
    seconds,
    cpuMs: (((await gateway.cpuSeconds()) - cpuBefore) * 1000) / RUNS,
    peakKilobytes: perRun(peak),
    afterKilobytes: perRun(after),
    medianSeconds: median(runs.map((run) => run.seconds).sort((a, b) => a - b)),
    violations: runs.reduce((sum, run) => sum + run.violations, 0),
  };
}

interface PlayedRun {
  readonly isDone: boolean;
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
        const { record, end } = await agent.send('Work with the notes.');
        const isDone = end.kind === 'done' && record.text.includes('All done.') && record.attempts === 1;
        return {
          isDone,
          seconds: (performance.now() - startedAt) / 1000,
          violations: record.violations.length,
        };
      }),
    );
  } finally {
    for (const session of sessions) session.abort();
    await rm(folder, { recursive: true, force: true });
  }
}
