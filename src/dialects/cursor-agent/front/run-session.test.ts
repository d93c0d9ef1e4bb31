import { describe, expect, it } from 'vitest';
import { type AgentEvent, GatewayError, textOf } from '../../../core/index.ts';
import type { AgentRun } from './agent-host.ts';
import { answer, readCall, readRound, ScriptedHost, speak, USAGE } from './fixtures/scripted-host.ts';
import { createTestSet, readsFile } from './fixtures/test-set.ts';
import { createCursorAgentFront } from './index.ts';

async function* readThenSpeak(run: AgentRun): AsyncGenerator<AgentEvent> {
  yield* readRound(run, [readCall('c1'), readCall('c2')]);
  yield* speak('It says hello.', 2);
}

describe('a run', () => {
  it('asks for the context, checkpoints the words, streams, checkpoints the answer and ends the turn', async () => {
    const { client, host } = createTestSet(() => speak('Hi.'));
    const stream = await client.send('hello');
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toBe('Hi.');
    expect(stream.kinds).toEqual([
      'requestContextArgs',
      'checkpoint',
      'stepStarted',
      'textDelta',
      'textDelta',
      'textDelta',
      'tokenDelta',
      'stepCompleted',
      'checkpoint',
      'turnEnded',
    ]);
    expect(host.runs[0]?.task).toMatchObject({
      model: 'demo/demo',
      mode: 'agent',
      session: 'agent-1',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
      surroundings: { workspaces: ['/srv'], os: 'linux', shell: 'bash' },
    });
    expect(client.drift).toEqual([]);
  });

  it('counts cached tokens apart from the input, as this wire does', async () => {
    const { client } = createTestSet(() => speak('Hi.'));
    const stream = await client.send('hello');
    const { message } = await stream.until('turnEnded');
    const update = message.case === 'interactionUpdate' ? message.value.message : undefined;
    expect(update).toMatchObject({
      case: 'turnEnded',
      value: { inputTokens: 40n, outputTokens: 20n, cacheReadTokens: 60n, cacheWriteTokens: 0n },
    });
    expect(client.checkpoint?.tokenDetails).toMatchObject({ usedTokens: 120, maxTokens: 8_000 });
  });

  it('does not pass a guess off as a count', async () => {
    const usage = { ...USAGE, estimated: true };
    const { client } = createTestSet(async function* () {
      yield { type: 'run-end', reason: 'done', usage };
    });
    const { message } = await (await client.send('hello')).until('turnEnded');
    const update = message.case === 'interactionUpdate' ? message.value.message : undefined;
    expect(update?.value).toMatchObject({ $typeName: 'agent.v1.TurnEndedUpdate' });
    expect(update?.case === 'turnEnded' && update.value.inputTokens).toBeUndefined();
  });

  it('sends a checkpoint with the calls of a round before the first of them runs, and one after', async () => {
    const { client } = createTestSet(readThenSpeak);
    const stream = await client.send('read it', { onExec: readsFile });
    expect(await stream.ended).toBeUndefined();
    const kinds = stream.kinds.filter((kind) => !/textDelta|tokenDelta|partial/.test(kind));
    expect(kinds).toEqual([
      'requestContextArgs',
      'checkpoint',
      'stepStarted',
      'checkpoint with calls',
      'toolCallStarted',
      'readArgs',
      'toolCallStarted',
      'readArgs',
      'toolCallCompleted',
      'toolCallCompleted',
      'stepCompleted',
      'checkpoint',
      'stepStarted',
      'stepCompleted',
      'checkpoint',
      'turnEnded',
    ]);
    expect(client.checkpoint?.rootPromptMessagesJson).toHaveLength(4);
    expect(client.checkpoint?.turns).toHaveLength(1);
  });

  it('names a blob in a checkpoint only when the client has stored it', async () => {
    const { client } = createTestSet(readThenSpeak);
    const stream = client.open({ onExec: readsFile });
    const missing: string[] = [];
    const receive = stream.channel.onSend;
    stream.channel.onSend = async (bytes) => {
      await receive(bytes);
      const { message } = stream.frames.at(-1) ?? {};
      if (message?.case !== 'conversationCheckpointUpdate') return;
      for (const id of [...message.value.rootPromptMessagesJson, ...message.value.turns]) {
        const key = Buffer.from(id).toString('hex');
        if (!client.blobs.has(key)) missing.push(key);
      }
    };
    stream.say('read it');
    await stream.ended;
    expect(missing).toEqual([]);
  });

  it('remembers the conversation in a second send', async () => {
    const { client, host } = createTestSet(readThenSpeak, () => speak('Again hello.'));
    await client.send('read it', { onExec: readsFile });
    await client.send('what did it say?');
    const { messages } = host.runs[1]?.task ?? { messages: [] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages[2]?.content[0]).toMatchObject({
      callId: 'c1',
      name: 'read_file',
      content: [{ type: 'text', text: 'hello' }],
    });
  });

  it('hands a client no blob that it keeps already', async () => {
    const { client } = createTestSet(
      () => speak('Ok.'),
      () => speak('Fine.'),
    );
    await client.send('one');
    const kept = new Set(client.blobs.keys());
    const stream = client.open();
    stream.say('two', (request) => {
      request.preFetchedBlobs = [];
    });
    expect(await stream.ended).toBeUndefined();
    const handed = stream.frames.flatMap(({ message: { value } }) => {
      const asked = value?.$typeName === 'agent.v1.KvServerMessage' ? value.message : undefined;
      return asked?.case === 'setBlobArgs' ? [Buffer.from(asked.value.blobId).toString('hex')] : [];
    });
    expect(handed.length).toBeGreaterThan(0);
    expect(handed.filter((id) => kept.has(id))).toEqual([]);
  });

  it('remembers it when the client lost its blobs, and when it kept no checkpoint at all', async () => {
    const { client, host } = createTestSet(() => speak('One.'));
    await client.send('first');
    client.blobs.clear();
    await client.send('second');
    client.checkpoint = undefined;
    await client.send('third');
    const last = host.runs[2]?.task.messages ?? [];
    expect(last.map(({ content }) => textOf(content))).toEqual(['first', 'One.', 'second', 'One.', 'third']);
  });

  it('remembers it from the client alone, on a gateway that never saw it', async () => {
    const { client, host } = createTestSet(() => speak('One.'));
    await client.send('first');
    client.documents.documents.clear();
    const stream = client.open();
    stream.say('second', (request) => {
      request.preFetchedBlobs = []; // they have to be asked for
      request.conversationId = 'a-fork';
    });
    await stream.ended;
    expect(stream.kinds.filter((kind) => kind === 'getBlobArgs').length).toBeGreaterThan(0);
    expect(host.runs[1]?.task.messages).toHaveLength(3);
  });

  it('says clearly that a blob is nowhere to be found', async () => {
    const { client } = createTestSet(() => speak('One.'));
    await client.send('first');
    client.documents.documents.clear();
    client.blobs.clear();
    const stream = await client.send('second');
    expect(await stream.ended).toMatchObject({
      code: 'internal',
      retryable: false,
      message: expect.stringContaining('Blob not found: message 1 of the conversation'),
    });
  });

  it('begins anew when the client says so, even under a known conversation id', async () => {
    const { client, host } = createTestSet(() => speak('One.'));
    await client.send('first');
    const stream = client.open();
    stream.say('second', ({ conversationState }) => {
      if (!conversationState) return;
      conversationState.rootPromptMessagesJson = [];
      conversationState.turns = [];
      conversationState.mode = 1;
    });
    await stream.ended;
    expect(host.runs[1]?.task.messages).toHaveLength(1);
  });
});

describe('a client that does not do its part', () => {
  it('is not waited for longer than ten seconds for its context', async () => {
    const { client, timers, host } = createTestSet(() => speak('Hi.'));
    const stream = client.open({ context: 'silent' });
    stream.say('hello');
    await stream.until('requestContextArgs');
    timers.advance(10_000);
    expect(await stream.ended).toBeUndefined();
    expect(stream.kinds).toContain('execServerControlMessage');
    expect(host.runs[0]?.task.surroundings).toBeUndefined();
  });

  it('may throw instead of telling its context', async () => {
    const { client } = createTestSet(() => speak('Hi.'));
    const stream = await client.send('hello', { context: 'throws' });
    expect(stream.text).toBe('Hi.');
  });

  it('may never acknowledge a blob: the run goes on, and our own documents remember', async () => {
    const { client, timers, host } = createTestSet(() => speak('Hi.'));
    const stream = client.open({ answersKv: false });
    stream.say('hello');
    await stream.until('setBlobArgs');
    await new Promise((resolve) => setImmediate(resolve));
    timers.advance(5_000);
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toBe('Hi.');
    const handed = new Set(
      stream.frames.flatMap(({ message: { value } }) => {
        const asked = value?.$typeName === 'agent.v1.KvServerMessage' ? value.message : undefined;
        return asked?.case === 'setBlobArgs' ? [Buffer.from(asked.value.blobId).toString('hex')] : [];
      }),
    );
    for (const id of client.checkpoint?.rootPromptMessagesJson ?? []) {
      expect(handed).toContain(Buffer.from(id).toString('hex'));
    }
    await client.send('more');
    expect(host.runs[1]?.task.messages).toHaveLength(3);
  });

  it('may close its side after its request: the model answers all the same', async () => {
    const { client } = createTestSet(() => speak('Hi.'));
    const stream = client.open();
    stream.say('hello');
    stream.channel.halfClose();
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toBe('Hi.');
  });

  it('gets a heartbeat in every silence of five seconds', async () => {
    let goOn = () => {};
    const wait = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { client, timers } = createTestSet(async function* () {
      await wait;
      yield* speak('Hi.');
    });
    const stream = client.open();
    stream.say('hello');
    await stream.until('checkpoint');
    await new Promise((resolve) => setImmediate(resolve));
    const beats = () => stream.frames.filter(({ message }) => isHeartbeat(message)).length;
    timers.advance(4_000);
    expect(beats()).toBe(0);
    for (const expected of [1, 2, 3]) {
      timers.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
      expect(beats()).toBe(expected);
    }
    goOn();
    await stream.ended;
    timers.advance(60_000);
    expect(beats()).toBe(3);
  });
});

describe('errors', () => {
  it('of the first message say what is wrong', async () => {
    const { client } = createTestSet();
    const garbage = client.open();
    garbage.channel.push(new Uint8Array([0xff, 0xff, 0xff]));
    expect(await garbage.ended).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('3 bytes is not an agent.v1.AgentClientMessage'),
    });
    const exec = client.open();
    exec.write({ case: 'execClientMessage', value: { id: 1 } });
    expect(await exec.ended).toMatchObject({ message: expect.stringContaining('begins with a run_request') });
    const nothing = client.open();
    nothing.channel.halfClose();
    expect(await nothing.ended).toMatchObject({ code: 'invalid-request' });
    const broken = client.open();
    broken.channel.fault(new GatewayError('too-large', 'A frame of 80 MiB.'));
    expect(await broken.ended).toMatchObject({ code: 'too-large' });
    const actionless = client.open();
    actionless.run({ case: undefined });
    expect(await actionless.ended).toMatchObject({ message: expect.stringContaining('names no action') });
    const empty = client.open();
    empty.run({ case: 'userMessageAction', value: {} });
    expect(await empty.ended).toMatchObject({ message: expect.stringContaining('holds no message') });
    expect(await (await client.send('')).ended).toMatchObject({
      message: expect.stringContaining('message is empty'),
    });
  });

  it('of a run end the stream, with what was said before still said', async () => {
    const error = new GatewayError('rate-limited', 'Slow down.');
    const { client } = createTestSet(async function* () {
      yield { type: 'turn-events', events: [{ type: 'text-delta', id: 't', text: 'Well' }] };
      yield { type: 'run-error', error, usage: USAGE };
    });
    const stream = await client.send('hello');
    expect(await stream.ended).toBe(error);
    expect(stream.text).toBe('Well');
    expect(stream.kinds).not.toContain('turnEnded');
  });

  it('are written as Connect errors with details', () => {
    const front = createCursorAgentFront(new ScriptedHost());
    expect(front.encodeError(new GatewayError('unauthenticated', 'No key.'))).toMatchObject({
      code: 'unauthenticated',
      details: [{ type: 'aiserver.v1.ErrorDetails' }],
    });
    expect(front.streams.map(({ path, form }) => `${path} ${form}`)).toEqual([
      '/agent.v1.AgentService/Run bidi',
      '/agent.v1.AgentService/RunSSE appended',
    ]);
  });

  it('a limit or a guard ends the turn in words', async () => {
    const { client } = createTestSet(async function* () {
      yield { type: 'step-start', step: 1, mode: 'agent' };
      yield { type: 'step-end', step: 1, messages: [answer('Half')], usage: USAGE };
      yield { type: 'run-end', reason: 'step-limit', usage: USAGE, explanation: 'Stopped after 200 steps.' };
    });
    const stream = await client.send('hello');
    expect(await stream.ended).toBeUndefined();
    expect(stream.text).toContain('Stopped after 200 steps.');
    expect(stream.kinds.at(-1)).toBe('turnEnded');
  });
});

function isHeartbeat(message: { case: string | undefined; value?: unknown }): boolean {
  const value = message.value as { message?: { case?: string } } | undefined; // only looked at
  return message.case === 'interactionUpdate' && value?.message?.case === 'heartbeat';
}
