import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, GatewayError } from '../core/index.ts';
import { findRunProblem, type Play, playRun, stage } from './fixtures/play-run.ts';
import { hang, textResult } from './fixtures/scripted-tools.ts';
import { runAgent } from './run-agent.ts';

const long: Play = {
  script: [
    { reasoning: 'hm', text: 'Reading.', calls: [{ name: 'read' }, { name: 'read' }], isDribbled: true },
    { calls: [{ name: 'task' }, { name: 'edit' }, { name: 'read' }], isDribbled: true },
    { text: 'sub', isDribbled: true },
    { text: 'Done.', isDribbled: true },
  ],
  tools: [
    { name: 'read', isReadOnly: true, run: () => textResult('r') },
    { name: 'edit', parallel: 'alone', run: () => textResult('e') },
    {
      name: 'task',
      run: async (_call, context) => {
        const result = await context.runSubTask?.({ prompt: 'look' }, context.signal);
        return textResult(result?.text ?? 'none');
      },
    },
  ],
};

/** Reads a run and aborts it after so many events. */
async function cancelAfter(count: number) {
  const controller = new AbortController();
  const { options, model, tools } = stage({ ...long, signal: controller.signal });
  const events: AgentEvent[] = [];
  for await (const event of runAgent(options)) {
    events.push(event);
    if (events.length === count) controller.abort(new GatewayError('cancelled', 'Stop.'));
  }
  // Whoever was told to stop gets one turn of the event loop to do so; the run did not wait for it.
  await setImmediate();
  return { events, model, tools };
}

describe('cancelling', () => {
  it('after any event ends the run well and leaves nothing running', async () => {
    const whole = await cancelAfter(0);
    expect(whole.events.at(-1)).toMatchObject({ reason: 'done' });
    expect(whole.events.length).toBeGreaterThan(25);
    for (let count = 1; count < whole.events.length - 1; count++) {
      const { events, model, tools } = await cancelAfter(count);
      expect(findRunProblem(events), `after ${count}`).toBeUndefined();
      // Closing what is open takes one event more, the ending another.
      expect(events.length - count).toBeLessThanOrEqual(2);
      expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'cancelled', explanation: 'Stop.' });
      expect(tools.running.size, `tools after ${count}`).toBe(0);
      expect(model.live, `turns after ${count}`).toBe(0);
    }
  });

  it('by leaving the iterator stops the model and the tools', async () => {
    const whole = await cancelAfter(0);
    for (let count = 1; count < whole.events.length - 1; count++) {
      const { options, model, tools } = stage(long);
      let seen = 0;
      for await (const _event of runAgent(options)) if (++seen === count) break;
      await setImmediate();
      expect(tools.running.size, `tools after ${count}`).toBe(0);
      expect(model.live, `turns after ${count}`).toBe(0);
    }
  });

  it('does not wait for a model that is silent', async () => {
    const controller = new AbortController();
    const { options, model } = stage({ script: [{ text: 'a', hangs: true }], signal: controller.signal });
    const events: AgentEvent[] = [];
    for await (const event of runAgent(options)) {
      events.push(event);
      if (event.type === 'turn-events') queueMicrotask(() => controller.abort());
    }
    expect(events.at(-2)).toMatchObject({ type: 'turn-events', events: [{ type: 'text-end' }] });
    expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'cancelled' });
    expect(model.aborted).toBe(1);
    // What was said until then was paid for.
    expect(events.at(-1)).toMatchObject({ usage: { outputTokens: 1, estimated: true } });
  });

  it('does not wait for a tool, not even for one that does not listen', async () => {
    const controller = new AbortController();
    const { options, tools } = stage({
      script: [{ calls: [{ name: 'polite' }, { name: 'deaf' }] }],
      tools: [
        { name: 'polite', run: hang },
        { name: 'deaf', run: () => new Promise(() => {}) },
      ],
      signal: controller.signal,
    });
    let last: AgentEvent | undefined;
    for await (const event of runAgent(options)) {
      last = event;
      if (event.type === 'call-start' && event.call.name === 'deaf') queueMicrotask(() => controller.abort());
    }
    expect(last).toMatchObject({ type: 'run-end', reason: 'cancelled' });
    expect([...tools.running]).toEqual(['c2']);
  });

  it('reaches any number of calls, without a warning of the platform', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.message);
    process.on('warning', note);
    const { options, tools } = stage({
      script: [{ calls: Array.from({ length: 40 }, () => ({ name: 'wait' })) }],
      tools: [{ name: 'wait', run: hang }],
    });
    let started = 0;
    for await (const event of runAgent(options)) if (event.type === 'call-start' && ++started === 40) break;
    await setImmediate();
    process.off('warning', note);
    expect([tools.mostRunning, tools.running.size]).toEqual([40, 0]);
    expect(warnings).toEqual([]);
  });

  it('by a reader that leaves while it waits is not held up', async () => {
    const { options, tools } = stage({
      script: [{ calls: [{ name: 'wait' }] }],
      tools: [{ name: 'wait', run: hang }],
    });
    const run = runAgent(options);
    for (let next = await run.next(); next.value?.type !== 'call-start'; ) next = await run.next();
    const pending = run.next();
    await run.return?.();
    expect((await pending).value).toMatchObject({ type: 'run-end', reason: 'cancelled' });
    expect(await run.next()).toMatchObject({ done: true });
    expect(tools.running.size).toBe(0);
  });

  it('of one task below leaves the run and its other tasks alone', async () => {
    const texts: string[] = [];
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { end } = await playRun({
      script: [
        { calls: [{ name: 'task' }] },
        { calls: [{ name: 'hang' }] },
        { calls: [{ name: 'task', args: '{"n":2}' }] },
        { text: 'Looked.' },
        { text: 'Done.' },
      ],
      tools: [
        {
          name: 'hang',
          run: (call, context) => {
            begin();
            return hang(call, context);
          },
        },
        {
          name: 'task',
          run: async (_call, context) => {
            const mine = new AbortController();
            const isFirst = texts.length === 0;
            const running = context.runSubTask?.({ prompt: 'look' }, mine.signal);
            await begun;
            if (isFirst) mine.abort(new GatewayError('cancelled', 'Not this one.'));
            const text = await running?.then(
              (result) => result.text,
              (thrown: unknown) => GatewayError.from(thrown).message,
            );
            texts.push(text ?? 'no task');
            return textResult(text ?? 'no task');
          },
        },
      ],
    });
    expect(texts).toEqual(['Not this one.', 'Looked.']);
    expect(end).toMatchObject({ reason: 'done' });
  });

  it('before the start asks nobody anything', async () => {
    const { options, model, tools } = stage({ ...long, signal: AbortSignal.abort() });
    const events: AgentEvent[] = [];
    for await (const event of runAgent(options)) events.push(event);
    expect(events).toMatchObject([{ type: 'run-end', reason: 'cancelled' }]);
    expect([model.requests.length, tools.modes.length]).toEqual([0, 0]);
  });

  it('after the end leaves alone what tools started in the background', async () => {
    let signal: AbortSignal | undefined;
    const { options } = stage({
      script: [{ calls: [{ name: 'shell' }] }],
      tools: [
        {
          name: 'shell',
          run: (_call, context) => {
            signal = context.signal;
            return textResult('in the background');
          },
        },
      ],
    });
    for await (const event of runAgent(options)) if (event.type === 'run-end') break;
    expect(signal?.aborted).toBe(false);
  });
});
