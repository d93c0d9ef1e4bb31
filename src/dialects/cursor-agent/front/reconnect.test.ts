import { create, fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  ConversationStateStructureSchema,
  ConversationTurnStructureSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import type { ExecServerMessage } from '../../../gen/agent/v1/exec_pb.ts';
import { createLoopingHost } from './fixtures/looping-host.ts';
import { TestClient, type TestStream } from './fixtures/test-client.ts';
import { createCursorAgentFront } from './index.ts';

/** Does what the official SDK does: the same request again, from the last checkpoint of the failed try if it had one. */
async function playWithCut(cutAfter: number | undefined, isRepeated = false) {
  const front = createCursorAgentFront(createLoopingHost());
  const client = new TestClient(front);
  const written: string[] = [];
  const onExec = (exec: ExecServerMessage, stream: TestStream) => {
    if (exec.message.case !== 'writeArgs') return;
    written.push(exec.message.value.path);
    stream.answer(exec, { case: 'writeResult', value: { result: { case: 'success', value: {} } } });
  };
  const headers = { 'x-original-request-id': 'r1' };
  const first = client.open({
    onExec,
    headers: { ...headers, 'x-request-id': 'r1' },
    ...(cutAfter === undefined ? {} : { cutAfter }),
  });
  first.say('write them');
  const firstEnd = await first.ended;
  const hasEnded = first.kinds.includes('turnEnded');
  if (hasEnded || cutAfter === undefined) return { written, client, streams: [first], firstEnd };
  const again = { 'x-request-id': isRepeated ? 'r1' : 'r2', ...headers };
  const second = client.open({ onExec, headers: again, isRepeated });
  if (client.checkpoint && !isRepeated) second.run({ case: 'resumeAction', value: {} });
  else {
    // The carrier kept the first message as it was, before any checkpoint.
    second.say('write them', (request) => {
      if (isRepeated) request.conversationState = create(ConversationStateStructureSchema);
    });
  }
  expect(await second.ended).toBeUndefined();
  return { written, client, streams: [first, second], firstEnd };
}

/** What the last checkpoint reaches and the client never stored. */
function missingBlobs({ checkpoint, blobs }: TestClient): string[] {
  const missing: string[] = [];
  const find = (id: Uint8Array): Uint8Array | undefined => {
    const key = Buffer.from(id).toString('hex');
    if (!blobs.has(key)) missing.push(key);
    return blobs.get(key);
  };
  for (const id of checkpoint?.rootPromptMessagesJson ?? []) find(id);
  for (const id of checkpoint?.turns ?? []) {
    const data = find(id);
    const turn = data && fromBinary(ConversationTurnStructureSchema, data).turn;
    if (turn?.case === 'agentConversationTurn')
      for (const part of [turn.value.userMessage, ...turn.value.steps]) find(part);
  }
  return missing;
}

/** Calls of which the model was told that nobody knows how they ended. */
function doubtsIn(client: TestClient): number {
  const text = [...client.blobs.values()].map((blob) => Buffer.from(blob).toString('utf8')).join('\n');
  return text.match(/"result":"[^"]*It is unknown whether it took effect/g)?.length ?? 0;
}

describe('a connection that is cut', () => {
  it('is not needed for a run that nobody cuts', async () => {
    const { written, streams, firstEnd } = await playWithCut(undefined);
    expect(firstEnd).toBeUndefined();
    expect(written).toEqual(['one.txt', 'two.txt', 'three.txt']);
    expect(streams[0]?.text).toBe('Writing one and two. Writing three. All written.');
  });

  it('after any frame: the run is completed, and nothing runs twice', async () => {
    const whole = await playWithCut(undefined);
    const frames = whole.streams[0]?.frames.length ?? 0;
    expect(frames).toBeGreaterThan(30);
    for (let cutAfter = 1; cutAfter < frames; cutAfter++) {
      const { written, client, streams } = await playWithCut(cutAfter);
      const where = `cut after frame ${cutAfter}`;
      expect(written, where).toEqual([...new Set(written)]);
      expect(written.length + doubtsIn(client), where).toBeGreaterThanOrEqual(3);
      expect(streams.at(-1)?.kinds.at(-1), where).toBe('turnEnded');
      expect(streams.map(({ text }) => text).join(''), where).toMatch(/All written\.$/);
      const users = [...client.blobs.values()].filter((blob) => Buffer.from(blob).includes('"role":"user"'));
      expect(users, `${where}: the user's words`).toHaveLength(1);
      expect(client.checkpoint?.turns, where).toHaveLength(1);
      expect(missingBlobs(client), where).toEqual([]);
      expect(client.checkpoint?.pendingToolCalls, where).toEqual([]);
    }
  }, 30_000);

  it('after any frame, with a client that asks for the same stream again', async () => {
    const whole = await playWithCut(undefined);
    const frames = whole.streams[0]?.frames.length ?? 0;
    for (let cutAfter = 1; cutAfter < frames; cutAfter++) {
      const { written, client, streams } = await playWithCut(cutAfter, true);
      const where = `cut after frame ${cutAfter}`;
      expect(written, where).toEqual([...new Set(written)]);
      expect(written.length + doubtsIn(client), where).toBeGreaterThanOrEqual(3);
      expect(streams.at(-1)?.text, where).toMatch(/All written\.$/);
      expect(missingBlobs(client), where).toEqual([]);
      expect(streams.at(-1)?.kinds.at(-1), where).toBe('turnEnded');
    }
  }, 30_000);
});
