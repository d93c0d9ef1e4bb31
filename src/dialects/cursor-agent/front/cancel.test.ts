import { describe, expect, it } from 'vitest';
import { type AgentEvent, textOf } from '../../../core/index.ts';
import type { AgentRun } from './agent-host.ts';
import { callMessage, readAtClient, readCall, speak, USAGE } from './fixtures/scripted-host.ts';
import type { TestStream } from './fixtures/test-client.ts';
import { createTestSet } from './fixtures/test-set.ts';

/** Says some words and waits for its end. */
async function* speakAndWait({ signal }: AgentRun): AsyncGenerator<AgentEvent> {
  yield { type: 'step-start', step: 1, mode: 'agent' };
  yield { type: 'turn-events', events: [{ type: 'text-delta', id: 't', text: 'Well, ' }] };
  await fired(signal);
  yield { type: 'run-end', reason: 'cancelled', usage: USAGE };
}

async function* callAndWait(run: AgentRun): AsyncGenerator<AgentEvent> {
  const call = readCall('c1');
  const text = 'Reading. ';
  yield { type: 'step-start', step: 1, mode: 'agent' };
  yield { type: 'turn-events', events: [{ type: 'text-delta', id: 't', text }] };
  const content = [{ type: 'text' as const, text }, ...callMessage(call).content];
  yield { type: 'round-open', message: { role: 'assistant', content }, calls: [call] };
  await readAtClient(run, call).catch(() => {});
  yield { type: 'run-end', reason: 'cancelled', usage: USAGE };
}

function cancel(stream: TestStream, reason = ''): void {
  stream.write({
    case: 'conversationAction',
    value: { action: { case: 'cancelAction', value: { reason } } },
  });
}

describe('a cancel', () => {
  it('ends the run with a checkpoint that keeps what was said', async () => {
    const { client, host } = createTestSet(speakAndWait, () => speak('Ok.'));
    const stream = client.open();
    stream.say('hello');
    await stream.until('textDelta');
    cancel(stream);
    expect(await stream.ended).toMatchObject({ code: 'cancelled' });
    expect(stream.kinds.at(-1)).toBe('checkpoint');
    await client.send('go on');
    expect(host.runs[1]?.task.messages.map(({ content }) => textOf(content))).toEqual([
      'hello',
      'Well, ',
      'go on',
    ]);
  });

  it('aborts what the client is doing, and the open call has a result when the talk goes on', async () => {
    const { client, host } = createTestSet(callAndWait, () => speak('Ok.'));
    const stream = client.open();
    stream.say('read it');
    await stream.until('readArgs');
    cancel(stream, 'enough');
    expect(await stream.ended).toMatchObject({ code: 'cancelled', message: 'enough' });
    expect(stream.kinds.slice(-2)).toEqual(['execServerControlMessage', 'checkpoint with calls']);
    await client.send('never mind');
    const messages = host.runs[1]?.task.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messages[2]?.content[0]).toMatchObject({ callId: 'c1', isError: true });
  });

  it('may bring the results of what it interrupted', async () => {
    const { client, host } = createTestSet(callAndWait, () => speak('Ok.'));
    const stream = client.open();
    stream.say('read it');
    await stream.until('readArgs');
    cancel(stream);
    await stream.ended;
    const next = client.open();
    const shellResult = { result: { case: 'success' as const, value: { stdout: 'half', exitCode: 0 } } };
    next.run({
      case: 'userMessageAction',
      value: {
        userMessage: { text: 'go on' },
        interruptedPendingToolCallResolutions: {
          resolutions: [{ toolCallId: 'c1', resolution: { case: 'shellResult', value: shellResult } }],
        },
      },
    });
    await next.ended;
    expect(host.runs[1]?.task.messages[2]?.content[0]).toMatchObject({
      callId: 'c1',
      content: [{ type: 'text', text: 'Exit code 0.\nhalf' }],
    });
  });

  it('by a dropped stream stops the run and keeps the last checkpoint', async () => {
    const { client, host } = createTestSet(speakAndWait);
    const stream = client.open();
    stream.say('hello');
    await stream.until('textDelta');
    stream.channel.cut();
    expect(await stream.ended).toMatchObject({ code: 'cancelled' });
    expect(host.runs[0]?.signal.aborted).toBe(true);
    expect(client.checkpoint?.rootPromptMessagesJson).toHaveLength(1);
  });

  it('before the run has begun is no run', async () => {
    const { client, host } = createTestSet();
    const stream = client.open();
    stream.run({ case: 'cancelAction', value: {} });
    expect(await stream.ended).toBeUndefined();
    const prewarmed = client.open();
    prewarmed.write({ case: 'prewarmRequest', value: { conversationId: 'agent-1' } });
    cancel(prewarmed);
    expect(await prewarmed.ended).toBeUndefined();
    expect(host.runs).toHaveLength(0);
  });

  it('of a client that never took its frames does not hang', async () => {
    const { client } = createTestSet(speakAndWait);
    const stream = client.open();
    const receive = stream.channel.onSend;
    let isStuck = false;
    stream.channel.onSend = async (bytes) => {
      await receive(bytes);
      if (stream.kinds.at(-1) === 'textDelta') {
        isStuck = true;
        await fired(stream.channel.signal);
      }
    };
    stream.say('hello');
    await stream.until('textDelta');
    expect(isStuck).toBe(true);
    stream.channel.cut();
    expect(await stream.ended).toMatchObject({ code: 'cancelled' });
  });
});

describe('a slow reader', () => {
  it('slows the run down', async () => {
    let steps = 0;
    const { client } = createTestSet(async function* () {
      for (steps = 1; steps <= 100; steps++) {
        yield { type: 'turn-events', events: [{ type: 'text-delta', id: 't', text: 'x' }] };
      }
      yield { type: 'run-end', reason: 'done', usage: USAGE };
    });
    const stream = client.open();
    const receive = stream.channel.onSend;
    let release = () => {};
    stream.channel.onSend = async (bytes) => {
      await receive(bytes);
      if (stream.text.length === 3) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
    };
    stream.say('hello');
    await stream.until('textDelta');
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(steps).toBe(3);
    release();
    await stream.ended;
    expect(stream.text).toHaveLength(100);
  });
});

async function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
