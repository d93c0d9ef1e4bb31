import { describe, expect, it } from 'vitest';
import { findGrammarProblem, foldTurn } from '../../core/index.ts';
import { playTurn, stage } from './fixtures/play-turn.ts';
import { plainChat, withWeather } from './fixtures/scripts.ts';

describe('a plain answer', () => {
  it('streams thoughts and text and counts tokens with the cached ones included', async () => {
    const { upstream, transport } = stage(plainChat);
    const events = await playTurn(upstream);
    expect(findGrammarProblem(events)).toBeUndefined();
    const { content, usage, finishReason } = foldTurn(events);
    expect(content).toMatchObject([
      { type: 'reasoning', text: 'They greet.' },
      { type: 'text', text: 'Hi there.' },
    ]);
    expect(finishReason).toBe('stop');
    expect(usage).toEqual({
      inputTokens: 630,
      outputTokens: 20,
      totalTokens: 650,
      cacheReadTokens: 500,
      cacheWriteTokens: 30,
      reasoningTokens: 8,
    });
    expect(transport.peers[0]?.isClosed).toBe(true);
  });

  it('sends a conversation state, the model and the tools in both places', async () => {
    const { upstream, transport } = stage(plainChat);
    await playTurn(upstream, withWeather);
    const run = transport.peers[0]?.run;
    expect(run?.conversationState?.mode).toBe(1);
    expect(run?.requestedModel?.modelId).toBe('gpt-5');
    expect(run?.modelDetails?.modelId).toBe('gpt-5');
    expect(run?.mcpTools?.mcpTools.map(({ toolName }) => toolName)).toEqual(['get_weather', 'bash']);
    const context = transport.peers[0]?.execResults[0]?.message;
    if (context?.case !== 'requestContextResult' || context.value.result.case !== 'success')
      throw new Error('none');
    expect(context.value.result.value.requestContext?.tools.map(({ name }) => name)).toEqual([
      'caller-get_weather',
      'caller-bash',
    ]);
    expect(transport.peers[0]?.closedExecs).toEqual([1]);
  });

  it('says who calls, with privacy on and the headers of the operator last', async () => {
    const first = stage(plainChat);
    await playTurn(first.upstream);
    expect(first.transport.peers[0]?.open.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-ghost-mode': 'true',
    });
    const second = stage(plainChat, {
      capabilities: ['share-data'],
      headers: { 'X-Cursor-Client-Type': 'cli', Authorization: 'no' },
    });
    await playTurn(second.upstream);
    expect(second.transport.peers[0]?.open.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'x-cursor-client-type': 'cli',
      'x-ghost-mode': 'false',
    });
  });

  it('answers blobs that the backend stores and asks back', async () => {
    const { upstream, transport } = stage(async (peer) => {
      const blobId = peer.setBlob(7, 'kept');
      peer.server({
        case: 'kvServerMessage',
        value: { id: 8, message: { case: 'getBlobArgs', value: { blobId } } },
      });
      const unknown = new Uint8Array(32);
      peer.server({
        case: 'kvServerMessage',
        value: { id: 9, message: { case: 'getBlobArgs', value: { blobId: unknown } } },
      });
      await peer.until(() => peer.sent.length === 4);
      peer.text('ok');
      peer.turnEnded();
    });
    await playTurn(upstream);
    const answers = transport.peers[0]?.sent.flatMap(({ message }) =>
      message.case === 'kvClientMessage' ? [message.value] : [],
    );
    expect(answers?.map(({ id, message }) => [id, message.case])).toEqual([
      [7, 'setBlobResult'],
      [8, 'getBlobResult'],
      [9, 'getBlobResult'],
    ]);
    const [, found, missing] = answers ?? [];
    expect(
      found?.message.case === 'getBlobResult' && Buffer.from(found.message.value.blobData ?? []).toString(),
    ).toBe('kept');
    expect(missing?.message.case === 'getBlobResult' && missing.message.value.blobData).toBeUndefined();
  });
});
