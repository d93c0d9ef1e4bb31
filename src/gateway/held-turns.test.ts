import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  completeCall,
  findGrammarProblem,
  type JsonObject,
  type Message,
  type ToolResultPart,
  type TurnEvent,
} from '../core/index.ts';
import type { DocumentShelf, EventBatch, Upstream, UpstreamCall } from '../dialects/dialect.ts';
import { DEFAULT_HELD_TURNS, HeldTurns } from './held-turns.ts';

/** Calls the tools it is told to, waits for their results, says what it got, and so on. */
type Round = readonly string[];

function liveUpstream(rounds: readonly Round[]) {
  const opened: UpstreamCall[] = [];
  const received: string[] = [];
  const inner: Upstream = {
    name: 'live',
    kind: 'live',
    supportsChoices: false,
    listModels: async () => [],
    close: async () => {},
    async *openTurn(call): AsyncGenerator<EventBatch> {
      const run = opened.push(call);
      yield { events: [{ type: 'turn-start', responseId: `run${run}`, model: 'm' }] };
      for (const [index, round] of (call.resume ? rounds.slice(1) : rounds).entries()) {
        if (call.resume && index === 0) received.push(`resumed ${String(call.resume.at)}`);
        const events: TurnEvent[] = [];
        for (const callId of round) {
          const head = { callId, name: 'f', kind: 'function' as const };
          events.push(
            { type: 'tool-input-start', ...head },
            { type: 'tool-input-delta', callId, text: '{}' },
          );
          events.push({ type: 'tool-input-end', callId }, completeCall(head, '{}', 'client', 'in-stream'));
        }
        yield { events };
        if (round.length === 0) continue;
        yield { events: [{ type: 'awaiting-results', callIds: round, resume: { at: round.join() } }] };
        for (let waiting = round.length; waiting > 0; ) {
          const results = await (call.receiveResults?.() ?? []);
          for (const result of results) received.push(`${result.callId}=${JSON.stringify(result.content)}`);
          waiting -= results.length;
        }
      }
      const id = 'text';
      yield {
        events: [
          { type: 'text-start', id },
          { type: 'text-delta', id, text: 'done' },
          { type: 'text-end', id },
        ],
      };
      yield { events: [{ type: 'turn-end', reason: 'stop' }] };
    },
  };
  return { inner, opened, received };
}

function memoryShelf(): DocumentShelf {
  const kept = new Map<string, JsonObject>();
  return {
    get: async (kind, id) => kept.get(kind + id),
    put: async (kind, id, value) => void kept.set(kind + id, value),
    delete: async (kind, id) => kept.delete(kind + id),
  };
}

const user: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((callId) => ({
    type: 'tool-call',
    callId,
    name: 'f',
    kind: 'function',
    argumentsText: '{}',
  })),
});
const results = (...ids: string[]): Message => ({
  role: 'tool',
  content: ids.map(
    (callId): ToolResultPart => ({
      type: 'tool-result',
      callId,
      content: [{ type: 'text', text: `r-${callId}` }],
    }),
  ),
});

const open: HeldTurns[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  vi.useRealTimers();
});

function hold(inner: Upstream, options = {}): HeldTurns {
  const held = new HeldTurns(inner, { ...DEFAULT_HELD_TURNS, ...options });
  open.push(held);
  return held;
}

function callOf(messages: Message[], more: Partial<UpstreamCall> = {}): UpstreamCall {
  const request = { model: 'm', messages, tools: [], sampling: {}, stream: true };
  return { turnId: 't', request, signal: new AbortController().signal, ...more };
}

async function eventsOf(batches: AsyncIterable<EventBatch>): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const batch of batches) events.push(...batch.events);
  expect(findGrammarProblem(events)).toBeUndefined();
  return events;
}

const callIdsOf = (events: TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
const textOf = (events: TurnEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

describe('a turn that is held open', () => {
  it('ends each round for the client and goes on with the same stream', async () => {
    const { inner, opened, received } = liveUpstream([['a', 'b'], ['c']]);
    const held = hold(inner);
    const first = await eventsOf(held.openTurn(callOf([user])));
    expect(callIdsOf(first)).toEqual(['a', 'b']);
    expect(first.at(-1)).toEqual({ type: 'turn-end', reason: 'tool-calls' });
    const second = await eventsOf(held.openTurn(callOf([user, calls('a', 'b'), results('b', 'a')])));
    expect(second[0]).toEqual({ type: 'turn-start', model: 'm' }); // an answer of its own
    expect(callIdsOf(second)).toEqual(['c']);
    const history = [user, calls('a', 'b'), results('b', 'a'), calls('c'), results('c')];
    const third = await eventsOf(held.openTurn(callOf(history)));
    expect(textOf(third)).toBe('done');
    expect(opened).toHaveLength(1);
    expect(received.map((line) => line[0])).toEqual(['b', 'a', 'c']);
    expect(held.heldCount).toBe(0);
  });

  it('takes results that are split over two requests, and says meanwhile which are missing', async () => {
    const { inner, opened, received } = liveUpstream([['a', 'b']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user])));
    const partial = await eventsOf(held.openTurn(callOf([user, calls('a', 'b'), results('a')])));
    expect(callIdsOf(partial)).toEqual(['b']);
    const whole = await eventsOf(held.openTurn(callOf([user, calls('a', 'b'), results('a', 'b')])));
    expect(textOf(whole)).toBe('done');
    expect(received).toHaveLength(2); // each once
    expect(opened).toHaveLength(1);
  });

  it('gives a retried request the same answer without running anything again', async () => {
    const { inner, opened, received } = liveUpstream([['a'], ['b']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user])));
    const followUp = [user, calls('a'), results('a')];
    const answer = await eventsOf(held.openTurn(callOf(followUp)));
    expect(await eventsOf(held.openTurn(callOf(followUp)))).toEqual(answer);
    const last = [...followUp, calls('b'), results('b')];
    const final = await eventsOf(held.openTurn(callOf(last)));
    expect(await eventsOf(held.openTurn(callOf(last)))).toEqual(final); // also after the turn has ended
    expect(received).toHaveLength(2);
    expect(opened).toHaveLength(1);
  });

  it('lets two requests read the same round at once', async () => {
    const { inner, received } = liveUpstream([['a']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user])));
    const followUp = callOf([user, calls('a'), results('a')]);
    const [one, two] = await Promise.all([
      eventsOf(held.openTurn(followUp)),
      eventsOf(held.openTurn(followUp)),
    ]);
    expect(one).toEqual(two);
    expect(received).toHaveLength(1);
  });

  it('puts words that came with the results into the last of them', async () => {
    const { inner, received } = liveUpstream([['a']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user])));
    const reminder: Message = { role: 'user', content: [{ type: 'text', text: 'be quick' }] };
    await eventsOf(held.openTurn(callOf([user, calls('a'), results('a'), reminder])));
    expect(received[0]).toContain('be quick');
  });
});

describe('a turn that cannot go on as it was', () => {
  it('is run anew when the conversation was edited, and the old stream is let go', async () => {
    const { inner, opened } = liveUpstream([['a']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user])));
    const edited: Message = { role: 'user', content: [{ type: 'text', text: 'something else' }] };
    await eventsOf(held.openTurn(callOf([edited, calls('a'), results('a')])));
    expect(opened).toHaveLength(2);
    expect(opened[0]?.signal.aborted).toBe(true);
    expect(opened[1]).not.toHaveProperty('resume');
  });

  it('is taken up again from what was kept, by another process too', async () => {
    const documents = memoryShelf();
    const before = liveUpstream([['a'], []]);
    await eventsOf(hold(before.inner).openTurn(callOf([user], { documents })));
    const after = liveUpstream([['a'], []]);
    const resumed = await eventsOf(
      hold(after.inner).openTurn(callOf([user, calls('a'), results('a')], { documents })),
    );
    expect(after.opened[0]?.resume).toEqual({ at: 'a' });
    expect(textOf(resumed)).toBe('done');
  });

  it('is given up when no result comes, and can still be taken up', async () => {
    vi.useFakeTimers();
    const documents = memoryShelf();
    const { inner, opened } = liveUpstream([['a'], []]);
    const held = hold(inner, { waitMs: 1_000 });
    await eventsOf(held.openTurn(callOf([user], { documents })));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(opened[0]?.signal.aborted).toBe(true);
    await eventsOf(held.openTurn(callOf([user, calls('a'), results('a')], { documents })));
    expect(opened[1]?.resume).toEqual({ at: 'a' });
  });

  it('makes room: the oldest waiting turn goes first', async () => {
    const { inner, opened } = liveUpstream([['a']]);
    const held = hold(inner, { maxHeld: 2 });
    for (const text of ['1', '2', '3']) {
      await eventsOf(
        held.openTurn(callOf([{ role: 'user', content: [{ type: 'text', text }] }], { owner: text })),
      );
    }
    expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  });

  it("is another caller's when the key is another", async () => {
    const { inner, opened } = liveUpstream([['a']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user], { owner: 'ann' })));
    await eventsOf(held.openTurn(callOf([user, calls('a'), results('a')], { owner: 'bob' })));
    expect(opened).toHaveLength(2);
    expect(opened[0]?.signal.aborted).toBe(false);
  });
});

describe('leaving', () => {
  it('in the middle of a round ends the stream at once', async () => {
    const { inner, opened } = liveUpstream([['a']]);
    for await (const _ of hold(inner).openTurn(callOf([user]))) break;
    expect(opened[0]?.signal.aborted).toBe(true);
  });

  it('while waiting for the upstream ends the stream at once', async () => {
    const client = new AbortController();
    let upstreamSignal: AbortSignal | undefined;
    const silent: Upstream = {
      ...liveUpstream([]).inner,
      async *openTurn(call) {
        upstreamSignal = call.signal;
        yield { events: [{ type: 'turn-start' }] };
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      },
    };
    const reading = eventsOf(hold(silent).openTurn(callOf([user], { signal: client.signal })));
    await vi.waitUntil(() => upstreamSignal !== undefined);
    client.abort();
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
    expect(upstreamSignal?.aborted).toBe(true);
  });

  it('at the terminal event, as the gateway does, leaves the stream parked', async () => {
    const { inner, opened } = liveUpstream([['a']]);
    for await (const { events } of hold(inner).openTurn(callOf([user]))) {
      if (events.some(({ type }) => type === 'turn-end')) break;
    }
    expect(opened[0]?.signal.aborted).toBe(false);
  });

  it('after a round leaves the stream parked', async () => {
    const { inner, opened } = liveUpstream([['a']]);
    const held = hold(inner);
    await eventsOf(held.openTurn(callOf([user])));
    expect(opened[0]?.signal.aborted).toBe(false);
    expect(held.heldCount).toBe(1);
  });
});
