import { describe, expect, it } from 'vitest';
import { findGrammarProblem, type TurnEvent } from '../../core/index.ts';
import type { AgentPeer, Script } from './fixtures/agent-peer.ts';
import { settle } from './fixtures/manual-timers.ts';
import { playTurn, stage, turnRequest } from './fixtures/play-turn.ts';
import { withWeather } from './fixtures/scripts.ts';

const whole = { request: turnRequest({ ...withWeather.request, stream: false }) };

const rounds = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'awaiting-results' ? [event.callIds] : []));

async function end(peer: AgentPeer, ...execs: number[]): Promise<void> {
  await peer.untilClosed(...execs);
  peer.text('done');
  peer.turnEnded();
}

describe('a checkpoint before the execs', () => {
  it('completes the round with the last of them, in the order of the model, and no time passes', async () => {
    const { upstream } = stage(async (peer) => {
      peer.partialCall('tool-1', 'get_weather', '{"city":"a"}');
      peer.partialCall('tool-2', 'get_weather', '{"city":"b"}');
      peer.pendingCheckpoint(['tool-1', 'tool-2']);
      peer.call(2, 'get_weather', { city: 'b' });
      peer.call(1, 'get_weather', { city: 'a' });
      await end(peer, 1, 2);
    });
    const events = await playTurn(upstream, withWeather);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(rounds(events)).toEqual([['tool-1', 'tool-2']]);
  });

  const answeredElsewhere: [string, (peer: AgentPeer) => void][] = [
    [
      'the server answers itself',
      (peer) => peer.update({ case: 'toolCallCompleted', value: { callId: 'tool-2' } }),
    ],
    [
      'this side refuses',
      (peer) => peer.exec(2, { case: 'lsArgs', value: { path: 'x', toolCallId: 'tool-2' } }),
    ],
  ];
  it.each(answeredElsewhere)('does not wait for a call that %s', async (_who, answer) => {
    const { upstream } = stage(async (peer) => {
      peer.pendingCheckpoint(['tool-1', 'tool-2']);
      peer.call(1, 'get_weather', { city: 'a' });
      answer(peer);
      await end(peer, 1);
    });
    expect(rounds(await playTurn(upstream, withWeather))).toEqual([['tool-1']]);
  });

  it('does not wait for calls of a round taken up again that have their results', async () => {
    const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'x', args: {} });
    const result = { type: 'tool-result', toolCallId: 'tool-0', toolName: 'x', result: 'known' };
    const { upstream } = stage(async (peer) => {
      peer.checkpoint({
        mode: 1,
        pendingToolCalls: [
          JSON.stringify({ role: 'assistant', content: [call('tool-0'), call('tool-1')] }),
          JSON.stringify({ role: 'tool', content: [result] }),
        ],
      });
      peer.call(1, 'get_weather', { city: 'a' });
      await end(peer, 1);
    });
    expect(rounds(await playTurn(upstream, withWeather))).toEqual([['tool-1']]);
  });

  it('that is written in no known form leaves it to a silence', async () => {
    const { upstream, timers } = stage(async (peer) => {
      peer.checkpoint({ mode: 1, pendingToolCalls: ['{"calls":'] });
      peer.call(1, 'get_weather', { city: 'a' });
      await end(peer, 1);
    });
    const turn = playTurn(upstream, withWeather);
    await settle();
    await timers.advance(150);
    expect(rounds(await turn)).toEqual([['tool-1']]);
  });
});

describe('a server that runs the calls of one answer one after the other', () => {
  /** The first call has no text to stream, so that the second would be the first to be seen. */
  const oneByOne: Script = async (peer) => {
    peer.startedCall('tool-1', 'bash');
    peer.partialCall('tool-2', 'get_weather', '{ "city": ');
    peer.partialCall('tool-2', 'get_weather', '"Oslo" }');
    peer.pendingCheckpoint(['tool-1', 'tool-2']);
    peer.call(1, 'bash', { command: 'ls' });
    await peer.untilClosed(1);
    peer.call(2, 'get_weather', { city: 'Oslo' });
    await end(peer, 2);
  };

  it('has each run when its exec comes: the first after a silence, the last at once', async () => {
    const { upstream, timers } = stage(oneByOne);
    const turn = playTurn(upstream, withWeather);
    await settle();
    await timers.advance(150);
    const events = await turn;
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(rounds(events)).toEqual([['tool-1'], ['tool-2']]);
    const texts = events.flatMap((event) => (event.type === 'tool-call' ? [event.argumentsText] : []));
    expect(texts).toEqual(['{"command":"ls"}', '{ "city": "Oslo" }']);
    expect(timers.nowMs()).toBe(150);
  });

  it.each([
    ['words', (peer: AgentPeer) => peer.text('done')],
    ['nothing', () => {}],
  ])('and ends the turn with %s before the last has come fails', async (_what, say) => {
    const { upstream, timers } = stage(async (peer) => {
      peer.startedCall('tool-1', 'bash');
      peer.startedCall('tool-2', 'bash');
      peer.call(1, 'bash', { command: 'ls' });
      await peer.untilClosed(1);
      say(peer);
      peer.turnEnded();
    });
    const turn = playTurn(upstream, withWeather);
    await settle();
    for (let step = 0; step < 4; step++) await timers.advance(150);
    const events = await turn;
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-malformed' } });
  });
});

describe('a call that was begun', () => {
  it('and never asked for is no success', async () => {
    const { upstream } = stage(async (peer) => {
      peer.text('Let me look.');
      peer.partialCall('tool-1', 'get_weather', '{"city":"Os');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-malformed' } });
  });

  const denied: Script = async (peer) => {
    peer.partialCall('tool-1', 'get_weather', '{"city":"Oslo"}');
    peer.pendingCheckpoint(['tool-1']);
    peer.update({ case: 'toolCallCompleted', value: { callId: 'tool-1' } });
    peer.text('I may not look.');
    peer.turnEnded();
  };

  it('and which the server answers itself is not seen by a client that takes its answer whole', async () => {
    const { upstream } = stage(denied);
    const events = await playTurn(upstream, whole);
    expect(events.map(({ type }) => type)).not.toContain('tool-input-start');
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
  });

  it('and which the server answers itself is an error once its text has left, and never a whole call', async () => {
    const { upstream } = stage(denied);
    const events = await playTurn(upstream, withWeather);
    expect(findGrammarProblem(events)).toBeUndefined();
    const text = events.flatMap((event) => (event.type === 'tool-input-delta' ? [event.text] : []));
    expect(text.join('')).toBe('{"city":"Oslo"');
    expect(events.map(({ type }) => type)).not.toContain('tool-call');
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-rejected' } });
  });
});
