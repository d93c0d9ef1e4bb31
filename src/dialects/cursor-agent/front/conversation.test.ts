import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, textOf, userMessage } from '../../../core/index.ts';
import {
  AgentConversationTurnStructureSchema,
  ConversationStateStructureSchema,
  ConversationTurnStructureSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import { ConversationStepSchema } from '../../../gen/agent/v1/tool_call_pb.ts';
import { UserMessageSchema } from '../../../gen/agent/v1/user_message_pb.ts';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { Conversation } from './conversation.ts';
import { ConversationBlobs } from './conversation-blobs.ts';
import { MemoryChannel } from './fixtures/memory-channel.ts';
import { MemoryShelf } from './fixtures/memory-shelf.ts';
import { answer, callMessage, readCall } from './fixtures/scripted-host.ts';
import { KvRequests } from './kv-requests.ts';
import { createOutbox } from './outbox.ts';

/** Blobs that only our own documents keep. */
function createBlobs(documents = new MemoryShelf()): ConversationBlobs {
  const timers = new ManualTimers();
  const kv = new KvRequests(
    createOutbox(new MemoryChannel(), timers, () => {}),
    timers,
  );
  kv.close();
  return new ConversationBlobs({ documents, kv, given: [], onDrift: () => {} });
}

async function load(
  state: MessageInitShape<typeof ConversationStateStructureSchema> | undefined,
  documents: MemoryShelf,
) {
  const drift: string[] = [];
  const blobs = createBlobs(documents);
  const conversation = await Conversation.load({
    state: state && create(ConversationStateStructureSchema, state),
    blobs,
    onDrift: (kind) => drift.push(kind),
  });
  return { conversation, blobs, drift };
}

/** The conversation after it went over the wire and back. */
async function reload(conversation: Conversation, blobs: ConversationBlobs, documents: MemoryShelf) {
  const bytes = toBinary(ConversationStateStructureSchema, conversation.encode());
  await blobs.place();
  return await load(fromBinary(ConversationStateStructureSchema, bytes), documents);
}

const json = (value: object) => Buffer.from(JSON.stringify(value), 'utf8');
const toolMessage = (...callIds: string[]): Message => ({
  role: 'tool',
  content: callIds.map((callId) => ({
    type: 'tool-result',
    callId,
    name: 'read_file',
    content: [{ type: 'text', text: `result of ${callId}` }],
  })),
});

describe('the state of a conversation', () => {
  it('brings back every message, whatever was said and called', async () => {
    const text = fc.string({ unit: 'grapheme' });
    const step = fc.oneof(
      text.map((words) => ({ type: 'user' as const, words })),
      fc
        .tuple(text, fc.integer({ min: 0, max: 3 }))
        .map(([words, calls]) => ({ type: 'step' as const, words, calls })),
      text.map((words) => ({ type: 'hint' as const, words })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, endsOpen) => {
        const documents = new MemoryShelf();
        let { conversation, blobs } = await load(undefined, documents);
        let count = 0;
        for (const { type, words, ...rest } of steps) {
          if (type === 'user') {
            conversation.append(userMessage(words));
            conversation.turns.begin(create(UserMessageSchema, { text: words }), undefined);
          } else if (type === 'hint') conversation.append(userMessage(words));
          else {
            const calls = Array.from({ length: 'calls' in rest ? rest.calls : 0 }, () =>
              readCall(`c${count++}`),
            );
            const said: Message = {
              role: 'assistant',
              content: [...answer(words).content, ...callMessage(...calls).content],
            };
            if (calls.length > 0) conversation.openRound(said);
            // A restart in the middle of a round changes nothing.
            if (count % 2 === 0) ({ conversation, blobs } = await reload(conversation, blobs, documents));
            const results = calls.length > 0 ? [toolMessage(...calls.map(({ callId }) => callId))] : [];
            conversation.addStep(count % 2 === 0 && calls.length > 0 ? results : [said, ...results]);
          }
        }
        if (endsOpen) conversation.openRound(callMessage(readCall('open')));
        const back = await reload(conversation, blobs, documents);
        expect(back.conversation.messages).toEqual(conversation.messages);
        expect(back.conversation.hasOpenRound).toBe(endsOpen);
        expect(back.conversation.isAnswered).toBe(conversation.isAnswered);
        expect(back.drift).toEqual([]);
        // Nothing that is known already is stored again.
        expect(back.conversation.encode()).toEqual(conversation.encode());
      }),
      { numRuns: 200 },
    );
  });

  it('brings back mode, todos, plan and counts, and carries on what we do not know', async () => {
    const documents = new MemoryShelf();
    const { conversation, blobs } = await load(
      { readPaths: ['/a'], previousWorkspaceUris: ['file:///w'], mode: 7, $unknown: [] } as never, // MULTITASK
      documents,
    );
    expect(conversation.mode).toBe('agent');
    conversation.runState = {
      todos: [
        { id: '1', content: 'one', status: 'completed' },
        { id: '2', content: 'two', status: 'in_progress', dependencies: ['1'] },
      ],
      plan: 'The plan.',
    };
    conversation.usedTokens = 10;
    conversation.maxTokens = 100;
    const back = await reload(conversation, blobs, documents);
    expect(back.conversation.runState).toEqual(conversation.runState);
    const state = back.conversation.encode();
    expect(state).toMatchObject({ readPaths: ['/a'], previousWorkspaceUris: ['file:///w'], mode: 7 });
    expect(state.tokenDetails).toMatchObject({ usedTokens: 10, maxTokens: 100 });
    back.conversation.mode = 'plan';
    back.conversation.runState = { todos: [] };
    const changed = back.conversation.encode();
    expect(changed).toMatchObject({ mode: 3, todos: [] });
    expect(changed.plan).toBeUndefined();
  });

  it('keeps no giants among our own documents: those stay with the client', async () => {
    const documents = new MemoryShelf();
    const blobs = createBlobs(documents);
    const [small, giant] = [new Uint8Array(10), new Uint8Array(16 * 1024 * 1024 + 1)].map((data) =>
      blobs.add(data),
    );
    await blobs.place();
    expect(await blobs.offer(small ?? BLANK)).toHaveLength(10);
    expect(await blobs.offer(giant ?? BLANK)).toBeUndefined();
  });

  it('shows each turn with its steps', async () => {
    const { conversation, blobs } = await load(undefined, new MemoryShelf());
    const call = readCall('c1');
    conversation.turns.begin(create(UserMessageSchema, { text: 'read' }), 'r1');
    const said: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', form: 'raw' },
        { type: 'text', text: 'Reading.' },
        ...callMessage(call).content,
      ],
    };
    conversation.turns.addStep([said, toolMessage('c1')], () => undefined, 12);
    conversation.turns.begin(create(UserMessageSchema, { text: 'more' }), 'r2');
    const { turns } = conversation.encode();
    expect(turns).toHaveLength(2);
    const { turn } = fromBinary(
      ConversationTurnStructureSchema,
      await blobs.resolve(turns[0] ?? BLANK, 'turn'),
    );
    if (turn.case !== 'agentConversationTurn') throw new Error('no agent turn');
    expect(turn.value.requestId).toBe('r1');
    const user = fromBinary(UserMessageSchema, await blobs.resolve(turn.value.userMessage, 'user'));
    expect(user.text).toBe('read');
    const steps = await Promise.all(
      turn.value.steps.map(
        async (id) => fromBinary(ConversationStepSchema, await blobs.resolve(id, 'step')).message,
      ),
    );
    expect(steps).toMatchObject([
      { case: 'thinkingMessage', value: { text: 'Hm.', durationMs: 12 } },
      { case: 'assistantMessage', value: { text: 'Reading.' } },
    ]);
    expect(AgentConversationTurnStructureSchema.typeName).toBe(turn.value.$typeName);
  });

  it('keeps what a summary stands for in an archive', async () => {
    const documents = new MemoryShelf();
    const { conversation, blobs } = await load(undefined, documents);
    conversation.append(userMessage('one'));
    conversation.addStep([answer('two')]);
    conversation.append(userMessage('three'));
    const last = conversation.messages.slice(-1);
    conversation.summarize('They counted.', [userMessage('Summary: they counted.'), ...last]);
    const back = await reload(conversation, blobs, documents);
    expect(back.conversation.messages.map(({ content }) => textOf(content))).toEqual([
      'Summary: they counted.',
      'three',
    ]);
    expect(back.conversation.encode()).toMatchObject({
      selfSummaryCount: 1,
      messageCountAtLastCompaction: 2,
    });
  });
});

describe('the state of another server', () => {
  it('may hold data where ids belong', async () => {
    const { conversation } = await load(
      {
        rootPromptMessagesJson: [json({ role: 'user', content: 'inline' })],
        todos: [new Uint8Array([0x0a, 1, 0x31])],
      },
      new MemoryShelf(),
    );
    expect(textOf(conversation.messages[0]?.content ?? [])).toBe('inline');
    expect(conversation.runState.todos).toMatchObject([{ id: '1' }]);
  });

  it('loses its system prompt and what nobody can read, and that is counted', async () => {
    const { conversation, drift } = await load(
      {
        rootPromptMessagesJson: [
          json({ role: 'system', content: 'You are somebody else.' }),
          Buffer.from('not json'),
          json({ role: 'user', content: 'hi' }),
        ],
        todos: [new Uint8Array(32)], // names nothing
      },
      new MemoryShelf(),
    );
    expect(conversation.messages).toHaveLength(1);
    expect(drift).toEqual(['a foreign system prompt', 'a prompt entry']);
    expect(conversation.isAnswered).toBe(false);
  });

  it.each(['in the messages', 'in the pending calls', 'in both'])('may have open calls %s', async (where) => {
    const open = {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'ls', args: {} },
        { type: 'tool-call', toolCallId: 'b', toolName: 'ls', args: {} },
      ],
    };
    const partial = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'ls', result: 'x' }],
    };
    const root = [json({ role: 'user', content: 'hi' })];
    if (where !== 'in the pending calls') root.push(json(open), json(partial));
    const pendingToolCalls = where === 'in the messages' ? [] : [JSON.stringify(open)];
    const { conversation } = await load(
      { rootPromptMessagesJson: root, pendingToolCalls },
      new MemoryShelf(),
    );
    expect(conversation.hasOpenRound).toBe(true);
    expect(conversation.length).toBe(1);
    const ids = conversation.messages.flatMap(({ content }) =>
      content.map((part) => ('callId' in part ? part.callId : '')),
    );
    expect(ids).toEqual(where === 'in the pending calls' ? ['', 'a', 'b'] : ['', 'a', 'b', 'a']);
    conversation.addStep([toolMessage(...(where === 'in the pending calls' ? ['a', 'b'] : ['b']))]);
    const results = conversation.messages
      .flatMap(({ content }) => content)
      .flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
    expect(results.sort()).toEqual(['a', 'b']);
  });
});

const BLANK = new Uint8Array();
