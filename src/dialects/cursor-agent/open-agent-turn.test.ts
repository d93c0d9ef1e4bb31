import { describe, expect, it } from 'vitest';
import { findGrammarProblem, foldTurn, GatewayError, type TurnEvent } from '../../core/index.ts';
import type { Script } from './fixtures/agent-peer.ts';
import { settle } from './fixtures/manual-timers.ts';
import { memoryShelf, playTurn, stage } from './fixtures/play-turn.ts';
import { oneCall, plainChat, withWeather } from './fixtures/scripts.ts';

describe('a turn that goes wrong', () => {
  it('is thrown before the first content, so that the gateway may try elsewhere', async () => {
    const { upstream } = stage(async (peer) => {
      await peer.askContext(1);
      peer.fail(new GatewayError('rate-limited', 'too many'));
    });
    await expect(playTurn(upstream)).rejects.toMatchObject({ code: 'rate-limited' });
  });

  it('is an event after the first content', async () => {
    const { upstream } = stage(async (peer) => {
      peer.text('Hal');
      peer.fail(new GatewayError('upstream-unavailable', 'gone'));
    });
    const events = await playTurn(upstream);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-unavailable' } });
  });

  it('is never an empty success: key-value frames and a checkpoint alone are an error that says so', async () => {
    const { upstream } = stage(async (peer) => {
      peer.setBlob(1, '{"role":"user","content":"Hello"}');
      peer.checkpoint({ mode: 1 });
      peer.turnEnded();
    });
    await expect(playTurn(upstream)).rejects.toMatchObject({
      code: 'upstream-malformed',
      message: expect.stringContaining('without a word'),
    });
  });

  it('delivers an answer that was only stored in a blob', async () => {
    const { upstream } = stage(async (peer) => {
      peer.setBlob(1, '{"role":"assistant","content":[{"type":"text","text":"Stored words."}]}');
      peer.checkpoint({ mode: 1 });
    });
    const events = await playTurn(upstream);
    expect(foldTurn(events).content).toMatchObject([{ type: 'text', text: 'Stored words.' }]);
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
  });

  it('does not say an answer twice that was streamed and stored', async () => {
    const { upstream } = stage(async (peer) => {
      peer.text('Words.');
      peer.setBlob(1, '{"role":"assistant","content":"Words."}');
      peer.turnEnded();
    });
    expect(foldTurn(await playTurn(upstream)).content).toMatchObject([{ text: 'Words.' }]);
  });

  it('is an error when the stream ends in good order without the end of the turn', async () => {
    const { upstream } = stage(async (peer) => peer.text('Hal'));
    expect((await playTurn(upstream)).at(-1)).toMatchObject({
      type: 'turn-error',
      error: { code: 'upstream-malformed' },
    });
  });

  it('is whole without the end of the turn when a checkpoint follows the last words', async () => {
    const { upstream } = stage(async (peer) => {
      peer.text('Hello.');
      peer.checkpoint({ mode: 1 });
    });
    expect((await playTurn(upstream)).at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
  });

  it('replaces a refused token once', async () => {
    const refuse: Script = async (peer) => peer.fail(new GatewayError('unauthenticated', 'expired'));
    const good = stage([refuse, plainChat]);
    expect((await playTurn(good.upstream)).at(-1)).toMatchObject({ type: 'turn-end' });
    expect(good.refused).toEqual(['token-1']);
    const [first, second] = good.transport.peers;
    expect(second?.open.headers.authorization).toBe('Bearer token-2');
    expect(second?.open.originalRequestId).toBe(first?.open.requestId);
    const bad = stage([refuse, refuse, refuse]);
    await expect(playTurn(bad.upstream)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(bad.transport.peers).toHaveLength(2);
  });

  it('says how to log in when there is no token at all', async () => {
    const { upstream } = stage(plainChat, { hasNoToken: true });
    await expect(playTurn(upstream)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'log in first',
    });
  });

  it('is an event when the wait for results is given up', async () => {
    const { upstream, transport } = stage(oneCall);
    const receiveResults = () => Promise.reject(new GatewayError('cancelled', 'No result came in time.'));
    const events = await playTurn(upstream, { ...withWeather, receiveResults });
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'cancelled' } });
    expect(transport.peers[0]?.isClosed).toBe(true);
  });

  it('ends and closes the run when it is cancelled', async () => {
    const controller = new AbortController();
    const { upstream, transport } = stage(async (peer) => {
      peer.text('Hal');
      await peer.until(() => false);
    });
    const turn = playTurn(upstream, { signal: controller.signal });
    await settle();
    controller.abort(new GatewayError('cancelled', 'The client went away.'));
    expect((await turn).at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'cancelled' } });
    expect(transport.peers[0]?.isClosed).toBe(true);
  });

  it('keeps unknown frames as opaque events and answers unknown execs with a throw', async () => {
    const { upstream, transport } = stage(async (peer) => {
      peer.exec(5, { case: undefined });
      peer.update({ case: 'summary', value: { summary: 'short' } });
      peer.text('ok');
      await peer.untilClosed(5);
      peer.turnEnded();
    });
    const events = await playTurn(upstream);
    expect(events.filter(({ type }) => type === 'opaque')).toMatchObject([
      { dialect: 'cursor-agent', value: { frame: 'exec_server_message' } },
      { dialect: 'cursor-agent', value: { update: { summary: { summary: 'short' } } } },
    ]);
    expect(transport.peers[0]?.thrownExecs).toEqual([5]);
  });

  const scripts: [string, Script, number][] = [
    ['a plain answer', plainChat, 11],
    ['a round of calls', oneCall, 7],
  ];
  it.each(scripts)('always ends properly: %s cut after every frame', async (_name, script, frames) => {
    for (let cutAfter = 0; cutAfter <= frames; cutAfter++) {
      const { upstream, timers } = stage(script, { cutAfter });
      const turn = playTurn(upstream, { ...withWeather, documents: memoryShelf() }).catch(
        (thrown: unknown) => thrown,
      );
      await settle();
      await timers.advance(200);
      const events = await turn;
      if (events instanceof GatewayError) {
        expect(events.code, `cut after ${cutAfter}`).toBe('upstream-unavailable');
        continue;
      }
      expect(findGrammarProblem(events as TurnEvent[]), `cut after ${cutAfter}`).toBeUndefined(); // not an error, so events
    }
  });
});
