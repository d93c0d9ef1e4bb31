// What the gateway costs when nothing has to change: the same 203-frame stream, called directly, through a bare
// node:http pipe, and through Crosspoint. CPU is the proxy process's own; the upstream and the load are other processes.
import { load, median, printTable, type Serving, serve } from './measure.ts';

const ROUNDS = 5;
const REQUESTS = 300;
const CONCURRENCY = 8;
const BODY = JSON.stringify({
  model: 'up/m',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'Tell me a long story. '.repeat(200) }],
});

interface Sample {
  readonly cpuMs: number;
  readonly firstByteMs: number;
}

export async function benchPassThrough(): Promise<void> {
  const upstream = await serve('./upstream-server.ts', []);
  const pipe = await serve('./bare-pipe-server.ts', [upstream.url]);
  const gateway = await serve('./gateway-server.ts', [upstream.url]);
  const contenders = { direct: upstream, pipe, gateway };
  const samples: Record<string, Sample[]> = { direct: [], pipe: [], gateway: [] };
  for (const one of Object.values(contenders)) await load(one.url, BODY, 100, CONCURRENCY); // warm-up
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, one] of Object.entries(contenders)) samples[name]?.push(await sample(one));
  }
  for (const one of Object.values(contenders)) one.stop();

  const cpu = (name: string) => median(sorted(samples[name], 'cpuMs'));
  const first = (name: string) => median(sorted(samples[name], 'firstByteMs'));
  const row = (name: string, label: string) => [
    label,
    name === 'direct' ? '–' : (cpu(name) / cpu('pipe')).toFixed(2),
    name === 'direct' ? '–' : `${cpu(name).toFixed(2)} ms`,
    (first(name) / first('direct')).toFixed(2),
    `${(first(name) - first('direct')).toFixed(2)} ms`,
  ];
  printTable(
    `Pass-through of a 203-frame stream (${ROUNDS} rounds × ${REQUESTS} requests, first byte measured one at a time)`,
    [
      'path',
      'CPU per request ÷ bare pipe',
      'CPU per request',
      'time to first byte ÷ direct',
      'added to first byte',
    ],
    [
      row('direct', 'upstream called directly'),
      row('pipe', 'bare node:http pipe'),
      row('gateway', 'Crosspoint'),
    ],
  );
}

async function sample(serving: Serving): Promise<Sample> {
  const before = await serving.cpuSeconds();
  await load(serving.url, BODY, REQUESTS, CONCURRENCY);
  const cpuMs = (((await serving.cpuSeconds()) - before) * 1000) / REQUESTS;
  const { firstByteMs } = await load(serving.url, BODY, 60, 1);
  return { cpuMs, firstByteMs: median(firstByteMs) };
}

function sorted(samples: readonly Sample[] | undefined, key: keyof Sample): number[] {
  return (samples ?? []).map((one) => one[key]).sort((a, b) => a - b);
}
