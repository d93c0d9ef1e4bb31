// What a parked turn costs: a thousand clients that went away to run a tool, each with its backend stream held open.
// The gateway is a process of its own; the simulated backend and the clients are this one.
import { startAgentBackend, toolChat } from '../test/support/agent-backend/index.ts';
import { printTable, serve } from './measure.ts';

const TURNS = 1_000;
const BASELINE = 50;

export async function benchParkedTurns(): Promise<void> {
  const call = { callId: '', name: 'bash', args: { command: 'ls' } };
  let next = 0;
  const backend = await startAgentBackend({
    script: (run) => toolChat([[{ ...call, callId: `call_${next++}` }]])(run),
  });
  const gateway = await serve('./agent-gateway-server.ts', [backend.url]);
  await parkTurns(gateway.url, BASELINE); // the heap finds its size, the code is warm
  const before = await gateway.residentBytes();
  await parkTurns(gateway.url, TURNS);
  const perTurn = ((await gateway.residentBytes()) - before) / TURNS;

  const cpuBefore = await gateway.cpuSeconds();
  const beatsBefore = countBeats(backend);
  await new Promise((resolve) => setTimeout(resolve, 10_500));
  const beats = countBeats(backend) - beatsBefore;
  const cpu = (await gateway.cpuSeconds()) - cpuBefore;
  const open = backend.runs.length;
  gateway.stop();
  await backend.stop();
  printTable(
    `${TURNS} parked turns in one process`,
    ['measure', 'value'],
    [
      ['resident memory per parked turn', `${(perTurn / 1024).toFixed(0)} KB`],
      ['heartbeats in 10.5 s ÷ those due (one every 5 s)', (beats / (open * 2)).toFixed(2)],
      ['CPU while parked', `${((cpu / 10.5) * 100).toFixed(1)} % of a core`],
    ],
  );
}

function countBeats(backend: Awaited<ReturnType<typeof startAgentBackend>>): number {
  let beats = 0;
  for (const run of backend.runs) {
    for (const { message } of run.received) if (message.case === 'clientHeartbeat') beats++;
  }
  return beats;
}

async function parkTurns(url: string, count: number): Promise<void> {
  const body = JSON.stringify({
    model: 'cursor/m',
    messages: [{ role: 'user', content: 'run ls' }],
    tools: [{ type: 'function', function: { name: 'bash', parameters: { type: 'object', properties: {} } } }],
  });
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left--;
      const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
      if (!(await answer.text()).includes('tool_calls')) throw new Error('the turn did not stop for a tool');
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
