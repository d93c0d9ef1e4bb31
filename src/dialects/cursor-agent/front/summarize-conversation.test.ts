import { describe, expect, it } from 'vitest';
import { GatewayError, textOf } from '../../../core/index.ts';
import { speak, USAGE } from './fixtures/scripted-host.ts';
import { createTestSet } from './fixtures/test-set.ts';

const TURN = { finishReason: 'stop', warnings: [], opaque: [] } as const;

describe('a summary that the user asks for', () => {
  it('takes the place of what was said, and is counted', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    await client.send('one');
    host.turn = { ...TURN, content: [{ type: 'text', text: 'They said one.' }], usage: USAGE };
    const stream = client.open();
    stream.run({ case: 'summarizeAction', value: {} });
    expect(await stream.ended).toBeUndefined();
    expect(stream.kinds).toEqual([
      'requestContextArgs',
      'summaryStarted',
      'summary',
      'summaryCompleted',
      'checkpoint',
      'turnEnded',
    ]);
    expect(stream.frames.at(-1)?.message.value).toMatchObject({
      message: { case: 'turnEnded', value: { inputTokens: 40n, cacheReadTokens: 60n, outputTokens: 20n } },
    });
    await client.send('two');
    const { messages } = host.runs[1]?.task ?? { messages: [] };
    expect(messages.map(({ content }) => textOf(content))).toEqual([
      'Summary of our conversation so far:\n\nThey said one.',
      'two',
    ]);
    expect(client.checkpoint).toMatchObject({ selfSummaryCount: 1, summaryArchives: [expect.anything()] });
  });

  it('leaves the conversation as it was when it fails', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    await client.send('one');
    const error = new GatewayError('upstream-unavailable', 'Down.');
    host.turn = { ...TURN, content: [], error };
    const before = client.checkpoint;
    const stream = client.open();
    stream.run({ case: 'summarizeAction', value: {} });
    expect(await stream.ended).toBe(error);
    expect(stream.kinds.at(-1)).toBe('summaryCompleted');
    expect(client.checkpoint).toEqual(before);
  });

  it('is called off by a cancel', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    await client.send('one');
    const stream = client.open();
    stream.run({ case: 'summarizeAction', value: {} });
    await stream.until('summaryStarted');
    stream.write({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    expect(await stream.ended).toMatchObject({ code: 'cancelled' });
    expect(host.turnSignal?.aborted).toBe(true);
  });
});
