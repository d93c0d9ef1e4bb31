import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { GatewayError, userMessage } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import {
  ConversationMessage_MessageType as MessageType,
  StreamUnifiedChatRequestSchema,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import { StreamUnifiedChatResponseSchema } from '../../gen/aiserver/v1/chat_response_pb.ts';
import { ManualTimers } from '../cursor-agent/fixtures/manual-timers.ts';
import { type RequestInit, testContext } from './fixtures/chat-client.ts';
import { MemoryChannel } from './fixtures/memory-channel.ts';
import { type HostScript, NO_USAGE, ScriptedHost } from './fixtures/scripted-host.ts';
import { HELLO, startChat, TOOLS } from './fixtures/start-chat.ts';
import { createCursorAiserverFront } from './index.ts';

const { messages } = numberedTools;

function start(script: Omit<HostScript, 'messages'>, request?: RequestInit) {
  const timers = new ManualTimers();
  return { timers, ...startChat({ messages, ...script }, { timers }, request) };
}

describe('an answer without tools', () => {
  it('starts at once, streams text and ends', async () => {
    const { client, host } = start({ steps: [{ text: 'Hi there' }] });
    await client.done;
    expect(client.kinds).toEqual(['streamStart', 'usageUuid', 'text']);
    expect(client.text).toBe('Hi there');
    expect(host.runs[0]?.task).toMatchObject({ model: 'demo/demo', mode: 'agent', session: 'c1' });
  });

  it('streams thinking, and its signature in the chunk that is last', async () => {
    const { client } = start({
      steps: [
        {
          events: [
            { type: 'reasoning-start', id: 'r', form: 'raw' },
            { type: 'reasoning-delta', id: 'r', text: 'Hm' },
            { type: 'reasoning-delta', id: 'r', text: 'm.' },
            { type: 'reasoning-end', id: 'r', signature: 'proof' },
            { type: 'reasoning-start', id: 's', form: 'redacted' },
            { type: 'reasoning-end', id: 's', encrypted: 'sealed' },
          ],
          text: 'So.',
        },
      ],
    });
    await client.done;
    const thoughts = client.messages.flatMap(({ response }) =>
      response.case === 'streamUnifiedChatResponse' && response.value.thinking
        ? [response.value.thinking]
        : [],
    );
    expect(thoughts).toMatchObject([
      { text: 'Hmm.', signature: '', isLastThinkingChunk: false },
      { text: '', signature: 'proof', isLastThinkingChunk: true },
      { text: '', redactedThinking: 'sealed', isLastThinkingChunk: true },
    ]);
  });

  it('says how full the context is after each step', async () => {
    const usage = { inputTokens: 200, outputTokens: 50, totalTokens: 250 };
    const { client } = start({ steps: [{ text: 'x', usage }] });
    await client.done;
    const last = client.messages.at(-1)?.response;
    expect(last?.case === 'streamUnifiedChatResponse' && last.value.contextWindowStatus).toMatchObject({
      percentageRemaining: 75,
      tokensUsed: 250,
      tokenLimit: 1000,
    });
  });

  it('tells of a compaction, and from which bubble on the client must send', async () => {
    const request: RequestInit = {
      ...HELLO,
      conversation: [
        { type: MessageType.HUMAN, text: 'One', bubbleId: 'b1' },
        { type: MessageType.AI, text: 'Two', bubbleId: 'b2' },
        { type: MessageType.HUMAN, text: 'Three', bubbleId: 'b3' },
      ],
    };
    const kept = { role: 'user' as const, content: [], id: 'b3' };
    const standIn = userMessage('<summary>One and two.</summary>');
    const { client } = start(
      {
        steps: [
          {
            before: [
              { type: 'compaction-start', contextTokens: 900 },
              { type: 'compaction-end', summary: 'One and two.', messages: [standIn, kept] },
            ],
            text: 'Four',
          },
        ],
      },
      request,
    );
    await client.done;
    expect(client.kinds).toEqual([
      'streamStart',
      'usageUuid',
      'serviceStatusUpdate',
      'conversationSummary',
      'text',
    ]);
    expect(client.messages[3]?.response.value).toMatchObject({
      summary: 'One and two.',
      truncationLastBubbleIdInclusive: 'b2',
      clientShouldStartSendingFromInclusiveBubbleId: 'b3',
    });
  });

  it('says in words why a run stopped that the model did not end', async () => {
    const { client } = start({
      steps: [{ text: 'Working' }],
      end: { type: 'run-end', reason: 'step-limit', usage: NO_USAGE },
    });
    await client.done;
    expect(client.text).toBe('Working\n\n[The run stopped: the limit of steps was reached.]');
    expect(client.kinds.at(-1)).toBe('serviceStatusUpdate');
  });

  it('ends with the error of the run', async () => {
    const error = new GatewayError('rate-limited', 'Wait a minute.');
    const { client, front } = start({ end: { type: 'run-error', error, usage: NO_USAGE } });
    await expect(client.done).rejects.toBe(error);
    expect(front.encodeError(error)).toMatchObject({ code: 'resource_exhausted', message: 'Wait a minute.' });
  });
});

describe('the other calls', () => {
  it('StreamUnifiedChat answers bare messages and offers no tools', async () => {
    const host = new ScriptedHost({ messages, tools: TOOLS, steps: [{ text: 'Plain.' }] });
    const front = createCursorAiserverFront(host, { timers: new ManualTimers() });
    const method = front.streams.find(({ path }) => path.endsWith('/StreamUnifiedChat'));
    const channel = new MemoryChannel();
    channel.push(toBinary(StreamUnifiedChatRequestSchema, create(StreamUnifiedChatRequestSchema, HELLO)));
    channel.close();
    await method?.open(channel, testContext());
    const answers = channel.sent.map((bytes) => fromBinary(StreamUnifiedChatResponseSchema, bytes));
    expect(answers.map(({ text }) => text).join('')).toBe('Plain.');
    expect(host.listed).toEqual([[]]);
  });

  it('WarmStreamUnifiedChatWithTools answers an empty message', async () => {
    const front = createCursorAiserverFront(new ScriptedHost({ messages }));
    const warm = front.unary.find(({ path }) => path.endsWith('/WarmStreamUnifiedChatWithTools'));
    expect(await warm?.handle(create(warm.input), testContext())).toEqual({});
  });

  it('GetConversationSummary answers what a model made of the conversation', async () => {
    const content = [{ type: 'text' as const, text: 'They greeted.' }];
    const summary = { content, finishReason: 'stop' as const, warnings: [], opaque: [] };
    const front = createCursorAiserverFront(new ScriptedHost({ messages, summary }));
    const method = front.unary.find(({ path }) => path.endsWith('/GetConversationSummary'));
    const request = create(StreamUnifiedChatRequestSchema, HELLO);
    expect(await method?.handle(request, testContext())).toMatchObject({
      summary: 'They greeted.',
      truncationLastBubbleIdInclusive: 'b1',
    });
  });
});
