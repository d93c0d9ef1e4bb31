import { randomId, type ToolCall, type TurnEvent, type TurnRequest } from '../../src/core/index.ts';
import { demoUpstream } from '../../src/dialects/demo/index.ts';

/** What the demo model says to a request of the canon, with no dialect and no socket between: the truth to compare with. */
export async function askDirectly(request: Partial<TurnRequest>): Promise<readonly TurnEvent[]> {
  const upstream = demoUpstream.create({
    name: 'demo',
    headers: {},
    timeouts: { connectMs: 1000, firstByteMs: 1000, idleMs: 1000 },
    capabilities: [],
    newId: randomId,
  });
  const whole: TurnRequest = {
    model: 'demo',
    messages: [],
    tools: [],
    sampling: {},
    stream: true,
    ...request,
  };
  const events: TurnEvent[] = [];
  const call = { turnId: 'turn', request: whole, signal: new AbortController().signal };
  for await (const batch of upstream.openTurn(call)) events.push(...batch.events);
  return events;
}

export function callsOf(events: readonly TurnEvent[]): readonly ToolCall[] {
  return events.filter((event) => event.type === 'tool-call');
}
