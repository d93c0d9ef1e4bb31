import { describe, expect, it } from 'vitest';
import { textOf } from '../../../core/index.ts';
import { type Script, speak, USAGE } from './fixtures/scripted-host.ts';
import type { TestStream } from './fixtures/test-client.ts';
import { createTestSet } from './fixtures/test-set.ts';

type Action = Parameters<TestStream['run']>[0];

function send(stream: TestStream, action: Action): void {
  stream.write({ case: 'conversationAction', value: { action: action ?? { case: undefined } } });
}

function inject(stream: TestStream, injectionId: string, text: string): void {
  const payload = { case: 'userContext' as const, value: { userMessage: { text } } };
  send(stream, { case: 'injectContextAction', value: { injectionId, payload } });
}

/** What the client was told of its words, in order. */
function statesOf(stream: TestStream): (string | undefined)[] {
  return stream.frames.flatMap(({ message: { value } }) => {
    const update = value?.$typeName === 'agent.v1.InteractionUpdate' ? value.message : undefined;
    return update?.case === 'contextInjectionState' ? [update.value.state?.state.case] : [];
  });
}

/** A run that has begun and waits for the word to go on. */
function createWaitingSet(...later: Script[]) {
  let goOn = () => {};
  const wait = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const test = createTestSet(
    async function* ({ signal }) {
      yield { type: 'step-start', step: 1, mode: 'agent' };
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.race([wait, stopped]);
      if (signal.aborted) yield { type: 'run-end', reason: 'cancelled', usage: USAGE };
      else yield* speak('One.');
    },
    ...later,
  );
  return { ...test, goOn };
}

async function begin(client: ReturnType<typeof createTestSet>['client']): Promise<TestStream> {
  const stream = client.open();
  stream.say('first');
  await stream.until('stepStarted');
  return stream;
}

describe('inside a run', () => {
  it('words wait until the run is over, and both runs are counted', async () => {
    const { client, host, goOn } = createWaitingSet(() => speak('Two.'));
    const stream = await begin(client);
    inject(stream, 'i1', 'also');
    await stream.until('contextInjectionState');
    send(stream, { case: 'userMessageAction', value: { userMessage: { text: '' } } }); // harms nothing
    goOn();
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toBe('One.Two.');
    expect(stream.kinds.filter((kind) => kind === 'turnEnded')).toHaveLength(1);
    expect(stream.kinds).toContain('userMessageAppended');
    expect(statesOf(stream)).toEqual(['queued', 'delivered']);
    expect(host.runs[1]?.task.messages.map(({ content }) => textOf(content))).toEqual([
      'first',
      'One.',
      'also',
    ]);
    expect(stream.frames.at(-1)?.message.value).toMatchObject({
      message: { case: 'turnEnded', value: { inputTokens: 80n, cacheReadTokens: 120n, outputTokens: 40n } },
    });
  });

  it('more words than anyone says are turned away', async () => {
    const { client, goOn } = createWaitingSet(() => speak('Two.'));
    const stream = await begin(client);
    for (let index = 0; index < 33; index++) inject(stream, `i${index}`, 'also');
    goOn();
    await stream.ended;
    expect(statesOf(stream).filter((state) => state === 'delivered')).toHaveLength(32);
    expect(statesOf(stream)[32]).toBe('rejected');
    expect(client.drift).toEqual(['words that came too late, or too many']);
  });

  it('a cancel also calls off the words that still wait', async () => {
    const { client } = createWaitingSet();
    const stream = await begin(client);
    inject(stream, 'i1', 'also');
    await stream.until('contextInjectionState');
    send(stream, { case: 'cancelAction', value: { reason: 'Enough.' } });
    expect(await stream.ended).toMatchObject({ code: 'cancelled', message: 'Enough.' });
    expect(statesOf(stream)).toEqual(['queued', 'cancelled']);
  });

  it('a command is moved to the background at the client', async () => {
    const { client, goOn } = createWaitingSet();
    const stream = await begin(client);
    send(stream, { case: 'backgroundShellAction', value: { toolCallId: 'c1' } });
    const { message } = await stream.until('forceBackgroundShellArgs');
    expect(message.value).toMatchObject({ message: { value: { toolCallId: 'c1' } } });
    goOn(); // and a client that never answers holds nothing up
    expect(await stream.ended).toBeUndefined();
  });

  it('what cannot be done is said in words, and the run goes on', async () => {
    const { client, goOn } = createWaitingSet();
    const stream = await begin(client);
    send(stream, { case: 'cancelSubagentAction', value: { subagentId: 's' } });
    const { message } = await stream.until('textDelta');
    expect(message.value).toMatchObject({ message: { value: { isServerNotice: true } } });
    goOn();
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toMatch(/cannot be cancelled here[\s\S]*One\./);
  });

  it('heartbeats mean nothing, not even before the first message', async () => {
    const { client } = createTestSet(() => speak('Ok.'));
    const stream = client.open();
    stream.write({ case: 'clientHeartbeat', value: {} });
    stream.say('hello');
    stream.write({ case: 'clientHeartbeat', value: {} });
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toBe('Ok.');
    expect(client.drift).toEqual([]);
  });

  it('an unknown frame is counted and harms nothing', async () => {
    const { client } = createTestSet(async function* ({ signal }) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(signal.aborted).toBe(false);
      yield { type: 'run-end', reason: 'done', usage: USAGE };
    });
    const stream = client.open();
    stream.say('hello');
    stream.channel.push(new Uint8Array([0x9a, 0x06, 0x01, 0x00])); // field 99
    stream.write({ case: 'runRequest', value: {} });
    expect(await stream.ended).toBeUndefined();
    expect(client.drift).toEqual(['agent_client_message field 99', 'run_request inside a run']);
  });
});
