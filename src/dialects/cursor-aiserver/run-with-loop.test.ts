import { describe, expect, it } from 'vitest';
import { type Script, ScriptedModel } from '../../agent/fixtures/scripted-model.ts';
import { runAgent } from '../../agent/index.ts';
import { countingIds, textOf } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import { ConversationMessage_MessageType as MessageType } from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { ClientSideToolV2Call } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { decodeClientSideCall, encodeClientSideResult } from '../../tools/codecs/index.ts';
import { succeed } from '../../tools/tool-outcome.ts';
import { ManualTimers, settle } from '../cursor-agent/fixtures/manual-timers.ts';
import type { AiserverRun } from './aiserver-host.ts';
import { ChatClient, type RequestInit } from './fixtures/chat-client.ts';
import { ScriptedHost } from './fixtures/scripted-host.ts';
import { createCursorAiserverFront } from './index.ts';

const { messages } = numberedTools;

/** The real loop over a scripted model. */
class LoopHost extends ScriptedHost {
  readonly model: ScriptedModel;

  constructor(script: Script) {
    const read = {
      definition: { kind: 'function' as const, name: 'read_file' },
      number: 40,
      name: 'read_file',
    };
    super({ messages, tools: [{ ...read, parallel: 'any', isReadOnly: true }] });
    this.model = new ScriptedModel(script);
  }

  override runAgent(run: AiserverRun) {
    this.runs.push(run);
    const { task, tools, signal } = run;
    const options = { task, tools, signal, model: this.model, nowMs: () => 0, newId: countingIds() };
    return runAgent(options) as ReturnType<ScriptedHost['runAgent']>; // the base class names a generator
  }
}

const HELLO: RequestInit = {
  conversation: [{ type: MessageType.HUMAN, text: 'Compare a and b', bubbleId: 'b1' }],
  supportedTools: [40],
  isAgentic: true,
};

const compare: Script = (request) => {
  const results = request.messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? [textOf(part.content)] : [])),
  );
  if (results.length >= 2) return { text: `Same: ${results.join(' | ')}` };
  const calls = ['a', 'b'].map((path, index) => ({
    id: `c${index}`,
    name: 'read_file',
    args: `{"path":"${path}"}`,
  }));
  return { reasoning: 'Read both.', text: 'Reading.', calls };
};

function start(script: Script, request = HELLO) {
  const host = new LoopHost(script);
  const client = new ChatClient(createCursorAiserverFront(host, { timers: new ManualTimers() }));
  client.ask(request);
  return { host, client };
}

function answerTo(call: ClientSideToolV2Call) {
  const path = String(decodeClientSideCall(call).args.path);
  const outcome = succeed(`contents of ${path}`);
  return encodeClientSideResult({ callId: call.toolCallId, name: 'read_file', number: 40, outcome }).message;
}

describe('the front with the real loop', () => {
  it('runs a round of parallel calls on the client and ends with the model’s answer', async () => {
    const { client, host } = start(compare);
    const calls = [await client.nextCall(), await client.nextCall()];
    for (const call of calls.reverse()) client.answer(answerTo(call));
    await client.done;
    expect(client.text).toMatch(/^Reading\.Same: .*contents of a.* \| .*contents of b/s);
    expect(client.kinds).toEqual([
      'streamStart',
      'usageUuid',
      'thinking',
      'thinking',
      'text',
      'partialToolCall',
      'partialToolCall',
      'clientSideToolV2Call',
      'clientSideToolV2Call',
      'toolCallV2',
      'toolCallV2',
      'parallelToolCallsComplete',
      'contextWindowStatus',
      'text',
      'contextWindowStatus',
    ]);
    expect(host.model.requests).toHaveLength(2);
  });

  it('gives a client that brings results in its next request the same answer', async () => {
    const { client } = start(compare);
    client.channel.close();
    await client.done;
    const calls = client.messages.flatMap(({ response }) =>
      response.case === 'clientSideToolV2Call' ? [response.value] : [],
    );
    expect(calls).toHaveLength(2);
    const toolResults = calls.map((toolCall) => ({
      toolCallId: toolCall.toolCallId,
      toolName: toolCall.name,
      rawArgs: toolCall.rawArgs,
      toolCall,
      result: answerTo(toolCall),
      ...(toolCall.modelCallId === undefined ? {} : { modelCallId: toolCall.modelCallId }),
    }));
    const next = start(compare, {
      ...HELLO,
      conversation: [
        { type: MessageType.HUMAN, text: 'Compare a and b', bubbleId: 'b1' },
        { type: MessageType.AI, text: client.text, bubbleId: 'b2' },
        ...toolResults.map((result, index) => ({
          type: MessageType.AI,
          bubbleId: `b${3 + index}`,
          toolResults: [result],
        })),
      ],
    });
    await next.client.done;
    expect(next.client.text).toContain('Same: ');
    expect(next.host.model.requests).toHaveLength(1);
    const roles = next.host.runs[0]?.task.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'tool']);
  });

  it('runs open calls again when the client says that it resumes', async () => {
    const { client } = start(compare, {
      ...HELLO,
      isResume: true,
      conversation: [
        { type: MessageType.HUMAN, text: 'Compare a and b' },
        {
          type: MessageType.AI,
          toolResults: ['a', 'b'].map((path) => ({
            toolCallId: `call_${path}\nfc`,
            toolName: 'read_file',
            rawArgs: `{"path":"${path}"}`,
          })),
        },
      ],
    });
    const calls = [await client.nextCall(), await client.nextCall()];
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(['call_a\nfc', 'call_b\nfc']);
    for (const call of calls) client.answer(answerTo(call));
    await client.done;
    expect(client.text).toContain('Same: ');
  });

  it('tells the model of a tool that nobody has, and goes on', async () => {
    const { client } = start((_request, turn) =>
      turn === 0 ? { calls: [{ name: 'no_such_tool' }] } : { text: 'Sorry.' },
    );
    await client.done;
    expect(client.kinds).not.toContain('clientSideToolV2Call');
    expect(client.text).toBe('Sorry.');
  });

  it('stops the model when the client goes away, after any message', async () => {
    const whole = start(compare);
    for (const call of [await whole.client.nextCall(), await whole.client.nextCall()])
      whole.client.answer(answerTo(call));
    await whole.client.done;
    const count = whole.client.channel.sent.length;
    for (let after = 1; after < count; after++) {
      const { client, host } = start(compare);
      const answered = new Set<string>();
      while (client.channel.sent.length < after) {
        await settle();
        for (const { response } of client.messages) {
          if (response.case !== 'clientSideToolV2Call' || answered.has(response.value.toolCallId)) continue;
          answered.add(response.value.toolCallId);
          client.answer(answerTo(response.value));
        }
      }
      client.channel.cut();
      await client.done;
      expect(host.runs[0]?.signal.aborted).toBe(true);
      expect(host.model.live).toBe(0);
    }
  });
});
