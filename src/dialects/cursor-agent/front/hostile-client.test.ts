import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../core/index.ts';
import { AgentClientMessageSchema } from '../../../gen/agent/v1/run_pb.ts';
import { readCall, readRound, speak } from './fixtures/scripted-host.ts';
import { createTestSet } from './fixtures/test-set.ts';

const id = fc.integer({ min: 0, max: 5 });
const blob = fc.uint8Array({ maxLength: 40 });
const message = fc.oneof(
  fc.record({
    case: fc.constant('execClientMessage'),
    value: fc.record({ id, execId: fc.constantFrom('', 'exec_1', 'x') }),
  }),
  fc.record({
    case: fc.constant('execClientControlMessage'),
    value: fc.record({
      message: fc.oneof(
        fc.record({ case: fc.constantFrom('streamClose', 'heartbeat'), value: fc.record({ id }) }),
        fc.record({ case: fc.constant('throw'), value: fc.record({ id, error: fc.string() }) }),
      ),
    }),
  }),
  fc.record({
    case: fc.constant('kvClientMessage'),
    value: fc.record({
      id,
      message: fc.constantFrom({ case: 'getBlobResult', value: {} }, { case: 'setBlobResult', value: {} }),
    }),
  }),
  fc.record({ case: fc.constant('interactionResponse'), value: fc.record({ id }) }),
  fc.record({
    case: fc.constantFrom('clientHeartbeat', 'prewarmRequest', 'runRequest'),
    value: fc.constant({}),
  }),
  fc.record({
    case: fc.constant('conversationAction'),
    value: fc.record({
      action: fc.constantFrom(
        { case: undefined },
        { case: 'resumeAction', value: {} },
        { case: 'summarizeAction', value: {} },
        { case: 'userMessageAction', value: {} },
        { case: 'injectContextAction', value: { injectionId: 'i' } },
        { case: 'backgroundShellAction', value: { toolCallId: 'c' } },
        { case: 'cancelSubagentAction', value: {} },
        { case: 'cancelAction', value: {} },
      ),
    }),
  }),
);
const frame = fc.oneof(
  {
    weight: 6,
    arbitrary: message.map((value) =>
      toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message: value as never })),
    ),
  },
  { weight: 1, arbitrary: blob },
);

describe('a client that says anything at all', () => {
  it('gets an end to its stream, and breaks nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 12 }), fc.boolean(), async (frames, comesFirst) => {
        const { client, timers } = createTestSet(async function* (run) {
          yield* readRound(run, [readCall('c1'), readCall('c2')]);
          yield* speak('Done.', 2);
        });
        const stream = client.open();
        if (!comesFirst) stream.say('hello');
        for (const bytes of frames) {
          stream.channel.push(bytes);
          await new Promise((resolve) => setImmediate(resolve));
        }
        timers.advance(30_000);
        stream.channel.cut();
        const end = await stream.ended;
        if (end !== undefined) expect(end).toBeInstanceOf(GatewayError);
        expect(end?.code).not.toBe('internal');
      }),
      { numRuns: 150 },
    );
  });

  it('may send any bytes as the state of its conversation', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(blob, { maxLength: 4 }),
        fc.array(fc.string(), { maxLength: 3 }),
        async (blobs, pending) => {
          const { client } = createTestSet(() => speak('Ok.'));
          const stream = client.open();
          stream.say('hello', ({ conversationState }) => {
            if (!conversationState) return;
            conversationState.rootPromptMessagesJson = blobs;
            conversationState.turns = blobs;
            conversationState.todos = blobs;
            conversationState.pendingToolCalls = pending;
            conversationState.plan = blobs[0] ?? new Uint8Array();
          });
          const end = await stream.ended;
          if (end !== undefined) expect(end.message).toContain('Blob not found');
          else expect(stream.text).toBe('Ok.');
        },
      ),
      { numRuns: 100 },
    );
  });
});
