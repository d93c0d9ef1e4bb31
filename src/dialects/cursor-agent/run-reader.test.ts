import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findGrammarProblem, GatewayError, type TurnEvent } from '../../core/index.ts';
import type { AgentPeer, Script } from './fixtures/agent-peer.ts';
import { settle } from './fixtures/manual-timers.ts';
import { playTurn, stage } from './fixtures/play-turn.ts';
import { withWeather } from './fixtures/scripts.ts';

const id = fc.integer({ min: 1, max: 4 });
const words = fc.constantFrom('a', '{"city":', '"x"}', '{"other":1');

/** Anything a backend may send, in any order, also what makes no sense. */
const frame: fc.Arbitrary<(peer: AgentPeer) => void> = fc.oneof(
  words.map((text) => (peer: AgentPeer) => peer.text(text)),
  words.map((text) => (peer: AgentPeer) => peer.thinking(text)),
  fc.constant((peer: AgentPeer) => peer.update({ case: 'thinkingCompleted', value: {} })),
  fc.tuple(id, words).map(
    ([n, text]) =>
      (peer: AgentPeer) =>
        peer.partialCall(`tool-${n}`, 'get_weather', text),
  ),
  id.map((n) => (peer: AgentPeer) => peer.startedCall(`tool-${n}`, 'get_weather')),
  id.map((n) => (peer: AgentPeer) => peer.call(n, 'get_weather', { city: 'x' })),
  id.map(
    (n) => (peer: AgentPeer) =>
      peer.exec(n + 10, { case: 'shellStreamArgs', value: { command: 'ls', toolCallId: `tool-${n}` } }),
  ),
  id.map((n) => (peer: AgentPeer) => peer.exec(n + 20, { case: 'requestContextArgs', value: {} })),
  id.map((n) => (peer: AgentPeer) => peer.pendingCheckpoint([`tool-${n}`])),
  fc.constant((peer: AgentPeer) => peer.checkpoint({ mode: 1 })),
  fc.constant((peer: AgentPeer) => peer.update({ case: 'stepCompleted', value: {} })),
  id.map((n) => (peer: AgentPeer) => void peer.setBlob(n, '{"role":"assistant","content":"stored"}')),
  id.map(
    (n) => (peer: AgentPeer) =>
      peer.server({
        case: 'execServerControlMessage',
        value: { message: { case: 'abort', value: { id: n } } },
      }),
  ),
  fc.constant((peer: AgentPeer) => peer.server({ case: 'interactionQuery', value: { id: 1 } })),
  fc.constant((peer: AgentPeer) => peer.turnEnded({ outputTokens: 1n })),
);

describe('a run with any frames in any order', () => {
  it('obeys the grammar, ends, answers every exec at most once and leaves no timer behind', async () => {
    const cut = new GatewayError('upstream-unavailable', 'cut');
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 14 }), fc.boolean(), async (frames, isCut) => {
        const random: Script = async (peer) => {
          for (const send of frames) send(peer);
          if (isCut) peer.fail(cut);
        };
        const calm: Script = async (peer) => {
          peer.text('again');
          peer.turnEnded();
        };
        const { upstream, transport, timers } = stage([random, calm]);
        let isOver = false;
        const turn = playTurn(upstream, withWeather)
          .catch((thrown: unknown) => thrown)
          .finally(() => {
            isOver = true;
          });
        for (let step = 0; step < 60 && !isOver; step++) {
          await settle();
          await timers.advance(150);
        }
        expect(isOver).toBe(true);
        const events = await turn;
        if (events instanceof GatewayError) expect(events.code).toMatch(/^upstream-/);
        else expect(findGrammarProblem(events as TurnEvent[])).toBeUndefined(); // what was not thrown are events
        const closed = transport.peers.map((peer) => peer.closedExecs);
        for (const ids of closed) expect(new Set(ids).size).toBe(ids.length);
        expect(timers.waiting).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
