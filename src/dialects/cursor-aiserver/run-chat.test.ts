import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import { encodeClientSideResult } from '../../tools/codecs/index.ts';
import { succeed } from '../../tools/tool-outcome.ts';
import { ManualTimers, settle } from '../cursor-agent/fixtures/manual-timers.ts';
import { ChatClient, type RequestInit, testContext } from './fixtures/chat-client.ts';
import { MemoryChannel } from './fixtures/memory-channel.ts';
import { type HostScript, ScriptedHost } from './fixtures/scripted-host.ts';
import { startChat } from './fixtures/start-chat.ts';
import { createCursorAiserverFront } from './index.ts';

const { messages } = numberedTools;

function start(script: Omit<HostScript, 'messages'>, request?: RequestInit) {
  const timers = new ManualTimers();
  return { timers, ...startChat({ messages, ...script }, { timers }, request) };
}

function read(callId: string, content: string) {
  return encodeClientSideResult({ callId, name: 'read_file', number: 40, outcome: succeed(content) }).message;
}

describe('a client', () => {
  it('that goes away ends the run', async () => {
    const { client, host } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] }],
    });
    await client.nextCall();
    client.channel.cut();
    await client.done;
    expect(host.runs[0]?.signal.aborted).toBe(true);
  });

  it('that has closed its side gets the calls of the round and a good ending', async () => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'read_file', args: { path: id } }));
    const { client, host } = start({ steps: [{ calls }, { text: 'never' }] });
    client.channel.close();
    await client.done;
    expect(client.kinds.filter((kind) => kind === 'clientSideToolV2Call')).toHaveLength(2);
    expect(client.text).toBe('');
    expect(host.runs[0]?.signal.aborted).toBe(true);
  });

  it('that closes its side while calls are out gets each of them once', async () => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'read_file', args: { path: id } }));
    const { client } = start({ steps: [{ calls }, { text: 'never' }] });
    await client.nextCall();
    client.channel.close();
    await client.done;
    expect(client.kinds.filter((kind) => kind === 'clientSideToolV2Call')).toHaveLength(2);
    expect(client.text).toBe('');
  });

  it('that closes its side behind its last result gets the whole answer', async () => {
    const { client } = start({
      steps: [{ calls: [{ id: 'a', name: 'read_file', args: { path: 'a' } }] }, { text: 'All read.' }],
    });
    await client.nextCall();
    client.answer(read('a', 'text'));
    client.channel.close();
    await client.done;
    expect(client.text).toBe('All read.');
  });

  it('hears something every ten seconds of silence', async () => {
    const { client, timers } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] }],
    });
    await client.nextCall();
    await settle();
    const before = client.kinds.length;
    await timers.advance(25_000);
    expect(client.kinds.slice(before)).toEqual(['nothing', 'nothing']);
    client.answer(read('1', 'ok'));
    await client.done;
    expect(timers.waiting).toBe(0);
  });

  it('that begins with a result, with nothing or with garbage is told so', async () => {
    const front = createCursorAiserverFront(new ScriptedHost({ messages }), { timers: new ManualTimers() });
    const results = new ChatClient(front);
    results.answer(read('1', 'ok'));
    await expect(results.done).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('stream_unified_chat_request'),
    });
    const silent = new ChatClient(front);
    silent.channel.close();
    await expect(silent.done).rejects.toMatchObject({ code: 'invalid-request' });
    const garbage = new ChatClient(front);
    garbage.channel.push(new Uint8Array([0xff, 0xff, 0xff]));
    await expect(garbage.done).rejects.toMatchObject({ code: 'invalid-request' });
  });

  it('that opens a stream and sends no request is not waited for without end', async () => {
    const timers = new ManualTimers();
    const front = createCursorAiserverFront(new ScriptedHost({ messages }), { timers });
    const client = new ChatClient(front);
    await timers.advance(60_001);
    await expect(client.done).rejects.toMatchObject({ code: 'deadline-exceeded' });
  });

  it('whose frames break in mid-run is told so, and the run ends', async () => {
    const { client, host } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] }],
    });
    await client.nextCall();
    client.channel.push(new GatewayError('invalid-request', 'A frame is broken.'));
    await expect(client.done).rejects.toMatchObject({ message: 'A frame is broken.' });
    expect(host.runs[0]?.signal.aborted).toBe(true);
  });

  it('that opens a lost stream again is told what to do instead', async () => {
    const front = createCursorAiserverFront(new ScriptedHost({ messages }), { timers: new ManualTimers() });
    const method = front.streams.find(({ path }) => path.endsWith('WithToolsSSE'));
    const channel = new MemoryChannel();
    channel.isRepeated = true;
    await expect(method?.open(channel, testContext())).rejects.toMatchObject({
      code: 'conflict',
      retryable: false,
      message: expect.stringContaining('new request id'),
    });
  });

  it('without words for the model gets a clear error', async () => {
    const { client } = start({}, { conversation: [] });
    await expect(client.done).rejects.toMatchObject({
      code: 'invalid-request',
      detail: { param: 'conversation' },
    });
  });
});
