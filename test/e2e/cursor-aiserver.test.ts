// Unified chat (aiserver.v1 ChatService) over real sockets: what a client sees of one answer, by both carriers.
// `record.violations` holds every breach of the order; see test/support/aiserver-client/judge.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ConversationMessage_MessageType as MessageType,
  StreamUnifiedChatRequest_UnifiedMode as UnifiedMode,
} from '../../src/gen/aiserver/v1/chat_request_pb.ts';
import { CARRIERS, type ChatTurn, openStage, type Stage } from '../support/aiserver-client/index.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

function expectDone({ end, record }: ChatTurn): void {
  expect(end, record.outline.join(' ')).toEqual({ kind: 'done' });
  expect(record.violations).toEqual([]);
}

describe.each(CARRIERS)('unified chat over %s', (carrier) => {
  it('begins with stream_start and streams text', async () => {
    const client = await stage.client(carrier);
    const turn = await client.ask('what is 6*7');
    expectDone(turn);
    expect(turn.record.text).toContain('6*7 = 42');
    expect(turn.record.outline.slice(0, 3)).toEqual(['streamStart', 'usageUuid', 'text']);
  });

  it('sends text as it comes and not at the end', async () => {
    const client = await stage.client(carrier, { model: 'demo/slow' });
    const times: number[] = [];
    const turn = await client.ask('what is 6*7', { onMessage: () => times.push(performance.now()) });
    expectDone(turn);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100);
    expect(turn.record.outline.filter((kind) => kind === 'text').length).toBeGreaterThan(1);
  });

  it('streams thinking apart from text, and says which chunk is the last', async () => {
    const client = await stage.client(carrier, { model: 'demo/reasoning' });
    const turn = await client.ask('what is 6*7');
    expectDone(turn);
    expect(turn.record.thinking).toContain('My rules are fixed');
    expect(turn.record.text).not.toContain('My rules are fixed');
    const chunks = turn.record.chats.flatMap(({ thinking }) => (thinking ? [thinking] : []));
    expect(chunks.map(({ isLastThinkingChunk }) => isLastThinkingChunk)).toEqual([
      ...chunks.slice(1).map(() => false),
      true,
    ]);
  });

  it('has the client read a file and goes on with what it says', async () => {
    const client = await stage.client(carrier, { files: { 'a.txt': 'alpha beta\n' } });
    const turn = await client.ask('read a.txt');
    expectDone(turn);
    expect(client.options.workspace.executed.map(({ tool }) => tool)).toEqual([40]);
    expect(turn.record.text).toContain('alpha beta');
    const kinds = turn.record.outline;
    const order = ['partialToolCall', 'clientSideToolV2Call', 'toolCallV2'].map((kind) =>
      kinds.indexOf(kind),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('reads compressed messages', async () => {
    const client = await stage.client(carrier, { isCompressed: true, files: { 'a.txt': 'alpha beta\n' } });
    const turn = await client.ask('read a.txt');
    expectDone(turn);
    expect(turn.record.text).toContain('alpha beta');
  });

  it('offers nothing that writes or runs to somebody who only asks or plans', async () => {
    for (const unifiedMode of [UnifiedMode.CHAT, UnifiedMode.PLAN]) {
      const client = await stage.client(carrier);
      const turn = await client.ask('create x.txt with hello', { request: { unifiedMode } });
      expectDone(turn);
      expect(turn.record.calls.filter(({ tool }) => [7, 11, 15, 38].includes(tool))).toEqual([]);
      const echo = await stage.client(carrier, { model: 'demo/echo' });
      const { record } = await echo.ask('what is there?', { request: { unifiedMode } });
      const { tools } = JSON.parse(record.text) as { tools: { name: string }[] }; // demo/echo writes it
      const names = tools.map(({ name }) => name);
      expect(names).toContain('read_file');
      for (const name of ['write', 'search_replace', 'delete_file', 'run_terminal_command'])
        expect(names).not.toContain(name);
    }
  });

  it('knows the conversation that the client sends, images included', async () => {
    const client = await stage.client(carrier, { model: 'demo/echo' });
    const turn = await client.ask('', {
      request: {
        conversation: [
          { type: MessageType.HUMAN, text: 'My cat is Miso.', bubbleId: 'b1' },
          { type: MessageType.AI, text: 'Noted.', bubbleId: 'b2' },
          {
            type: MessageType.HUMAN,
            text: 'Who is on it?',
            bubbleId: 'b3',
            images: [{ data: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) }],
          },
        ],
      },
    });
    expectDone(turn);
    const { messages } = JSON.parse(turn.record.text) as { messages: { role: string }[] }; // as above
    const roles = messages.map(({ role }) => role).filter((role) => role !== 'system');
    expect(roles).toEqual(['user', 'assistant', 'user']);
    expect(turn.record.text).toContain('"type": "image"');
  });
});

describe('appended messages', () => {
  it('may be bytes instead of hexadecimal digits', async () => {
    const client = await stage.client('sse', { appendsBytes: true, files: { 'a.txt': 'alpha beta\n' } });
    const turn = await client.ask('read a.txt');
    expectDone(turn);
    expect(turn.record.text).toContain('alpha beta');
  });
});

describe('the calls around an answer', () => {
  it('list the models by the names that requests take', async () => {
    const client = await stage.client('sse');
    const { models, modelNames } = await client.ai.availableModels({});
    expect(modelNames).toContain('demo/demo');
    expect(models.find(({ name }) => name === 'demo/demo')).toMatchObject({ supportsAgent: true });
    const turn = await (await stage.client('bidi', { model: modelNames[0] ?? '' })).ask('what is 6*7');
    expectDone(turn);
  });

  it('warm up without doing anything', async () => {
    const client = await stage.client('sse');
    const request = { case: 'streamUnifiedChatRequest' as const, value: client.request('hello') };
    expect(await client.chat.warmStreamUnifiedChatWithTools({ request })).toMatchObject({
      $typeName: 'aiserver.v1.WarmStreamUnifiedChatWithToolsResponse',
    });
  });

  it('stream bare answers, without tools, to clients that have no way to answer calls', async () => {
    const client = await stage.client('sse');
    let text = '';
    for await (const message of client.chat.streamUnifiedChat(client.request('what is 6*7')))
      text += message.text;
    expect(text).toContain('6*7 = 42');
  });
});

describe('a summary', () => {
  it('is made of the conversation, up to its last bubble', async () => {
    const fresh = await openStage({ rounds: [], script: { closing: 'They greeted each other.' } });
    try {
      const client = await fresh.client('sse');
      const conversation = [
        { type: MessageType.HUMAN, text: 'Hello, I am Ada.', bubbleId: 'b1' },
        { type: MessageType.AI, text: 'Hello, Ada.', bubbleId: 'b2' },
      ];
      const summary = await client.chat.getConversationSummary(client.request('', { conversation }));
      expect(summary).toMatchObject({
        summary: 'They greeted each other.',
        truncationLastBubbleIdInclusive: 'b2',
      });
      expect(fresh.model?.requests.at(-1)?.body).toContain('Hello, I am Ada.');
    } finally {
      await fresh.stop();
    }
  });
});
