import { create, fromJson, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import {
  ConversationMessage_MessageType as MessageType,
  StreamUnifiedChatRequestSchema,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import {
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { encodeClientSideCall, encodeClientSideResult } from '../../tools/codecs/index.ts';
import { fail, succeed } from '../../tools/tool-outcome.ts';
import { decodeConversation } from './decode-conversation.ts';
import { HistoryIds } from './history-ids.ts';
import { sealThought } from './thought-seal.ts';

type RequestInit = MessageInitShape<typeof StreamUnifiedChatRequestSchema>;

const { messages } = numberedTools;

const HUMAN = MessageType.HUMAN;
const AI = MessageType.AI;
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);

function decode(request: RequestInit) {
  const drift: string[] = [];
  const codec = { messages, ids: new HistoryIds(), onDrift: (kind: string) => drift.push(kind) };
  return { messages: decodeConversation(create(StreamUnifiedChatRequestSchema, request), codec), drift };
}

function conversation(bubbles: RequestInit['conversation'], more: RequestInit = {}): readonly Message[] {
  return decode({ conversation: bubbles ?? [], ...more }).messages;
}

/** A finished call as clients keep it. */
function finished(id: string, content: string, modelCallId?: string) {
  const identity = { callId: id, name: 'read_file', number: 40, ...(modelCallId ? { modelCallId } : {}) };
  return {
    toolCallId: id,
    toolName: 'read_file',
    toolIndex: 1,
    rawArgs: '{"path": "a.txt"}',
    ...(modelCallId ? { modelCallId } : {}),
    result: encodeClientSideResult({ ...identity, outcome: succeed(content) }).message,
    toolCall: encodeClientSideCall({ ...identity, args: { path: 'a.txt' } }).message,
  };
}

describe('the history', () => {
  it('keeps calls of one model turn together, and calls of different turns apart', () => {
    const parts = conversation([
      { type: HUMAN, text: 'Go' },
      { type: AI, text: 'Reading two.', bubbleId: 'a' },
      { type: AI, toolResults: [finished('1', 'one', 'm1')], bubbleId: 'b' },
      { type: AI, toolResults: [finished('2', 'two', 'm1')], bubbleId: 'c' },
      { type: AI, toolResults: [finished('3', 'three', 'm2')], bubbleId: 'd' },
      { type: AI, toolResults: [finished('4', 'four')], bubbleId: 'e' },
      { type: AI, text: 'Done.' },
      { type: HUMAN, text: 'More' },
    ]);
    expect(parts.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['text', 'tool-call', 'tool-call']],
      ['tool', ['tool-result', 'tool-result']],
      ['assistant', ['tool-call']],
      ['tool', ['tool-result']],
      ['assistant', ['tool-call']],
      ['tool', ['tool-result']],
      ['assistant', ['text']],
      ['user', ['text']],
    ]);
    expect(parts[1]?.id).toBe('a');
  });

  it('takes a result from its typed form, from its text and from its error', () => {
    const failed = encodeClientSideResult({
      callId: 'c',
      name: 'read_file',
      number: 40,
      outcome: fail('ENOENT', 'No such file.'),
    }).message;
    const [, , tool] = conversation([
      { type: HUMAN, text: 'Go' },
      {
        type: AI,
        toolResults: [
          finished('a', 'typed'),
          { toolCallId: 'b', toolName: 'old', args: '{"x":1}', content: 'plain', images: [{ data: PNG }] },
          { toolCallId: 'c', toolName: 'read_file', result: failed },
          { toolCallId: 'd', toolName: 'x', error: { modelVisibleErrorMessage: 'Broken.' } },
        ],
      },
    ]);
    const results = tool?.content.map((part) => (part.type === 'tool-result' ? part : undefined));
    expect(results).toMatchObject([
      { content: [{ text: expect.stringContaining('typed') }] },
      { content: [{ text: 'plain' }, { type: 'image', source: { mediaType: 'image/png' } }] },
      { content: [{ text: expect.stringContaining('No such file.') }], isError: true },
      { content: [{ text: 'Broken.' }], isError: true },
    ]);
  });

  it('shows a result of a number that nobody knows as it is, and counts it', () => {
    const { messages: decoded, drift } = decode({
      conversation: [
        { type: HUMAN, text: 'Go' },
        {
          type: AI,
          toolResults: [
            {
              toolCallId: 'a',
              toolName: 'new_tool',
              rawArgs: 'no json',
              result: fromJson(ClientSideToolV2ResultSchema, {
                tool: 999,
                reapplyResult: { isApplied: true },
              }),
              toolCall: fromJson(ClientSideToolV2CallSchema, { tool: 999 }),
            },
          ],
        },
      ],
    });
    expect(decoded[1]?.content).toMatchObject([{ name: 'new_tool', argumentsText: '{}' }]);
    expect(decoded[2]?.role).toBe('tool');
    expect(drift).toContain('ClientSideToolV2 999');
  });

  it('closes a call that has no result, unless the client asks to go on with it', () => {
    const open = { toolCallId: '1', toolName: 'run_terminal_command', rawArgs: '{"command":"make"}' };
    const bubbles = [
      { type: HUMAN, text: 'Go' },
      { type: AI, toolResults: [open] },
    ];
    const closed = conversation(bubbles);
    expect(closed.at(-1)).toMatchObject({ role: 'tool', content: [{ callId: '1', isError: true }] });
    const resumed = conversation(bubbles, { isResume: true });
    expect(resumed.at(-1)).toMatchObject({ role: 'assistant', content: [{ callId: '1' }] });
  });

  it('asks the model to carry on when it had the last word', () => {
    const parts = conversation([
      { type: HUMAN, text: 'Tell' },
      { type: AI, text: 'Once upon' },
    ]);
    expect(parts.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'Continue.' }] });
  });

  it('reads thinking, with whose it is where we sealed it', () => {
    const proof = { form: 'raw' as const, id: 'r1', signature: 'sig', origin: 'anthropic' };
    const [, assistant] = conversation([
      { type: HUMAN, text: 'Go' },
      {
        type: AI,
        text: 'Hm',
        allThinkingBlocks: [
          { text: 'first', signature: sealThought(proof) },
          { redactedThinking: sealThought({ form: 'redacted', encrypted: 'xyz', origin: 'anthropic' }) },
          { text: 'foreign', signature: 'theirs' },
        ],
        thinking: { text: 'the last one again' },
      },
      { type: HUMAN, text: 'More' },
    ]);
    expect(assistant?.content).toEqual([
      { type: 'reasoning', text: 'first', ...proof },
      { type: 'reasoning', text: '', form: 'redacted', encrypted: 'xyz', origin: 'anthropic' },
      { type: 'reasoning', text: 'foreign', form: 'raw', signature: 'theirs' },
      { type: 'text', text: 'Hm' },
    ]);
    const [, single] = conversation([
      { type: HUMAN, text: 'Go' },
      { type: AI, text: 'Hm', thinking: { text: 'alone' } },
      { type: HUMAN, text: 'More' },
    ]);
    expect(single?.content[0]).toEqual({ type: 'reasoning', text: 'alone', form: 'raw' });
  });

  it('puts a summary in the place of the bubbles that it covers', () => {
    const bubbles = ['b1', 'b2', 'b3', 'b4'].map((bubbleId, index) => ({
      type: index % 2 === 0 ? HUMAN : AI,
      text: `said ${bubbleId}`,
      bubbleId,
    }));
    const more = [...bubbles, { type: HUMAN, text: 'now', bubbleId: 'b5' }];
    const summary = { summary: 'They talked.', truncationLastBubbleIdInclusive: 'b3' };
    const parts = conversation(more, { conversationSummary: summary });
    expect(JSON.stringify(parts)).toContain('They talked.');
    expect(JSON.stringify(parts)).not.toContain('said b3');
    expect(parts.map(({ id }) => id)).toEqual([undefined, 'b4', 'b5']);
    const unknown = { summary: 'Earlier.', truncationLastBubbleIdInclusive: 'gone' };
    expect(conversation(more, { conversationSummary: unknown })).toHaveLength(6);
  });

  it('reads the editor’s own form of a text, and says so when a text is only a reference', () => {
    const rich = JSON.stringify({ root: { children: [{ children: [{ text: 'Hel' }, { text: 'lo' }] }] } });
    expect(conversation([{ type: HUMAN, richText: rich }])[0]?.content).toEqual([
      { type: 'text', text: 'Hello' },
    ]);
    const { messages: decoded, drift } = decode({
      conversation: [{ type: HUMAN, textBlobId: new Uint8Array([1]) }],
    });
    expect(JSON.stringify(decoded)).toContain('cannot follow');
    expect(drift).toEqual(['ConversationMessage.textBlobId']);
  });

  it('carries images, and counts those that are only named', () => {
    const { messages: decoded, drift } = decode({
      conversation: [{ type: HUMAN, text: 'See', images: [{ data: PNG }, { uuid: 'elsewhere' }] }],
    });
    expect(decoded[0]?.content).toMatchObject([
      { type: 'text', text: 'See' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png' } },
    ]);
    expect(drift).toEqual(['ImageProto without data']);
  });
});
