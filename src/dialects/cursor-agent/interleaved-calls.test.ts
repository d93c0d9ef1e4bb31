import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startPair } from '../../../test/support/agent-backend/backend-pair.ts';
import {
  finishTurn,
  type Interleaving,
  type InterleavingStep,
  interleavings,
  playInterleaving,
} from '../../../test/support/agent-backend/index.ts';
import { countingIds, findGrammarProblem, GatewayError, type TurnEvent } from '../../core/index.ts';
import type { Timers } from '../upstream-timers.ts';
import type { AgentPeer, Script } from './fixtures/agent-peer.ts';
import { settle } from './fixtures/manual-timers.ts';
import { playTurn, stage, turnRequest } from './fixtures/play-turn.ts';
import { withWeather } from './fixtures/scripts.ts';
import { AgentUpstream } from './upstream.ts';

const tool = { name: 'get_weather', parameter: 'city' };
const inOrder = interleavings({ tool, isInOrder: true });
const anyOrder = interleavings({ tool, isInOrder: false });
const whole = { request: turnRequest({ ...withWeather.request, stream: false }) };

function playSteps(steps: readonly InterleavingStep[]): Script {
  return async (peer) => {
    for (const step of steps) await playStep(peer, step);
    peer.text('done');
    peer.turnEnded();
  };
}

async function playStep(peer: AgentPeer, step: InterleavingStep): Promise<void> {
  switch (step.type) {
    case 'await':
      return peer.untilClosed(...step.calls.map(numberOf));
    case 'checkpoint':
      return step.pending.length === 0
        ? peer.checkpoint({ mode: 1 })
        : peer.pendingCheckpoint(step.pending.map(({ callId }) => callId));
    case 'exec':
      return peer.call(numberOf(step.call), step.call.name, { ...step.call.args }, step.call.callId);
    case 'partial':
      return peer.partialCall(step.call.callId, step.call.name, step.text);
    case 'started':
      return peer.startedCall(step.call.callId, step.call.name);
    case 'completed':
      return peer.update({ case: 'toolCallCompleted', value: { callId: step.call.callId } });
    default:
      step satisfies never;
  }
}

function numberOf({ callId }: { readonly callId: string }): number {
  return Number(callId.replace('call-', ''));
}

function expectEveryCallOnce(events: readonly TurnEvent[], { calls, streamed }: Interleaving): void {
  expect(findGrammarProblem(events)).toBeUndefined();
  const ids = calls.map(({ callId }) => callId);
  const waited = events.flatMap((event) => (event.type === 'awaiting-results' ? event.callIds : []));
  expect(waited.toSorted()).toEqual(ids);
  for (const { callId, args } of calls) {
    const made = events.filter((event) => event.type === 'tool-call' && event.callId === callId);
    const expected = streamed.get(callId) ?? JSON.stringify(args);
    expect(made).toMatchObject([{ argumentsText: expected }]);
    const text = events.flatMap((event) =>
      event.type === 'tool-input-delta' && event.callId === callId ? [event.text] : [],
    );
    expect(text.join('')).toBe(expected);
  }
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
}

/** Plays a turn while the time goes on, until it is over or nothing happens for a long time. */
async function playThrough(steps: readonly InterleavingStep[], call: Parameters<typeof playTurn>[1]) {
  const { upstream, transport, timers } = stage(playSteps(steps));
  let isOver = false;
  const turn = playTurn(upstream, call)
    .catch((thrown: unknown) => GatewayError.from(thrown))
    .finally(() => {
      isOver = true;
    });
  await settle();
  for (let step = 0; step < 60 && !isOver; step++) await timers.advance(150);
  expect(isOver).toBe(true);
  expect(timers.waiting).toBe(0);
  return { outcome: await turn, transport, elapsedMs: timers.nowMs() };
}

describe('the calls of one answer, however a server hands them out', () => {
  it('reach the client once and whole, and come together when a checkpoint named them first', async () => {
    await fc.assert(
      fc.asyncProperty(inOrder, fc.boolean(), async (interleaving, isStreaming) => {
        const call = isStreaming ? withWeather : whole;
        const { outcome, transport, elapsedMs } = await playThrough(interleaving.steps, call);
        if (outcome instanceof GatewayError) throw outcome;
        expectEveryCallOnce(outcome, interleaving);
        const closed = transport.peers.flatMap((peer) => peer.closedExecs);
        expect(closed.toSorted()).toEqual(interleaving.calls.map(numberOf));
        if (!interleaving.isListedFirst) return;
        const callIds = interleaving.calls.map(({ callId }) => callId);
        const made = outcome.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
        expect(made).toEqual(callIds);
        expect(outcome.filter(({ type }) => type === 'awaiting-results')).toMatchObject([{ callIds }]);
        expect(elapsedMs).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('reach a client that takes its answer whole in any order in which the server runs them', async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (interleaving) => {
        const { outcome } = await playThrough(interleaving.steps, whole);
        if (outcome instanceof GatewayError) throw outcome;
        expectEveryCallOnce(outcome, interleaving);
      }),
      { numRuns: 150 },
    );
  });

  it('never hang nor get lost in silence when a later call runs before one that the client has seen begin', async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (interleaving) => {
        const { outcome } = await playThrough(interleaving.steps, withWeather);
        if (outcome instanceof GatewayError) throw outcome;
        expect(findGrammarProblem(outcome)).toBeUndefined();
        const last = outcome.at(-1);
        if (last?.type === 'turn-error') expect(last.error.code).toBe('upstream-malformed');
        else expectEveryCallOnce(outcome, interleaving);
      }),
      { numRuns: 150 },
    );
  });

  it('reach the client once and whole over a real connection', async () => {
    let steps: readonly InterleavingStep[] = [];
    const { transport, backend } = await startPair({
      script: async (run) => {
        const results = await playInterleaving(run, steps);
        await run.text([...results.values()].toSorted().join(' '));
        await finishTurn(run);
      },
    });
    // A tenth of the time: what is checked holds for any length of the silence.
    const timers: Timers = {
      nowMs: () => performance.now(),
      after: (delayMs, task) => {
        const timer = setTimeout(task, delayMs / 10);
        return () => clearTimeout(timer);
      },
    };
    const credentials = { accessToken: async () => 'token', refuse: () => {} };
    const timeouts = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 };
    const upstream = new AgentUpstream(
      { name: 'agent', headers: {}, models: undefined, timeouts, capabilities: [], newId: countingIds() },
      { transport, credentials, timers },
    );
    await fc.assert(
      fc.asyncProperty(inOrder, async (interleaving) => {
        steps = interleaving.steps;
        const events = await playTurn(upstream, withWeather);
        expectEveryCallOnce(events, interleaving);
        const said = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
        expect(said.join('')).toBe(interleaving.calls.map(({ callId }) => `result of ${callId}`).join(' '));
      }),
      { numRuns: 25 },
    );
    expect(backend.errors).toEqual([]);
  });
});
