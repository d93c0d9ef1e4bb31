import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  findGrammarProblem,
  foldTurn,
  GatewayError,
  type JsonObject,
  type Message,
  type TurnEvent,
} from '../../core/index.ts';
import type { AgentRunRequest } from '../../gen/agent/v1/run_pb.ts';
import type { AgentPeer, Script } from './fixtures/agent-peer.ts';
import { settle } from './fixtures/manual-timers.ts';
import {
  memoryShelf,
  playTurn,
  stage,
  textResult,
  turnRequest,
  upstreamCall,
  userSays,
  WEATHER,
} from './fixtures/play-turn.ts';

const request = turnRequest({ tools: [WEATHER] });
const gone = () => new GatewayError('upstream-unavailable', 'The connection was cut.');

const callsThenDies: Script = async (peer) => {
  peer.setBlob(1, '{"role":"user","content":"Hello"}');
  peer.text('Looking.');
  peer.call(1, 'get_weather', { city: 'Oslo' });
  peer.pendingCheckpoint(['tool-1']);
  await peer.until(() => peer.expecting.length > 0);
  peer.fail(gone());
};

/** A backend that takes a checkpoint up: it asks for the waiting call again, perhaps under another id. */
const resumes =
  (toolCallId: string): Script =>
  async (peer) => {
    await peer.askContext(1);
    peer.call(2, 'get_weather', { city: 'Oslo' }, toolCallId);
    await peer.untilClosed(2);
    peer.text('Snow.');
    peer.turnEnded();
  };

const answersAtOnce: Script = async (peer) => {
  peer.text('Snow.');
  peer.turnEnded();
};

function resultText(peer: AgentPeer | undefined): string | undefined {
  const message = peer?.execResults.at(-1)?.message;
  if (message?.case !== 'mcpResult' || message.value.result.case !== 'success') return undefined;
  const content = message.value.result.value.content[0]?.content;
  return content?.case === 'text' ? content.value.text : undefined;
}

const followUp = (results: Message['content']): Message[] => [
  userSays('Hello'),
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Looking.' },
      {
        type: 'tool-call',
        callId: 'tool-1',
        name: 'get_weather',
        kind: 'function',
        argumentsText: '{"city":"Oslo"}',
      },
    ],
  },
  { role: 'tool', content: results },
];

describe('a run that is lost while the client runs its tools', () => {
  it.each(['tool-1', 'tool-new'])(
    'goes on from its checkpoint; the call asked again as %s is not run again',
    async (id) => {
      const { upstream, transport } = stage([callsThenDies, resumes(id)]);
      let runs = 0;
      const events = await playTurn(upstream, { request }, (callIds) => {
        runs++;
        return callIds.map((callId) => textResult(callId, 'minus three'));
      });
      expect(findGrammarProblem(events)).toBeUndefined();
      expect(runs).toBe(1);
      expect(foldTurn(events).content).toMatchObject([
        { text: 'Looking.' },
        { type: 'tool-call' },
        { text: 'Snow.' },
      ]);
      const [first, second] = transport.peers;
      expect(second?.run.action?.action.case).toBe('resumeAction');
      expect(second?.run.conversationId).toBe(first?.run.conversationId);
      expect(second?.run.requestedModel?.modelId).toBe('gpt-5');
      expect(second?.run.conversationState?.pendingToolCalls).toHaveLength(1);
      expect(resultText(second)).toBe('minus three');
    },
  );

  it('begins again from the transcript when no checkpoint holds the call', async () => {
    const { upstream, transport } = stage([
      async (peer) => {
        peer.call(1, 'get_weather', { city: 'Oslo' });
        peer.update({ case: 'stepCompleted', value: {} });
        await peer.until(() => peer.expecting.length > 0);
        peer.fail(gone());
      },
      answersAtOnce,
    ]);
    const events = await playTurn(upstream, { request });
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
    const run = transport.peers[1]?.run;
    expect(run?.action?.action.case).toBe('resumeAction');
    expect(promptOf(run)).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'tool-1', toolName: 'mcp_caller_get_weather' }],
      },
      { role: 'tool', content: [{ toolCallId: 'tool-1', result: 'result of tool-1' }] },
    ]);
  });

  it('goes on when the backend ended the turn instead of waiting', async () => {
    const { upstream, transport } = stage([
      async (peer) => {
        peer.call(1, 'get_weather', { city: 'Oslo' });
        peer.pendingCheckpoint(['tool-1']);
        peer.server({
          case: 'execServerControlMessage',
          value: { message: { case: 'abort', value: { id: 1 } } },
        });
        peer.turnEnded();
      },
      resumes('tool-1'),
    ]);
    const events = await playTurn(upstream, { request });
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
    expect(foldTurn(events).content.at(-1)).toMatchObject({ text: 'Snow.' });
    expect(transport.peers[0]?.execResults).toEqual([]);
  });

  it('begins again under a new conversation when the backend cannot find the old state', async () => {
    const { upstream, transport } = stage([
      callsThenDies,
      async (peer) => peer.fail(new GatewayError('upstream-unavailable', '[internal] Blob not found')),
      answersAtOnce,
    ]);
    const events = await playTurn(upstream, { request });
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
    const [first, , third] = transport.peers;
    expect(third?.run.conversationId).not.toBe(first?.run.conversationId);
    expect(promptOf(third?.run)).toHaveLength(3);
  });
});

describe('a backend that is out of reach when a turn is taken up again', () => {
  const refuse: Script = async (peer) => peer.fail(gone());

  async function play(scripts: readonly Script[]): Promise<{ events: TurnEvent[]; runs: number }> {
    const { upstream, transport, timers } = stage(scripts);
    let isOver = false;
    const turn = playTurn(upstream, { request }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await settle();
      await timers.advance(500);
    }
    return { events: await turn, runs: transport.peers.length };
  }

  it('is tried again after a pause', async () => {
    const { events, runs } = await play([callsThenDies, refuse, refuse, resumes('tool-1')]);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' });
    expect(runs).toBe(4);
  });

  it('ends the turn with an error after a few tries', async () => {
    const { events, runs } = await play([callsThenDies, refuse]);
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-unavailable' } });
    expect(runs).toBe(5);
  });
});

describe('a turn taken up in another process', () => {
  async function leaveBehind(): Promise<{ resume: JsonObject; documents: ReturnType<typeof memoryShelf> }> {
    const documents = memoryShelf();
    const { upstream } = stage(callsThenDies);
    const events: TurnEvent[] = [];
    for await (const batch of upstream.openTurn(upstreamCall({ request, documents })))
      events.push(...batch.events);
    const awaiting = events.find((event) => event.type === 'awaiting-results');
    if (awaiting?.type !== 'awaiting-results' || !awaiting.resume) throw new Error('nothing was left behind');
    return { resume: awaiting.resume, documents };
  }

  it('answers the call from the results of the request and finds the blobs', async () => {
    const { resume, documents } = await leaveBehind();
    expect(documents.size).toBe(1);
    const { upstream, transport } = stage(async (peer) => {
      const [blobId] = [new Uint8Array(Buffer.from(BLOB_ID, 'hex'))];
      peer.server({
        case: 'kvServerMessage',
        value: { id: 1, message: { case: 'getBlobArgs', value: { blobId } } },
      });
      await peer.until(() => peer.sent.length === 2);
      await resumes('tool-1')(peer);
    });
    const messages = followUp([textResult('tool-1', 'minus three'), { type: 'text', text: 'Hurry.' }]);
    const events = await playTurn(upstream, { request: { ...request, messages }, resume, documents });
    expect(findGrammarProblem(events)).toBeUndefined();
    expect(foldTurn(events).content).toMatchObject([{ type: 'text', text: 'Snow.' }]);
    const [peer] = transport.peers;
    expect(resultText(peer)).toBe('minus three\nHurry.');
    const blob = peer?.sent[1]?.message;
    expect(blob?.case === 'kvClientMessage' && blob.value.message.case === 'getBlobResult').toBe(true);
    if (blob?.case !== 'kvClientMessage' || blob.value.message.case !== 'getBlobResult') return;
    expect(Buffer.from(blob.value.message.value.blobData ?? []).toString()).toContain('Hello');
  });

  it('asks the client again for a call whose result is missing', async () => {
    const { resume, documents } = await leaveBehind();
    const { upstream, transport } = stage(async (peer) => {
      peer.call(1, 'get_weather', { city: 'Oslo' }, 'tool-1');
      peer.pendingCheckpoint(['tool-1']);
      await peer.untilClosed(1);
      peer.text('Snow.');
      peer.turnEnded();
    });
    const events = await playTurn(upstream, { request, resume, documents });
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ callId: 'tool-1' });
    expect(resultText(transport.peers[0])).toBe('result of tool-1');
  });

  it('begins again from the transcript when what was left behind cannot be read', async () => {
    const { upstream, transport } = stage(answersAtOnce);
    const messages = followUp([textResult('tool-1', 'minus three')]);
    const events = await playTurn(upstream, { request: { ...request, messages }, resume: { other: 1 } });
    expect(events.at(-1)).toMatchObject({ type: 'turn-end' });
    expect(promptOf(transport.peers[0]?.run)).toHaveLength(3);
  });
});

/** SHA-256 of the blob that `callsThenDies` stores. */
const BLOB_ID = createHash('sha256').update('{"role":"user","content":"Hello"}').digest('hex');

function promptOf(run: AgentRunRequest | undefined): unknown[] {
  const blobs = run?.preFetchedBlobs ?? [];
  return (run?.conversationState?.rootPromptMessagesJson ?? []).map((id) => {
    const blob = blobs.find((each) => Buffer.compare(each.id, id) === 0);
    return JSON.parse(Buffer.from(blob?.value ?? []).toString('utf8'));
  });
}
