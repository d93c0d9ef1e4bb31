import { describe, expect, it } from 'vitest';
import { findGrammarProblem, type TurnEvent } from '../../core/index.ts';
import type { Script } from './fixtures/agent-peer.ts';
import { settle } from './fixtures/manual-timers.ts';
import { playTurn, stage, textResult, turnRequest, upstreamCall } from './fixtures/play-turn.ts';
import { oneCall, withWeather } from './fixtures/scripts.ts';

const types = (events: readonly TurnEvent[]) => events.map(({ type }) => type);

describe('a round of calls', () => {
  it('goes to the client and continues in the same run with its result', async () => {
    const { upstream, transport } = stage(oneCall);
    const events = await playTurn(upstream, withWeather, () => [textResult('tool-2', '-3 °C, snow')]);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(types(events)).toEqual([
      'turn-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'awaiting-results',
      'text-start',
      'text-delta',
      'text-end',
      'turn-end',
    ]);
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      callId: 'tool-2',
      name: 'get_weather',
      argumentsText: '{"city":"Oslo"}',
      executor: 'client',
      resultVia: 'in-stream',
    });
    expect(transport.peers).toHaveLength(1);
    const [peer] = transport.peers;
    const result = peer?.execResults.at(-1);
    expect(result).toMatchObject({ id: 2, execId: 'exec-2' });
    if (result?.message.case !== 'mcpResult' || result.message.value.result.case !== 'success')
      throw new Error('none');
    expect(result.message.value.result.value.content[0]?.content).toMatchObject({
      value: { text: '-3 °C, snow' },
    });
    expect(peer?.closedExecs).toEqual([1, 2]);
    expect(peer?.expecting).toEqual([false, true]);
  });

  it('tells a failed tool as an error result and carries pictures', async () => {
    const { upstream, transport } = stage(oneCall);
    await playTurn(upstream, withWeather, () => [
      {
        type: 'tool-result',
        callId: 'tool-2',
        isError: true,
        content: [
          { type: 'text', text: 'no such city' },
          { type: 'image', source: { type: 'base64', data: 'AAEC', mediaType: 'image/png' } },
        ],
      },
    ]);
    const message = transport.peers[0]?.execResults.at(-1)?.message;
    if (message?.case !== 'mcpResult' || message.value.result.case !== 'success') throw new Error('none');
    const { isError, content } = message.value.result.value;
    expect(isError).toBe(true);
    expect(content[1]?.content).toMatchObject({ case: 'image', value: { mimeType: 'image/png' } });
  });

  const fiveCalls: Script = async (peer) => {
    for (const id of [1, 2, 3, 4, 5]) peer.call(id, 'get_weather', { city: `c${id}` });
    peer.pendingCheckpoint(['tool-1', 'tool-2', 'tool-3', 'tool-4', 'tool-5']);
    await peer.untilClosed(1, 2, 3, 4, 5);
    peer.text('done');
    peer.turnEnded();
  };

  it('keeps parallel calls together and takes their results in any order, in portions, once', async () => {
    const { upstream, transport } = stage(fiveCalls);
    const portions = [
      [textResult('tool-4', 'four'), textResult('tool-1', 'one')],
      [textResult('tool-1', 'one again'), textResult('tool-9', 'of nobody')],
      [textResult('tool-5', 'five'), textResult('tool-3', 'three'), textResult('tool-2', 'two')],
    ];
    const events = await playTurn(upstream, withWeather, () => portions.shift() ?? []);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.filter(({ type }) => type === 'awaiting-results')).toMatchObject([
      { callIds: ['tool-1', 'tool-2', 'tool-3', 'tool-4', 'tool-5'] },
    ]);
    expect(transport.peers[0]?.execResults.map(({ id }) => id)).toEqual([4, 1, 5, 3, 2]);
    expect(transport.peers[0]?.closedExecs).toEqual([4, 1, 5, 3, 2]);
  });

  it('waits for a call that a checkpoint lists and that has not come yet', async () => {
    const { upstream } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'a' });
      peer.pendingCheckpoint(['tool-1', 'tool-2']);
      peer.call(2, 'get_weather', { city: 'b' });
      peer.pendingCheckpoint(['tool-1', 'tool-2']);
      await peer.untilClosed(1, 2);
      peer.text('done');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(events.filter(({ type }) => type === 'awaiting-results')).toMatchObject([
      { callIds: ['tool-1', 'tool-2'] },
    ]);
  });

  const ends: [string, Script][] = [
    ['the end of a step', async (peer) => peer.update({ case: 'stepCompleted', value: { stepId: 1n } })],
    [
      'a new question for the context',
      async (peer) => peer.exec(9, { case: 'requestContextArgs', value: {} }),
    ],
  ];
  it.each(ends)('is complete at %s', async (_sign, end) => {
    const { upstream } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'a' });
      await end(peer);
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
  });

  it('is complete after a short silence', async () => {
    const { upstream, timers } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'a' });
      peer.text('one moment');
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const turn = playTurn(upstream, withWeather);
    await settle();
    await timers.advance(149);
    await timers.advance(1);
    const events = await turn;
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-end' });
  });

  it('gives a call that comes after its round was closed to the client as a round of its own', async () => {
    const { upstream } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'a' });
      peer.update({ case: 'stepCompleted', value: {} });
      peer.call(2, 'get_weather', { city: 'b' });
      peer.update({ case: 'stepCompleted', value: {} });
      await peer.untilClosed(1, 2);
      peer.text('done');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.filter(({ type }) => type === 'awaiting-results')).toMatchObject([
      { callIds: ['tool-1'] },
      { callIds: ['tool-2'] },
    ]);
  });

  it('sends a heartbeat for each waiting exec every three seconds and none after the result', async () => {
    let release: (() => void) | undefined;
    const { upstream, transport, timers } = stage(oneCall);
    const receiveResults = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return [textResult('tool-2', 'x')];
    };
    const turn = playTurn(upstream, { ...withWeather, receiveResults });
    await settle();
    await timers.advance(9_000);
    expect(transport.peers[0]?.execHeartbeats).toEqual([2, 2, 2]);
    release?.();
    await turn;
    await timers.advance(9_000);
    expect(transport.peers[0]?.execHeartbeats).toEqual([2, 2, 2]);
    expect(timers.waiting).toBe(0);
  });

  it('answers other frames while the client is away', async () => {
    let release: (() => void) | undefined;
    const { upstream, transport } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'a' });
      peer.pendingCheckpoint(['tool-1']);
      peer.setBlob(3, 'x');
      peer.server({
        case: 'interactionQuery',
        value: { id: 4, query: { case: 'switchModeRequestQuery', value: {} } },
      });
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const receiveResults = async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return [textResult('tool-1', 'x')];
    };
    const turn = playTurn(upstream, { ...withWeather, receiveResults });
    await settle();
    expect(transport.peers[0]?.sent.map(({ message }) => message.case)).toEqual([
      'runRequest',
      'kvClientMessage',
      'interactionResponse',
    ]);
    release?.();
    await turn;
  });

  it('passes argument text on as it streams, byte for byte', async () => {
    const { upstream } = stage(async (peer) => {
      peer.partialCall('tool-1', 'get_weather', '{ "ci');
      peer.partialCall('tool-1', 'get_weather', 'ty" : ');
      peer.partialCall('tool-1', 'get_weather', '"Oslo" }');
      peer.call(1, 'get_weather', { city: 'Oslo' });
      peer.pendingCheckpoint(['tool-1']);
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.filter(({ type }) => type === 'tool-input-delta')).toMatchObject([
      { text: '{ "city" : ' },
      { text: '"Oslo" ' },
      { text: '}' }, // with the exec, and not before
    ]);
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      argumentsText: '{ "city" : "Oslo" }',
    });
  });

  it('believes the exec when the streamed text is a wrapper around the arguments', async () => {
    const { upstream } = stage(async (peer) => {
      peer.partialCall('tool-1', 'get_weather', '{"server":"caller","arguments":{"city":"Oslo"}}');
      peer.call(1, 'get_weather', { city: 'Oslo' });
      peer.pendingCheckpoint(['tool-1']);
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      argumentsText: '{"city":"Oslo"}',
    });
  });

  it('fails when other arguments were streamed than the exec has', async () => {
    const { upstream } = stage(async (peer) => {
      peer.partialCall('tool-1', 'get_weather', '{"city":"Paris"}');
      peer.call(1, 'get_weather', { city: 'Oslo' });
      await peer.untilClosed(1);
    });
    const events = await playTurn(upstream, withWeather);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-malformed' } });
    expect(types(events)).not.toContain('tool-call');
  });

  it('ends with the calls when nobody can bring results into the stream', async () => {
    const { upstream } = stage(oneCall);
    const events: TurnEvent[] = [];
    for await (const batch of upstream.openTurn(upstreamCall(withWeather))) events.push(...batch.events);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' });
  });

  it('takes an exec frame that comes twice for one call', async () => {
    const { upstream, transport } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'a' });
      peer.call(1, 'get_weather', { city: 'a' });
      peer.pendingCheckpoint(['tool-1']);
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, withWeather);
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(1);
    expect(transport.peers[0]?.closedExecs).toEqual([1]);
  });

  it('gives the raw text of a custom tool back', async () => {
    const { upstream } = stage(async (peer) => {
      peer.call(1, 'apply_patch', { input: '*** Begin Patch' });
      peer.pendingCheckpoint(['tool-1']);
      await peer.untilClosed(1);
      peer.text('done');
      peer.turnEnded();
    });
    const request = turnRequest({ tools: [{ kind: 'custom', name: 'apply_patch' }] });
    const events = await playTurn(upstream, { request });
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      kind: 'custom',
      argumentsText: '*** Begin Patch',
    });
  });
});
