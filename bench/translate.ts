// What translation costs: the same 50-chunk answer of a chat server, passed through to a chat client and translated
// for the clients of every other front. CPU is the gateway's own; upstream and load are other processes.
import { DEMO_CLIENTS, type DemoClient } from '../src/cli/demo/index.ts';
import { load, median, printTable, type Serving, serve } from './measure.ts';

const CHUNKS = 50;
const ROUNDS = 9;
const REQUESTS = 1000;
const CONCURRENCY = 8;
const PROMPT = 'Tell me a short story. '.repeat(50);

interface Sample {
  readonly cpuMs: number;
  readonly firstByteMs: number;
}

export async function benchTranslate(): Promise<void> {
  const upstream = await serve('./upstream-server.ts', [String(CHUNKS)]);
  const gateway = await serve('./gateway-server.ts', [upstream.url]);
  const samples = new Map(DEMO_CLIENTS.map(({ front }) => [front, [] as Sample[]]));
  for (const client of DEMO_CLIENTS) await sample(gateway, client); // warm-up
  // Round by round, so that a noisy minute hits every path alike.
  for (let round = 0; round < ROUNDS; round++)
    for (const client of DEMO_CLIENTS) samples.get(client.front)?.push(await sample(gateway, client));
  gateway.stop();
  upstream.stop();

  const middle = (front: string, key: keyof Sample) =>
    median((samples.get(front) ?? []).map((one) => one[key]).sort((a, b) => a - b));
  const base = 'openai-chat';
  const rows = DEMO_CLIENTS.map(({ front }) => [
    front === base ? `${front} → openai-chat (pass-through)` : `${front} → openai-chat`,
    (middle(front, 'cpuMs') / middle(base, 'cpuMs')).toFixed(2),
    `${middle(front, 'cpuMs').toFixed(2)} ms`,
    (middle(front, 'firstByteMs') / middle(base, 'firstByteMs')).toFixed(2),
  ]);
  printTable(
    `Translation of a ${CHUNKS}-chunk stream (${ROUNDS} rounds × ${REQUESTS} requests, first byte measured one at a time)`,
    ['front → upstream', 'CPU per request ÷ pass-through', 'CPU per request', 'first byte ÷ pass-through'],
    rows,
  );
}

async function sample(gateway: Serving, { path, encodeRequest }: DemoClient): Promise<Sample> {
  const messages = [{ from: 'user' as const, text: PROMPT }];
  const body = JSON.stringify(encodeRequest({ model: 'up/m', messages, tools: [], stream: true }));
  const before = await gateway.cpuSeconds();
  await load(gateway.url, body, REQUESTS, CONCURRENCY, path);
  const cpuMs = (((await gateway.cpuSeconds()) - before) * 1000) / REQUESTS;
  const { firstByteMs } = await load(gateway.url, body, 40, 1, path);
  return { cpuMs, firstByteMs: median(firstByteMs) };
}
