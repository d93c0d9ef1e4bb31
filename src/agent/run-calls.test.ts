import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AgentCall, AgentEvent, CallResult, Parallel } from '../core/index.ts';
import { EventQueue } from './event-queue.ts';
import { textResult } from './fixtures/scripted-tools.ts';
import { FEW, runCalls } from './run-calls.ts';

const call = (callId: string, name = callId): AgentCall => ({
  callId,
  name,
  kind: 'function',
  argumentsText: '{}',
});

/** Calls that end when they are told to. */
class Bench {
  readonly started: string[] = [];
  readonly finish = new Map<string, () => void>();
  readonly events: AgentEvent[] = [];
  readonly done: Promise<readonly CallResult[]>;

  constructor(calls: readonly AgentCall[], parallelOf: (call: AgentCall) => Parallel) {
    const run = runCalls({
      calls,
      findProblem: ({ name }) => (name === 'unknown' ? textResult('unknown', { isError: true }) : undefined),
      parallelOf,
      run: ({ callId }) => {
        this.started.push(callId);
        return new Promise((resolve) => this.finish.set(callId, () => resolve(textResult(callId))));
      },
      signal: new AbortController().signal,
    });
    this.done = this.#read(run);
  }

  async end(...callIds: string[]): Promise<void> {
    for (const callId of callIds) this.finish.get(callId)?.();
    await setImmediate();
  }

  async #read(run: AsyncGenerator<AgentEvent, readonly CallResult[]>): Promise<readonly CallResult[]> {
    let next = await run.next();
    for (; !next.done; next = await run.next()) this.events.push(next.value);
    return next.value;
  }
}

describe('the calls of a round', () => {
  it('run together when they may, and answer in their own order', async () => {
    const bench = new Bench([call('a'), call('b'), call('c')], () => 'any');
    await bench.end();
    expect(bench.started).toEqual(['a', 'b', 'c']);
    await bench.end('c');
    await bench.end('a', 'b');
    expect(await bench.done).toEqual([textResult('a'), textResult('b'), textResult('c')]);
    const ends = bench.events.flatMap((event) => (event.type === 'call-end' ? event.call.callId : []));
    expect(ends).toEqual(['c', 'a', 'b']);
  });

  it('run alone after everything before and before everything after', async () => {
    const bench = new Bench([call('a'), call('b'), call('edit'), call('c')], ({ name }) =>
      name === 'edit' ? 'alone' : 'any',
    );
    await bench.end('b');
    expect(bench.started).toEqual(['a', 'b']);
    await bench.end('a');
    expect(bench.started).toEqual(['a', 'b', 'edit']);
    await bench.end('edit');
    expect(bench.started).toEqual(['a', 'b', 'edit', 'c']);
    await bench.end('c');
    expect(await bench.done).toHaveLength(4);
  });

  it('are at most five of one kind where few may run', async () => {
    const calls = Array.from({ length: FEW + 2 }, (_, index) => call(`f${index}`, 'fetch'));
    const bench = new Bench([...calls, call('g', 'grep')], () => 'few');
    await bench.end();
    expect(bench.started).toEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'g']);
    await bench.end('f3');
    expect(bench.started.at(-1)).toBe('f5');
    await bench.end('f0', 'f1', 'f2', 'f4', 'f5');
    await bench.end('f6', 'g');
    expect(await bench.done).toHaveLength(FEW + 3);
  });

  it('that cannot run are answered and hold nobody up', async () => {
    const bench = new Bench([call('u', 'unknown'), call('a')], () => 'alone');
    await bench.end();
    expect(bench.started).toEqual(['a']);
    await bench.end('a');
    expect(await bench.done).toMatchObject([{ isError: true }, {}]);
  });
});

describe('progress for a slow reader', () => {
  it('is joined per stream and bounded, with a notice of what is missing', () => {
    const queue = new EventQueue();
    for (let index = 0; index < 100; index++) {
      queue.progress('c', { text: 'x'.repeat(1024), stream: 'stdout' });
      queue.progress('c', { text: '!', stream: 'stderr' });
    }
    const [out, err, nothing] = [queue.shift(), queue.shift(), queue.shift()];
    expect(out?.type === 'call-progress' && out.progress.text?.length).toBeLessThan(66_000);
    expect(out?.type === 'call-progress' && out.progress.text).toMatch(/^\[36864 characters not shown\]/);
    expect(err).toMatchObject({ progress: { text: '!'.repeat(100), stream: 'stderr' } });
    expect(nothing).toBeUndefined();
  });

  it('keeps its place before the end of the call', () => {
    const queue = new EventQueue();
    queue.progress('c', { text: 'a' });
    queue.push({ type: 'call-end', call: call('c'), result: textResult('ok') });
    queue.progress('d', { text: 'b' });
    expect([queue.shift(), queue.shift(), queue.shift()].map((event) => event?.type)).toEqual([
      'call-progress',
      'call-end',
      'call-progress',
    ]);
  });
});
