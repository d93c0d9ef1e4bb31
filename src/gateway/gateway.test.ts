import { describe, expect, it } from 'vitest';
import { countingIds, GatewayError, type TurnEvent, type TurnRequest } from '../core/index.ts';
import type { EventBatch, Upstream, UpstreamCall } from '../dialects/dialect.ts';
import type { TurnSummary } from '../store/ports.ts';
import { Gateway, type TurnInput } from './gateway.ts';
import { type ModelAlias, ModelRouter } from './model-router.ts';
import { TurnGate } from './turn-gate.ts';

const start: TurnEvent = { type: 'turn-start' };
const end: TurnEvent = { type: 'turn-end', reason: 'stop' };
const text: TurnEvent[] = [
  { type: 'text-start', id: 'a' },
  { type: 'text-delta', id: 'a', text: 'hello' },
  { type: 'text-end', id: 'a' },
];

type Script = (call: UpstreamCall) => AsyncIterable<EventBatch>;

function setUp(script: Script, aliases: Record<string, ModelAlias> = {}, kind = 'openai-chat') {
  const calls: UpstreamCall[] = [];
  const summaries: TurnSummary[] = [];
  const problems: string[] = [];
  const upstream: Upstream = {
    name: 'up',
    kind,
    supportsChoices: kind === 'openai-chat',
    openTurn: (call) => {
      calls.push(call);
      return script(call);
    },
    listModels: async () => [{ id: 'm' }],
    close: async () => {},
  };
  let now = 0;
  const gateway = new Gateway({
    router: new ModelRouter({ upstreams: [upstream], aliases, defaultModel: 'up/m', nowMs: () => now }),
    gate: new TurnGate({ maxConcurrent: 2, maxQueued: 2, queueTimeoutMs: 1_000 }),
    observer: {
      turnStarted: () => {},
      turnEnded: (summary) => summaries.push(summary),
      upstreamAttempt: () => {},
      grammarProblem: (_turn, _model, problem) => problems.push(problem),
      drift: () => {},
    },
    newId: countingIds(),
    nowMs: () => now++,
    random: () => 0,
    sleep: async () => {},
  });
  return { gateway, calls, summaries, problems };
}

function input(change: Partial<TurnInput> = {}, request: Partial<TurnRequest> = {}): TurnInput {
  return {
    turnId: 'turn_1',
    front: 'openai-chat',
    request: { model: 'm', messages: [], tools: [], sampling: {}, stream: true, ...request },
    body: new TextEncoder().encode('{"model":"m"}'),
    signal: new AbortController().signal,
    ...change,
  };
}

async function eventsOf(batches: AsyncIterable<EventBatch>): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const batch of batches) events.push(...batch.events);
  return events;
}

async function* say(...batches: TurnEvent[][]): AsyncGenerator<EventBatch> {
  for (const events of batches) yield { events };
}

describe('running a turn', () => {
  it('hands the events through and sums the turn up', async () => {
    const usage = { inputTokens: 3, outputTokens: 1, totalTokens: 4 };
    const { gateway, summaries } = setUp(() => say([start, ...text], [{ ...end, usage } as TurnEvent]));
    const turn = await gateway.runTurn(input());
    expect(turn.upstream).toBe('up');
    expect(gateway.liveTurns()).toMatchObject([{ turnId: 'turn_1', model: 'm' }]);
    expect(await eventsOf(turn.batches)).toEqual([start, ...text, { ...end, usage }]);
    expect(gateway.liveTurns()).toEqual([]);
    expect(summaries).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        finishReason: 'stop',
        usage,
        upstream: 'up',
        attempts: 1,
        toolCalls: 0,
      }),
    ]);
  });

  it('marks its own count as an estimate when the upstream gave none', async () => {
    const { gateway, summaries } = setUp(() => say([start, ...text, end]));
    await eventsOf((await gateway.runTurn(input())).batches);
    expect(summaries[0]?.usage).toEqual({ inputTokens: 4, outputTokens: 2, totalTokens: 6, estimated: true });
  });

  it("gives the client's own bytes to the upstream, unless the request had to change", async () => {
    const aliases = { low: { upstream: 'up', model: 'm', reasoningEffort: 'low' } };
    const { gateway, calls } = setUp(() => say([start, end]), aliases);
    await eventsOf((await gateway.runTurn(input())).batches);
    expect(calls[0]?.original?.dialect).toBe('openai-chat');
    await eventsOf((await gateway.runTurn(input({}, { model: 'low' }))).batches);
    expect(calls[1]).not.toHaveProperty('original');
    expect(calls[1]?.request).toMatchObject({ model: 'm', reasoning: { effort: 'low' } });
    await eventsOf(
      (await gateway.runTurn(input({}, { model: 'low', reasoning: { effort: 'high' } }))).batches,
    );
    expect(calls[2]?.request.reasoning).toEqual({ effort: 'high' });
  });

  it('ends the turn properly when the upstream throws in the middle', async () => {
    const { gateway, summaries, problems } = setUp(async function* () {
      yield { events: [start, ...text.slice(0, 2)] };
      throw new Error('bug');
    });
    const events = await eventsOf((await gateway.runTurn(input())).batches);
    expect(events.slice(-2)).toMatchObject([{ type: 'text-end', id: 'a' }, { type: 'turn-error' }]);
    expect(summaries[0]).toMatchObject({ outcome: 'error', errorCode: 'internal' });
    expect(problems).toEqual([]);
  });

  it('ends the turn properly when the upstream stops without an end', async () => {
    const { gateway } = setUp(() => say([start, ...text]));
    const events = await eventsOf((await gateway.runTurn(input())).batches);
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-malformed' } });
  });

  it('tells the upstream when the reader leaves, and counts the turn as cancelled', async () => {
    let aborted = false;
    const { gateway, summaries } = setUp(async function* (call) {
      call.signal.addEventListener('abort', () => {
        aborted = true;
      });
      yield { events: [start, ...text] };
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    });
    for await (const _ of (await gateway.runTurn(input())).batches) break;
    expect(aborted).toBe(true);
    expect(summaries[0]).toMatchObject({ outcome: 'cancelled' });
  });

  it("cancels a live turn on the operator's word", async () => {
    const { gateway, summaries } = setUp(async function* (call) {
      yield { events: [start] };
      if (!call.signal.aborted)
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      yield { events: [{ type: 'turn-error', error: GatewayError.from(call.signal.reason) }] };
    });
    const turn = await gateway.runTurn(input());
    expect(gateway.cancelTurn('turn_1')).toBe(true);
    expect((await eventsOf(turn.batches)).at(-1)).toMatchObject({ error: { code: 'cancelled' } });
    expect(summaries[0]).toMatchObject({ outcome: 'cancelled' });
    expect(gateway.cancelTurn('turn_1')).toBe(false);
  });

  it('frees its place after a failure', async () => {
    const { gateway, summaries } = setUp(() => {
      throw new GatewayError('upstream-rejected', 'no', { detail: { upstreamStatus: 400 } });
    });
    for (let i = 0; i < 5; i++)
      await expect(gateway.runTurn(input())).rejects.toMatchObject({ code: 'upstream-rejected' });
    expect(summaries).toHaveLength(5);
    expect(summaries[0]).toMatchObject({ outcome: 'error', errorCode: 'upstream-rejected', attempts: 1 });
    expect(summaries[0]).not.toHaveProperty('usage');
  });

  it('reports grammar problems without breaking the turn', async () => {
    const { gateway, problems } = setUp(() => say([start, start, end]));
    await eventsOf((await gateway.runTurn(input())).batches);
    expect(problems).toEqual(['a second turn-start']);
  });
});

describe('what a turn may ask', () => {
  it('keeps a key to its models', async () => {
    const { gateway } = setUp(() => say([start, end]));
    await expect(gateway.runTurn(input({ allowedModels: ['fast', 'other/*'] }))).rejects.toMatchObject({
      code: 'permission-denied',
      message: 'This key may not use model m; it may use fast, other/*.',
    });
    await eventsOf((await gateway.runTurn(input({ allowedModels: ['up/*'] }, { model: 'up/m' }))).batches);
  });

  it('judges a name with wishes in it by the model it means, so that no alias dodges a rule', async () => {
    const { gateway, calls } = setUp(() => say([start, end]));
    const suffixed = {
      model: 'm-thinking-high',
      modelAlternatives: [{ model: 'm', reasoningEffort: 'high' }],
    };
    await eventsOf((await gateway.runTurn(input({ allowedModels: ['m'] }, suffixed))).batches);
    expect(calls[0]?.request).toMatchObject({ model: 'm', reasoning: { effort: 'high' } });
    const refused = gateway.runTurn(input({ allowedModels: ['m-thinking-high'] }, suffixed));
    await expect(refused).rejects.toMatchObject({ code: 'permission-denied' });
  });

  it('passes several choices to a chat upstream and refuses them elsewhere', async () => {
    const many = { sampling: { choices: 3 } };
    const chat = setUp(() => say([start, end]));
    await eventsOf((await chat.gateway.runTurn(input({}, many))).batches);
    const demo = setUp(() => say([start, end]), {}, 'demo');
    await expect(demo.gateway.runTurn(input({}, many))).rejects.toMatchObject({
      code: 'invalid-request',
      detail: { param: 'n' },
    });
    expect(demo.calls).toEqual([]);
  });
});
