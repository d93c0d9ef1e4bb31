import { describe, expect, it } from 'vitest';
import { textOf } from '../../../core/index.ts';
import { readCall, readRound, speak, USAGE } from './fixtures/scripted-host.ts';
import type { TestClient, TestClientOptions } from './fixtures/test-client.ts';
import { createTestSet, readsFile } from './fixtures/test-set.ts';

type Action = Parameters<ReturnType<TestClient['open']>['run']>[0];

async function play(action: Action, options: TestClientOptions = {}) {
  const test = createTestSet(() => speak('Ok.'));
  const stream = test.client.open(options);
  stream.run(action);
  const end = await stream.ended;
  const task = test.host.runs[0]?.task;
  return { ...test, stream, end, task, said: task?.messages.map(({ content }) => textOf(content)) ?? [] };
}

describe('actions', () => {
  it('a plan is begun in plan mode', async () => {
    const { task, said } = await play({
      case: 'startPlanAction',
      value: { userMessage: { text: 'plan it' } },
    });
    expect(task?.mode).toBe('plan');
    expect(said).toEqual(['plan it']);
  });

  it('a plan is carried out with its text, and kept in the state', async () => {
    const { task, said, client } = await play({
      case: 'executePlanAction',
      value: { plan: { plan: '1. Do it.' }, planFilePath: '/p.md' },
    });
    expect(task?.mode).toBe('agent');
    expect(said).toEqual(['Carry out the plan in /p.md.\n\n1. Do it.']);
    expect(client.checkpoint?.plan).toHaveLength(32);
  });

  it('a late answer to a question is told to the model', async () => {
    const { said } = await play({
      case: 'asyncAskQuestionCompletionAction',
      value: {
        originalToolCallId: 'c1',
        originalArgs: {
          questions: [{ id: 'q', prompt: 'Which?', options: [{ id: 'o', label: 'The first' }] }],
        },
        result: {
          result: { case: 'success', value: { answers: [{ questionId: 'q', selectedOptionIds: ['o'] }] } },
        },
      },
    });
    expect(said).toEqual(['My answer to your earlier question:\nWhich?: The first']);
  });

  it('a background task that ended is told to the model', async () => {
    const { said } = await play({
      case: 'backgroundTaskCompletionAction',
      value: { completions: [{ title: 'build', status: 2, detail: 'Exit 1.' }] },
    });
    expect(said).toEqual(['The background task "build" failed. Exit 1.']);
  });

  it('messages that come before the user’s, and notifications, are said in order', async () => {
    const before = await play({
      case: 'userMessageAction',
      value: { prependUserMessages: [{ text: 'one' }], userMessage: { text: 'two' } },
    });
    expect(before.said).toEqual(['one', 'two']);
    const notified = await play({
      case: 'subscriptionNotificationAction',
      value: { notifications: [{ text: 'a review came' }] },
    });
    expect(notified.said).toEqual(['a review came']);
    expect((await play({ case: 'goalContinuationAction', value: {} })).said[0]).toContain('goal');
  });

  it('a history that is handed over is the conversation', async () => {
    const text = (value: string) => ({ content: { case: 'text' as const, value: { text: value } } });
    const { task } = await play({
      case: 'userMessageAction',
      value: {
        userMessage: { text: 'and now?' },
        conversationHistory: {
          messages: [
            { message: { case: 'user', value: { content: [text('hi')] } } },
            {
              message: {
                case: 'assistant',
                value: {
                  content: [
                    text('Looking.'),
                    {
                      content: {
                        case: 'toolCall',
                        value: { toolCallId: 'c', toolName: 'ls', argsJson: '{}' },
                      },
                    },
                  ],
                },
              },
            },
            {
              message: { case: 'tool', value: { toolCallId: 'c', toolName: 'ls', content: [text('a.txt')] } },
            },
          ],
        },
      },
    });
    expect(task?.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ text: 'Looking.' }, { callId: 'c', name: 'ls', argumentsText: '{}' }],
      },
      { role: 'tool', content: [{ callId: 'c', content: [{ text: 'a.txt' }] }] },
      { role: 'user' },
    ]);
  });

  it.each<[string, Action]>([
    ['sub-agent', { case: 'cancelSubagentAction', value: { subagentId: 's' } }],
    ['sub-agent', { case: 'backgroundSubagentAction', value: { toolCallId: 'c' } }],
    ['No command runs', { case: 'backgroundShellAction', value: { toolCallId: 'c' } }],
  ])('what cannot be done is refused in words: %s', async (words, action) => {
    const { end } = await play(action);
    expect(end).toMatchObject({ code: 'invalid-request', message: expect.stringContaining(words) });
  });

  it('a resume of a finished run ends the turn at once', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    await client.send('one');
    const stream = client.open();
    stream.run({ case: 'resumeAction', value: {} });
    expect(await stream.ended).toBeUndefined();
    expect(stream.kinds).toEqual(['requestContextArgs', 'checkpoint', 'turnEnded']);
    expect(host.runs).toHaveLength(1);
  });

  it('a resume of a run that a limit ended does not begin it anew', async () => {
    const { client, host } = createTestSet(async function* (run) {
      yield* readRound(run, [readCall('c1')]);
      yield { type: 'run-end', reason: 'step-limit', usage: USAGE, explanation: 'Enough.' };
    });
    await client.send('one', { onExec: readsFile });
    const stream = client.open();
    stream.run({ case: 'resumeAction', value: {} });
    expect(await stream.ended).toBeUndefined();
    expect(stream.kinds.at(-1)).toBe('turnEnded');
    expect(host.runs).toHaveLength(1);
  });

  it('a prewarmed stream waits for what the user says', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const stream = client.open();
    stream.write({
      case: 'prewarmRequest',
      value: { conversationId: 'agent-2', requestedModel: { modelId: 'm' }, conversationState: {} },
    });
    stream.write({
      case: 'conversationAction',
      value: { action: { case: 'userMessageAction', value: { userMessage: { text: 'hello' } } } },
    });
    expect(await stream.ended).toBeUndefined();
    expect(host.runs[0]?.task).toMatchObject({
      model: 'm',
      session: 'agent-2',
      messages: [{ role: 'user' }],
    });
  });

  it('a prewarmed stream may be followed by the whole request, and may end without any', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const stream = client.open();
    stream.write({ case: 'prewarmRequest', value: { conversationId: 'agent-2' } });
    stream.say('hello');
    expect(await stream.ended).toBeUndefined();
    expect(host.runs[0]?.task).toMatchObject({ model: 'demo/demo', session: 'agent-1' });
    const nothing = client.open();
    nothing.write({ case: 'prewarmRequest', value: {} });
    nothing.channel.halfClose();
    expect(await nothing.ended).toMatchObject({ code: 'invalid-request' });
  });
});

describe('a request that is made again', () => {
  it('does not repeat the user’s words, and says again what the client has not seen', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const headers = { 'x-original-request-id': 'r1' };
    await client.send('hello', { headers });
    client.checkpoint = undefined; // the client saw nothing of it
    client.blobs.clear();
    const stream = await client.send('hello', { headers });
    expect(stream.text).toBe('Ok.');
    expect(stream.kinds.at(-1)).toBe('turnEnded');
    expect(host.runs).toHaveLength(1);
    expect(client.checkpoint).toMatchObject({ rootPromptMessagesJson: { length: 2 }, turns: { length: 1 } });
    await client.send('hello', { headers: { 'x-original-request-id': 'r2' } });
    expect(host.runs).toHaveLength(2);
  });

  it('is known by its words, whatever the client says of its surroundings this time', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const headers = { 'x-original-request-id': 'r1' };
    await client.send('hello', { headers });
    const again = client.open({ headers });
    const requestContext = { env: { workspacePaths: ['/elsewhere'] } };
    again.run({ case: 'userMessageAction', value: { userMessage: { text: 'hello' }, requestContext } });
    await again.ended;
    expect(host.runs).toHaveLength(1);
    await client.send('other words', { headers });
    expect(host.runs).toHaveLength(2);
  });

  it('ends the older run first', async () => {
    const ends: string[] = [];
    const { client } = createTestSet(
      async function* ({ signal }) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        ends.push('older');
        yield { type: 'run-end', reason: 'cancelled', usage: USAGE };
      },
      async function* () {
        ends.push('newer');
        yield* speak('Ok.');
      },
    );
    const headers = { 'x-original-request-id': 'r1' };
    const older = client.open({ headers });
    older.say('hello');
    await older.until('checkpoint');
    const newer = client.open({ headers });
    newer.run({ case: 'resumeAction', value: {} });
    expect(await newer.ended).toBeUndefined();
    expect(ends).toEqual(['older', 'newer']);
    expect(await older.ended).toMatchObject({ code: 'cancelled' });
  });
});
