// The upstream behind the gateway's keeper of live streams: what a stateless client sees, request by request.
import { afterEach, describe, expect, it } from 'vitest';
import { findGrammarProblem, foldTurn, type Message, type TurnEvent } from '../../core/index.ts';
import { HeldTurns } from '../../gateway/held-turns.ts';
import type { Script } from './fixtures/agent-peer.ts';
import {
  memoryShelf,
  stage,
  textResult,
  turnRequest,
  upstreamCall,
  userSays,
  WEATHER,
} from './fixtures/play-turn.ts';

const twoRounds: Script = async (peer) => {
  await peer.askContext(1);
  peer.call(2, 'get_weather', { city: 'Oslo' });
  peer.call(3, 'get_weather', { city: 'Rome' });
  peer.pendingCheckpoint(['tool-2', 'tool-3']);
  await peer.untilClosed(2, 3);
  peer.text('One more.');
  peer.call(4, 'get_weather', { city: 'Bern' });
  peer.pendingCheckpoint(['tool-4']);
  await peer.untilClosed(4);
  peer.text('Snow, sun, rain.');
  peer.turnEnded({ inputTokens: 1n, outputTokens: 2n });
};

/** What the backend does with a checkpoint of the first round. */
const takenUp: Script = async (peer) => {
  peer.call(1, 'get_weather', { city: 'Rome' }, 'tool-3');
  peer.call(2, 'get_weather', { city: 'Oslo' }, 'tool-2');
  await peer.untilClosed(1, 2);
  peer.text('Snow, sun.');
  peer.turnEnded();
};

const open: HeldTurns[] = [];
afterEach(async () => {
  for (const held of open.splice(0)) await held.close();
});

async function ask(held: HeldTurns, messages: readonly Message[], documents = memoryShelf()) {
  const events: TurnEvent[] = [];
  const request = turnRequest({ tools: [WEATHER], messages });
  for await (const batch of held.openTurn(upstreamCall({ request, documents }))) events.push(...batch.events);
  expect(findGrammarProblem(events)).toBeUndefined();
  const result = foldTurn(events);
  return { ...result, answer: { role: 'assistant' as const, content: result.content } };
}

function keep(...scripts: Script[]) {
  const { upstream, transport } = stage(scripts);
  const held = new HeldTurns(upstream);
  open.push(held);
  return { held, transport };
}

describe('a stateless client', () => {
  it('drives one live run with three requests', async () => {
    const { held, transport } = keep(twoRounds);
    const first = await ask(held, [userSays('Weather?')]);
    expect(first.finishReason).toBe('tool-calls');
    expect(first.content).toMatchObject([{ callId: 'tool-2' }, { callId: 'tool-3' }]);
    const second: Message[] = [
      userSays('Weather?'),
      first.answer,
      { role: 'tool', content: [textResult('tool-3', 'sun'), textResult('tool-2', 'snow')] },
    ];
    const middle = await ask(held, second);
    expect(middle.content).toMatchObject([{ text: 'One more.' }, { callId: 'tool-4' }]);
    const last = await ask(held, [
      ...second,
      middle.answer,
      { role: 'tool', content: [textResult('tool-4', 'rain')] },
    ]);
    expect(last.content).toMatchObject([{ text: 'Snow, sun, rain.' }]);
    expect(last.finishReason).toBe('stop');
    expect(transport.peers).toHaveLength(1);
    expect(transport.peers[0]?.isClosed).toBe(true);
  });

  it('goes on in another gateway from what the first one left behind', async () => {
    const documents = memoryShelf();
    const before = keep(twoRounds);
    const first = await ask(before.held, [userSays('Weather?')], documents);
    const after = keep(takenUp);
    const results: Message = {
      role: 'tool',
      content: [textResult('tool-2', 'snow'), textResult('tool-3', 'sun')],
    };
    const last = await ask(after.held, [userSays('Weather?'), first.answer, results], documents);
    expect(last.content).toMatchObject([{ text: 'Snow, sun.' }]);
    const [peer] = after.transport.peers;
    expect(peer?.run.action?.action.case).toBe('resumeAction');
    expect(peer?.run.conversationId).toBe(before.transport.peers[0]?.run.conversationId);
    expect(peer?.execResults.map(({ id }) => id)).toEqual([1, 2]);
  });
});
