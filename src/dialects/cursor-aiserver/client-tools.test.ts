import { fromJson } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { numberedTools } from '../../gateway/native-tools.ts';
import { ClientSideToolV2ResultSchema } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { encodeClientSideResult } from '../../tools/codecs/index.ts';
import { fail, succeed } from '../../tools/tool-outcome.ts';
import { ManualTimers, settle } from '../cursor-agent/fixtures/manual-timers.ts';
import { ChatClient, type RequestInit } from './fixtures/chat-client.ts';
import { type HostScript, ScriptedHost } from './fixtures/scripted-host.ts';
import { HELLO, offeredTool, startChat, TOOLS } from './fixtures/start-chat.ts';
import { createCursorAiserverFront } from './index.ts';

const { messages } = numberedTools;

function start(script: Omit<HostScript, 'messages'>, request?: RequestInit) {
  const timers = new ManualTimers();
  return { timers, ...startChat({ messages, ...script }, { timers }, request) };
}

function read(callId: string, content: string) {
  return encodeClientSideResult({ callId, name: 'read_file', number: 40, outcome: succeed(content) }).message;
}

describe('a call', () => {
  it('is announced, sent to be run, shown, and answered by its id', async () => {
    const { client, host } = start({
      steps: [
        {
          text: 'Let me see.',
          calls: [{ id: 'call_1', name: 'read_file', args: { path: 'a.txt', limit: 5 } }],
        },
        { text: 'Done.' },
      ],
    });
    const call = await client.nextCall();
    expect(call).toMatchObject({
      tool: 40,
      toolCallId: 'call_1',
      name: 'read_file',
      rawArgs: '{"path":"a.txt","limit":5}',
      isStreaming: false,
      toolIndex: 1,
      timeoutMs: 60_000,
      params: { case: 'readFileV2Params', value: { targetFile: 'a.txt', limit: 5 } },
    });
    client.answer(read('call_1', 'contents'));
    await client.done;
    expect(client.kinds).toEqual([
      'streamStart',
      'usageUuid',
      'text',
      'partialToolCall',
      'clientSideToolV2Call',
      'toolCallV2',
      'text',
    ]);
    expect(host.results[0]?.isError).toBeUndefined();
    expect(host.results[0]?.content[0]).toMatchObject({
      type: 'text',
      text: expect.stringContaining('contents'),
    });
  });

  it('keeps an id with a line break, whether the client echoes all of it or its first line', async () => {
    for (const echoed of ['call_1\nfc_2', 'call_1']) {
      const { client, host } = start({
        steps: [{ calls: [{ id: 'call_1\nfc_2', name: 'read_file', args: { path: 'a' } }] }],
      });
      expect((await client.nextCall()).toolCallId).toBe('call_1\nfc_2');
      client.answer(read(echoed, 'ok'));
      await client.done;
      expect(host.results).toHaveLength(1);
    }
  });

  it('of a parallel batch is answered in any order, and the batch is closed', async () => {
    const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'read_file', args: { path: id } }));
    const { client, host } = start({ steps: [{ calls }, { text: 'ok' }] });
    const sent = [await client.nextCall(), await client.nextCall(), await client.nextCall()];
    expect(sent.map(({ toolCallId, toolIndex }) => [toolCallId, toolIndex])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    expect(new Set(sent.map(({ modelCallId }) => modelCallId)).size).toBe(1);
    for (const id of ['c', 'a', 'b']) client.answer(read(id, `text ${id}`));
    await client.done;
    expect(host.results.map(({ content }) => content[0])).toMatchObject([
      { text: expect.stringContaining('text a') },
      { text: expect.stringContaining('text b') },
      { text: expect.stringContaining('text c') },
    ]);
    expect(client.kinds.filter((kind) => kind === 'parallelToolCallsComplete')).toHaveLength(1);
    expect(client.kinds.at(-1)).toBe('text');
  });

  it('that failed or was refused by the user is an error the model reads', async () => {
    const { client, host } = start({
      steps: [{ calls: [{ id: '1', name: 'run_terminal_command', args: { command: 'rm x' } }] }],
    });
    await client.nextCall();
    const outcome = fail('DENIED', 'The user said no.');
    client.answer(
      encodeClientSideResult({ callId: '1', name: 'run_terminal_command', number: 15, outcome }).message,
    );
    await client.done;
    expect(host.results).toMatchObject([
      { isError: true, content: [{ text: expect.stringContaining('no') }] },
    ]);
  });

  it('ignores results of calls that nobody made, and a second one of the same call', async () => {
    const { client, host } = start({
      steps: [
        { calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] },
        { calls: [{ id: '2', name: 'read_file', args: { path: 'b' } }] },
      ],
    });
    await client.nextCall();
    client.answer(read('zzz', 'stray'));
    client.answer(read('1', 'first'));
    client.answer(read('1', 'again'));
    await client.nextCall();
    client.answer(read('2', 'second'));
    await client.done;
    expect(host.results).toHaveLength(2);
    expect(JSON.stringify(host.results)).not.toMatch(/stray|again/);
    expect(client.context.drift).toEqual([
      'ClientSideToolV2Result without a call',
      'ClientSideToolV2Result without a call',
    ]);
  });

  it('that the client never answers ends in words, and the run goes on', async () => {
    const { client, host, timers } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] }, { text: 'Too bad.' }],
    });
    await client.nextCall();
    await timers.advance(89_999);
    expect(host.results).toEqual([]);
    await timers.advance(2);
    await client.done;
    expect(host.results).toMatchObject([{ isError: true }]);
    expect(JSON.stringify(host.results)).toContain('did not answer');
    expect(client.text).toBe('Too bad.');
  });

  it('that asks a person has no time limit', async () => {
    const args = { questions: [{ id: 'q', prompt: 'Why?', options: [] }] };
    const { client, host, timers } = start({ steps: [{ calls: [{ id: '1', name: 'ask_question', args }] }] });
    expect((await client.nextCall()).timeoutMs).toBeUndefined();
    await timers.advance(24 * 3_600_000);
    expect(host.results).toEqual([]);
    client.channel.cut();
    await settle();
    await client.done;
  });

  it('whose arguments are wrong is not sent, and its picture is closed with the reason', async () => {
    const { client, host } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: '[1]' }] }],
    });
    await client.done;
    expect(client.kinds).toEqual(['streamStart', 'usageUuid', 'partialToolCall', 'toolCallV2']);
    expect(host.results).toMatchObject([
      { isError: true, content: [{ text: 'read_file takes one JSON object.' }] },
    ]);
    const shown = client.messages.at(-1)?.response;
    expect(shown?.case === 'streamUnifiedChatResponse' && shown.value.toolCallV2?.error).toMatchObject({
      clientVisibleErrorMessage: expect.stringContaining('read_file takes one JSON object.'),
    });
  });

  it('whose arguments have no place in its message is not sent', async () => {
    const patch = '*** Begin Patch\n*** Delete File: a\n*** End Patch';
    const offered = [...TOOLS, offeredTool('apply_patch', 38)];
    const { client, host } = start({
      tools: offered,
      steps: [{ calls: [{ id: '1', name: 'apply_patch', args: { patch } }] }],
    });
    await client.done;
    expect(client.kinds).toEqual(['streamStart', 'usageUuid', 'partialToolCall', 'toolCallV2']);
    expect(host.results).toMatchObject([{ isError: true }]);
    expect(JSON.stringify(host.results)).toContain('no way to be told patch of apply_patch');
  });

  it('that switches the mode tells the loop, when the user agreed', async () => {
    const args = { target_mode_id: 'agent' };
    for (const userApproved of [true, false]) {
      const { client, host } = start({ steps: [{ calls: [{ id: '1', name: 'switch_mode', args }] }] });
      const call = await client.nextCall();
      const result = encodeClientSideResult({
        callId: call.toolCallId,
        name: 'switch_mode',
        number: 52,
        outcome: succeed('ok'),
      }).message;
      result.result = {
        case: 'switchModeResult',
        value: {
          $typeName: 'aiserver.v1.SwitchModeResult',
          fromModeId: 'plan',
          toModeId: 'agent',
          userApproved,
          autoApproved: false,
        },
      };
      client.answer(result);
      await client.done;
      expect(host.results[0]?.mode).toBe(userApproved ? 'agent' : undefined);
    }
  });
});

describe('a result', () => {
  it.each([
    ['ask_question', { tool: 51, askQuestionResult: { isAsync: true } }, true],
    ['ask_question', { tool: 51, askQuestionResult: { answers: [] } }, undefined],
    ['create_plan', { tool: 43, createPlanResult: { rejected: {} } }, true],
    ['create_plan', { tool: 43, createPlanResult: { accepted: {} } }, undefined],
    ['edit_file', { tool: 7, editFileResult: { humanReview: { stopAndGetNewUserInput: true } } }, true],
    ['edit_file', { tool: 7, editFileResult: { isApplied: true } }, undefined],
  ])('of %s that is %o rests the run: %s', async (name, result, endsRun) => {
    const { client, host } = start(
      {
        tools: [offeredTool(name, result.tool)],
        steps: [{ calls: [{ id: '1', name, args: {} }] }],
      },
      { ...HELLO, supportedTools: [51, 43, 7] },
    );
    await client.nextCall();
    client.answer(fromJson(ClientSideToolV2ResultSchema, { ...result, toolCallId: '1' }));
    await client.done;
    expect(host.results[0]?.endsRun).toBe(endsRun);
  });

  it('without an id belongs to the only open call of its tool', async () => {
    const { client, host } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] }],
    });
    await client.nextCall();
    client.answer(read('', 'found'));
    await client.done;
    expect(JSON.stringify(host.results)).toContain('found');
  });

  it('without an id belongs to nobody when two calls of its tool are open', async () => {
    const calls = ['1', '2'].map((id) => ({ id, name: 'read_file', args: { path: id } }));
    const { client, host } = start({ steps: [{ calls }] });
    await client.nextCall();
    await client.nextCall();
    client.answer(read('', 'whose?'));
    client.answer(read('1', 'one'));
    client.answer(read('2', 'two'));
    await client.done;
    expect(JSON.stringify(host.results)).not.toContain('whose?');
    expect(client.context.drift).toHaveLength(1);
  });

  it('that cannot be read is shown to the model as it is, and counted', async () => {
    const { client, host } = start({
      steps: [{ calls: [{ id: '1', name: 'read_file', args: { path: 'a' } }] }],
    });
    await client.nextCall();
    client.answer(fromJson(ClientSideToolV2ResultSchema, { tool: 999, toolCallId: '1' }));
    await client.done;
    expect(JSON.stringify(host.results)).toContain('999');
    expect(client.context.drift).toEqual([
      'ClientSideToolV2Result of another tool',
      'ClientSideToolV2Result 999',
    ]);
  });
});

describe('a call of a tool that is streamed', () => {
  const contents = 'x'.repeat(5000);

  it('is repeated with all of the text so far, and the last repeat is whole', async () => {
    const { client } = start({
      steps: [
        { calls: [{ id: '1', name: 'write', args: { path: 'a.txt', contents } }], pieceCharacters: 100 },
      ],
    });
    const last = await client.nextCall();
    const repeats = client.messages.flatMap(({ response }) =>
      response.case === 'clientSideToolV2Call' ? [response.value] : [],
    );
    const whole = JSON.stringify({ path: 'a.txt', contents });
    expect(repeats.length).toBeGreaterThan(5);
    for (const [index, { rawArgs, isStreaming, isLastMessage }] of repeats.entries()) {
      expect(whole.startsWith(rawArgs)).toBe(true);
      expect(rawArgs.length).toBeGreaterThan(repeats[index - 1]?.rawArgs.length ?? 0);
      expect(isStreaming).toBe(true);
      expect(isLastMessage).toBe(index === repeats.length - 1);
    }
    expect(last.params).toMatchObject({
      case: 'editFileV2Params',
      value: { relativeWorkspacePath: 'a.txt', contentsAfterEdit: contents },
    });
    const bytes = repeats.reduce((sum, { rawArgs }) => sum + rawArgs.length, 0);
    expect(bytes).toBeLessThan(10 * whole.length);
    client.channel.cut();
  });

  it('is one message when the front is told not to stream calls', async () => {
    const steps = [
      { calls: [{ id: '1', name: 'write', args: { path: 'a.txt', contents } }], pieceCharacters: 100 },
    ];
    const host = new ScriptedHost({ messages, tools: TOOLS, steps });
    const options = { timers: new ManualTimers(), streamsCalls: false };
    const client = new ChatClient(createCursorAiserverFront(host, options));
    client.ask(HELLO);
    expect(await client.nextCall()).toMatchObject({ isStreaming: false, isLastMessage: false });
    expect(client.kinds.filter((kind) => kind === 'clientSideToolV2Call')).toHaveLength(1);
    client.channel.cut();
  });

  it('is one message for a tool that clients do not stream', async () => {
    const { client } = start({
      steps: [
        {
          calls: [{ id: '1', name: 'run_terminal_command', args: { command: `echo ${contents}` } }],
          pieceCharacters: 100,
        },
      ],
    });
    expect((await client.nextCall()).isStreaming).toBe(false);
    expect(client.kinds.filter((kind) => kind === 'clientSideToolV2Call')).toHaveLength(1);
    client.channel.cut();
  });
});
