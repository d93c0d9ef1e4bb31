import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  GatewayError,
  type Message,
  type Part,
  type ToolResultPart,
} from '../core/index.ts';
import { conversationAfter, findRunProblem, type Play, stage } from './fixtures/play-run.ts';
import type { Answer } from './fixtures/scripted-model.ts';
import { type ScriptedTool, textResult } from './fixtures/scripted-tools.ts';
import { runAgent } from './run-agent.ts';

const TOOLS = ['any', 'few', 'alone', 'fails', 'unknown'] as const;

const calls = fc.record({
  name: fc.constantFrom(...TOOLS),
  // The delay is in the arguments, so that every tool knows its own.
  args: fc.oneof(fc.integer({ min: 0, max: 3 }).map(String), fc.constant('{"broken')),
  // Servers that count from zero in every answer.
  id: fc.option(fc.constantFrom('call_0', 'call_1'), { nil: undefined }),
});

const answers: fc.Arbitrary<Answer> = fc
  .record({
    reasoning: fc.option(fc.constant('hm'), { nil: undefined }),
    text: fc.option(fc.constantFrom('', 'Hello.'), { nil: undefined }),
    calls: fc.option(fc.array(calls, { maxLength: 9 }), { nil: undefined }),
    cutCall: fc.option(fc.constant('any'), { nil: undefined, freq: 6 }),
    finish: fc.option(
      fc.constantFrom('stop', 'length', 'tool-calls', 'content-filter', 'context-full', 'pause'),
      {
        nil: undefined,
      },
    ),
    error: fc.option(
      fc.constantFrom(new GatewayError('internal', 'x'), new GatewayError('context-overflow', 'x')),
      { nil: undefined, freq: 8 },
    ),
    isCut: fc.option(fc.constant(true), { nil: undefined, freq: 12 }),
    isDribbled: fc.boolean(),
  })
  // An absent key and an undefined one are not the same here.
  .map((answer) => Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined)));

async function delay(argumentsText: string): Promise<void> {
  for (let turns = Number(argumentsText); turns > 0; turns--) await setImmediate();
}

const tools: readonly ScriptedTool[] = (['any', 'few', 'alone', 'fails'] as const).map((name) => ({
  name,
  parallel: name === 'fails' ? 'any' : name,
  isReadOnly: name === 'any',
  run: async (call, { onProgress, signal }) => {
    onProgress({ text: 'begun' });
    await delay(call.argumentsText);
    signal.throwIfAborted();
    return textResult(`result of ${call.callId}`, name === 'fails' ? { isError: true } : {});
  },
}));

async function play(script: readonly Answer[], rest: Partial<Play> = {}, onEvent?: (count: number) => void) {
  const staged = stage({ script: [...script, { text: 'Done.' }], tools, ...rest });
  const events: AgentEvent[] = [];
  const seen: (readonly Message[])[] = [];
  for await (const event of runAgent(staged.options)) {
    events.push(event);
    if (event.type === 'step-start') seen.push(conversationAfter(staged.options.task.messages, events));
    onEvent?.(events.length);
  }
  return { ...staged, events, seen };
}

const isResult = (part: Part): part is ToolResultPart => part.type === 'tool-result';

describe('whatever the model answers and however long its tools take', () => {
  it('the events are in order, and every call of the conversation has one result, in the order of the calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { maxLength: 5 }), async (script) => {
        const { events, options, tools: port } = await play(script);
        expect(findRunProblem(events)).toBeUndefined();
        const messages = conversationAfter(options.task.messages, events);
        const ids = messages.flatMap(({ content }) =>
          content.flatMap((part) => (part.type === 'tool-call' ? part.callId : [])),
        );
        const results = messages.flatMap(({ content }) => content.filter(isResult));
        expect(results.map(({ callId }) => callId)).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        for (const count of port.executions.values()) expect(count).toBe(1);
        for (const { callId, name, content } of results) {
          if (name !== 'unknown' && port.executions.has(callId)) {
            expect(content).toEqual([{ type: 'text', text: `result of ${callId}` }]);
          }
        }
      }),
    );
  });

  it('the model sees what the reader of the events knows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { maxLength: 5 }), async (script) => {
        const { model, seen } = await play(script);
        const asked = model.requests.filter(({ tools: offered }) => offered.length > 0);
        const plain = (messages: readonly Message[]) =>
          JSON.parse(JSON.stringify(messages, (key, value) => (key === 'cache' ? undefined : value)));
        expect(asked.map(({ messages }) => plain(messages.slice(1)))).toEqual(seen.map(plain));
      }),
    );
  });

  it('cancelling at any moment ends the run at once and leaves nothing running', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(answers, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (script, moment, isLater) => {
          const controller = new AbortController();
          const abort = () => controller.abort();
          let cancelledAt: number | undefined;
          const {
            events,
            model,
            tools: port,
          } = await play(script, { signal: controller.signal }, (count) => {
            if (count !== moment) return;
            cancelledAt = count;
            if (isLater) queueMicrotask(abort);
            else abort();
          });
          expect(findRunProblem(events)).toBeUndefined();
          // `later` lets through what the reader had asked for before.
          if (cancelledAt !== undefined)
            expect(events.length - cancelledAt).toBeLessThanOrEqual(isLater ? 4 : 2);
          for (let turns = 0; turns < 5; turns++) await setImmediate();
          expect(port.running.size).toBe(0);
          expect(model.live).toBe(0);
          for (const count of port.executions.values()) expect(count).toBe(1);
        },
      ),
    );
  });
});
