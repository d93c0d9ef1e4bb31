import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  GatewayError,
  type SubTask,
  type SubTaskResult,
  textOf,
  type Usage,
} from '../core/index.ts';
import { findRunProblem, type Play, playRun, stage } from './fixtures/play-run.ts';
import type { Answer } from './fixtures/scripted-model.ts';
import { textResult } from './fixtures/scripted-tools.ts';
import { runAgent } from './run-agent.ts';

const usage: Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

/** A run whose first step starts a task; the answers after that are the task's, then the run's. */
function nested(
  subTask: SubTask,
  answers: readonly Answer[],
  rest: Partial<Play> = {},
): Play & { results: (SubTaskResult | undefined)[] } {
  const results: (SubTaskResult | undefined)[] = [];
  return {
    script: [{ calls: [{ name: 'task' }], usage }, ...answers],
    tools: [
      { name: 'read', isReadOnly: true },
      {
        name: 'task',
        run: async (_call, context) => {
          const result = await context.runSubTask?.(subTask, context.signal);
          results.push(result);
          return textResult(result?.text ?? 'not here', { isError: result?.isError ?? true });
        },
      },
    ],
    results,
    ...rest,
  };
}

describe('a task below a run', () => {
  it('works in a conversation of its own and gives back its last word', async () => {
    const play = nested({ prompt: 'Count the files.' }, [
      { text: 'Looking.', calls: [{ name: 'read' }], usage },
      { text: 'There are 7.', usage },
      { text: 'Seven.', usage },
    ]);
    const { model, events, end } = await playRun(play);
    expect(play.results).toEqual([
      { text: 'There are 7.', usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 } },
    ]);
    expect(end).toMatchObject({ reason: 'done', usage: { totalTokens: 60 } });
    expect(findRunProblem(events)).toBeUndefined();
    const asked = model.requests[1]?.messages ?? [];
    expect(asked.map(({ content }) => textOf(content))[1]).toBe('Count the files.');
    expect(textOf(asked[0]?.content ?? [])).toContain('started by another agent');
    const progress = events.flatMap((event) => (event.type === 'call-progress' ? event.progress.text : []));
    expect(progress.join('')).toBe('Looking.\n[read]\nThere are 7.');
    expect(events.filter(({ type }) => type === 'step-start')).toHaveLength(2);
  });

  it('makes its calls in its own name, and a task below it in that one’s', async () => {
    const makers: (string | undefined)[] = [];
    const { end } = await playRun({
      script: [
        { calls: [{ name: 'read' }, { name: 'task' }], usage },
        { calls: [{ name: 'read' }, { name: 'task' }], usage },
        { calls: [{ name: 'read' }], usage },
        { text: 'done' },
        { text: 'done' },
        { text: 'done' },
      ],
      tools: [
        {
          name: 'read',
          run: (_call, { subRunId }) => {
            makers.push(subRunId);
            return textResult('read');
          },
        },
        {
          name: 'task',
          run: async (_call, context) => {
            const result = await context.runSubTask?.({ prompt: 'x' }, context.signal);
            return textResult(result?.text ?? 'not here');
          },
        },
      ],
    });
    expect(end).toMatchObject({ reason: 'done' });
    expect(makers).toHaveLength(3);
    expect(makers[0]).toBeUndefined();
    expect(makers[1]).toMatch(/^run_/);
    expect(makers[2]).toMatch(/^run_/);
    expect(makers[2]).not.toBe(makers[1]);
  });

  it('draws on the limits of the run', async () => {
    const play = nested(
      { prompt: 'x' },
      Array.from({ length: 9 }, (_, index) => ({ calls: [{ name: 'read', args: `{"n":${index}}` }], usage })),
      { task: { limits: { maxSteps: 4 } } },
    );
    const { end, model } = await playRun(play);
    expect(end).toMatchObject({ reason: 'step-limit' });
    expect(model.requests).toHaveLength(4);
    expect(play.results[0]).toMatchObject({ isError: true, text: expect.stringContaining('may make 4') });
  });

  it('that fails is a result that the model reads', async () => {
    const play = nested({ prompt: 'x' }, [{ text: 'a', isCut: true }, { text: 'Pity.' }]);
    const { end } = await playRun(play);
    expect(end).toMatchObject({ reason: 'done' });
    expect(play.results[0]).toMatchObject({
      isError: true,
      text: expect.stringContaining('middle of its answer'),
    });
  });

  it.each([
    ['agent', {}, 'agent'],
    ['agent', { kind: 'explore' }, 'search'],
    ['agent', { mode: 'plan' }, 'plan'],
    ['plan', { mode: 'agent' }, 'plan'],
    ['plan', { mode: 'search' }, 'search'],
  ] as const)('below a run in %s mode that asks for %o works in %s mode', async (mode, wish, expected) => {
    const { tools } = await playRun(nested({ prompt: 'x', ...wish }, [{ text: 'a' }], { task: { mode } }));
    expect(tools.modes).toEqual([mode, expected, mode]);
  });

  it('may have a model and a prompt of its own', async () => {
    const { model } = await playRun(
      nested({ prompt: 'x', model: 'small', systemPrompt: 'You count.' }, [{ text: 'a' }], {
        task: { modelAlternatives: [{ model: 'other' }] },
      }),
    );
    expect(model.requests[1]).toMatchObject({ model: 'small' });
    expect(model.requests[1]).not.toHaveProperty('modelAlternatives');
    expect(textOf(model.requests[1]?.messages[0]?.content ?? [])).toMatch(/^You count\./);
  });

  it('whose tools cannot be reached ends the run that started it', async () => {
    const gone = new GatewayError('upstream-unavailable', 'The client is gone.');
    const play = nested({ prompt: 'x' }, [{ calls: [{ name: 'read' }] }]);
    const tools = [{ name: 'read', run: () => Promise.reject(gone) }, ...(play.tools?.slice(1) ?? [])];
    const { end } = await playRun({ ...play, tools });
    expect(end).toMatchObject({ type: 'run-error', error: gone });
    expect(play.results).toEqual([]);
  });

  it('that is cancelled with its run leaves the call without a result', async () => {
    const controller = new AbortController();
    const play = nested({ prompt: 'x' }, [{ text: 'a', hangs: true }], { signal: controller.signal });
    const { options, model } = stage(play);
    let last: AgentEvent | undefined;
    for await (const event of runAgent(options)) {
      last = event;
      if (event.type === 'call-progress') controller.abort();
    }
    expect(last).toMatchObject({ type: 'run-end', reason: 'cancelled' });
    await setImmediate();
    expect(play.results).toEqual([]);
    expect(model.live).toBe(0);
  });

  it('cannot be started where runs may not nest deeper', async () => {
    const play = nested({ prompt: 'x' }, [{ text: 'Alone then.' }], { maxDepth: 0 });
    await playRun(play);
    expect(play.results).toEqual([undefined]);
  });
});
