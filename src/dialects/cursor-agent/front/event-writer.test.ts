import { create, fromBinary } from '@bufbuild/protobuf';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InteractionUpdate } from '../../../gen/agent/v1/interaction_update_pb.ts';
import { AgentServerMessageSchema } from '../../../gen/agent/v1/run_pb.ts';
import { ToolCallSchema } from '../../../gen/agent/v1/tool_call_pb.ts';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { EventWriter } from './event-writer.ts';
import { MemoryChannel } from './fixtures/memory-channel.ts';
import { createOutbox } from './outbox.ts';

let updates: InteractionUpdate['message'][];
let nowMs: number;
let writer: EventWriter;

beforeEach(() => {
  updates = [];
  nowMs = 0;
  const channel = new MemoryChannel();
  channel.onSend = (bytes) => {
    const { message } = fromBinary(AgentServerMessageSchema, bytes);
    if (message.case === 'interactionUpdate') updates.push(message.value.message);
  };
  writer = new EventWriter({
    outbox: createOutbox(channel, new ManualTimers(), () => {}),
    nowMs: () => nowMs,
    drawCall: (toolCallId, name) => (name === 'unknown' ? undefined : create(ToolCallSchema, { toolCallId })),
  });
});

describe('what the model writes', () => {
  it('leaves together when it came together, in its order', async () => {
    await writer.writeEvents([
      { type: 'reasoning-start', id: 'r', form: 'raw' },
      { type: 'reasoning-delta', id: 'r', text: 'Let me ' },
      { type: 'reasoning-delta', id: 'r', text: 'see.' },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', text: 'He' },
      { type: 'text-delta', id: 't', text: 'llo' },
      { type: 'text-end', id: 't' },
    ]);
    expect(updates).toMatchObject([
      { case: 'thinkingDelta', value: { text: 'Let me see.' } },
      { case: 'thinkingCompleted' },
      { case: 'textDelta', value: { text: 'Hello' } },
    ]);
  });

  it('tells how long a thought took, over several batches', async () => {
    await writer.writeEvents([{ type: 'reasoning-start', id: 'r', form: 'raw' }]);
    nowMs = 40;
    await writer.writeEvents([{ type: 'reasoning-delta', id: 'r', text: 'Hm.' }]);
    nowMs = 100;
    await writer.writeEvents([{ type: 'reasoning-end', id: 'r' }]);
    expect(updates.at(-1)).toMatchObject({ case: 'thinkingCompleted', value: { thinkingDurationMs: 100 } });
    expect(writer.thinkingMs).toBe(100);
  });

  it('says nothing of a thought without words', async () => {
    await writer.writeEvents([
      { type: 'reasoning-start', id: 'r', form: 'redacted' },
      { type: 'reasoning-end', id: 'r', encrypted: 'x' },
    ]);
    expect(updates).toEqual([]);
  });

  it('streams arguments under the call they belong to', async () => {
    writer.modelCallId = 'm1';
    await writer.writeEvents([
      { type: 'tool-input-start', callId: 'a', name: 'read_file', kind: 'function' },
      { type: 'tool-input-start', callId: 'b', name: 'read_file', kind: 'function' },
      { type: 'tool-input-delta', callId: 'a', text: '{"path"' },
      { type: 'tool-input-delta', callId: 'b', text: '{}' },
      { type: 'tool-input-delta', callId: 'a', text: ':"x"}' },
      { type: 'tool-input-start', callId: 'z', name: 'unknown', kind: 'function' },
      { type: 'tool-input-delta', callId: 'z', text: '{}' },
    ]);
    const partials = updates.flatMap((update) =>
      update.case === 'partialToolCall' ? [[update.value.callId, update.value.argsTextDelta]] : [],
    );
    expect(partials).toEqual([
      ['a', ''],
      ['b', ''],
      ['a', '{"path":"x"}'],
      ['b', '{}'],
    ]);
    expect(updates[0]).toMatchObject({ value: { modelCallId: 'm1', toolCall: { toolCallId: 'a' } } });
  });

  it('leaves in pieces when it came whole, with no character cut in two', async () => {
    const text = `x${'😀'.repeat(80_000)}`;
    await writer.writeEvents([{ type: 'text-delta', id: 't', text }]);
    const pieces = updates.flatMap((update) => (update.case === 'textDelta' ? [update.value.text] : []));
    expect(pieces.length).toBe(3);
    expect(pieces.join('')).toBe(text);
  });

  it('counts about a token in four characters, all of them by the end of the step', async () => {
    await writer.startStep(1);
    for (let index = 0; index < 50; index++) {
      await writer.writeEvents([{ type: 'text-delta', id: 't', text: 'abcd' }]);
    }
    await writer.writeEvents([{ type: 'text-delta', id: 't', text: 'e' }]);
    nowMs = 7;
    await writer.endStep(1);
    const counts = updates.flatMap((update) => (update.case === 'tokenDelta' ? [update.value.tokens] : []));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(51);
    expect(counts.length).toBeLessThan(6);
    expect(updates.at(-1)).toMatchObject({
      case: 'stepCompleted',
      value: { stepId: 1n, stepDurationMs: 7n },
    });
  });
});
