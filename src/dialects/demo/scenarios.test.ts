import { describe, expect, it } from 'vitest';
import type { EventBatch } from '../dialect.ts';
import { declareTool, number, text } from './fixtures/declare-tool.ts';
import { ask, createTestUpstream, runDemo, withResults } from './fixtures/run-demo.ts';
import { toolSets } from './fixtures/tool-sets.ts';
import { SCENARIO_NAMES } from './scenarios.ts';

const tools = toolSets['Claude Code'] ?? [];
const scenario = (model: string, more = {}) => ask('read a.txt', tools, { model, ...more });

describe('the demo scenarios', () => {
  it.each(SCENARIO_NAMES.filter((name) => name !== 'error-first'))(
    '%s keeps to the grammar, with and without tools',
    async (model) => {
      await runDemo(scenario(model));
      await runDemo(ask('hello', [], { model }));
    },
  );

  it('are chosen by model name or by metadata', async () => {
    const byName = await runDemo(scenario('refusal'));
    const byPrefix = await runDemo(scenario('demo/refusal'));
    const byMetadata = await runDemo(scenario('demo', { metadata: { demo_scenario: 'refusal' } }));
    expect([byName, byPrefix, byMetadata].map((run) => run.result.finishReason)).toEqual([
      'refusal',
      'refusal',
      'refusal',
    ]);
    expect(byName.result.content).toMatchObject([{ type: 'refusal' }]);
  });

  it('that are unknown are refused with the list of known ones', async () => {
    const unknown = runDemo(scenario('demo', { metadata: { demo_scenario: 'nope' } }));
    await expect(unknown).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('long-text'),
    });
    await expect(runDemo(scenario('nope'))).rejects.toMatchObject({ code: 'not-found' });
    await expect(runDemo(scenario('constructor'))).rejects.toMatchObject({ code: 'not-found' });
  });

  it('long-text has the size it was asked for', async () => {
    expect((await runDemo(scenario('long-text'))).text.split(' ')).toHaveLength(2000);
    const small = await runDemo(scenario('long-text', { metadata: { demo_size: '7' } }));
    expect(small.text.split(' ')).toHaveLength(7);
    await expect(runDemo(scenario('long-text', { metadata: { demo_size: 'big' } }))).rejects.toMatchObject({
      code: 'invalid-request',
    });
  });

  it('long-text is made while it is read, several events a batch', async () => {
    const request = scenario('long-text', { metadata: { demo_size: 100_000_000 } });
    const turn = createTestUpstream().openTurn({
      turnId: 't',
      request,
      signal: new AbortController().signal,
    });
    const batches: EventBatch[] = [];
    for await (const batch of turn) {
      batches.push(batch);
      if (batches.length === 100) break;
    }
    expect(batches.every(({ events }) => events.length >= 2 && events.length <= 20)).toBe(true);
  });

  it('slow waits 200 ms after every delta, and stops waiting when cancelled', async () => {
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const run = await runDemo(ask('say one two three', [], { model: 'slow' }), createTestUpstream({ sleep }));
    expect(run.text).toBe('one two three');
    expect(waits).toEqual([200, 200, 200]);

    const abort = new AbortController();
    const stopping = createTestUpstream({ sleep: async () => abort.abort() });
    const events = [];
    for await (const batch of stopping.openTurn({
      turnId: 't',
      request: scenario('slow'),
      signal: abort.signal,
    }))
      events.push(...batch.events);
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'cancelled' } });
  });

  it('error-first fails before anything was said, error-mid-stream after', async () => {
    await expect(runDemo(scenario('error-first'))).rejects.toMatchObject({
      code: 'rate-limited',
      retryAfterMs: 1000,
    });
    const run = await runDemo(scenario('error-mid-stream'));
    expect(run.text).not.toBe('');
    expect(run.result.error?.code).toBe('upstream-unavailable');
  });

  it('huge-arguments are a megabyte, valid for any tool', async () => {
    for (const tool of [tools[1], declareTool('count', 'Counts', { n: number('How many') })]) {
      const run = await runDemo(ask('go', tool ? [tool] : [], { model: 'huge-arguments' }));
      expect(run.calls[0]?.argumentsText.length).toBeGreaterThan(1024 * 1024);
      expect(run.calls[0]).not.toHaveProperty('inputProblem');
    }
  });

  it('unicode streams every code point alone, in text and arguments', async () => {
    const run = await runDemo(
      ask('go', [declareTool('note', 'Notes', { body: text('Text') })], { model: 'unicode' }),
    );
    const deltas = run.events.flatMap((event) =>
      event.type === 'text-delta' || event.type === 'tool-input-delta' ? [event.text] : [],
    );
    expect(deltas.every((delta) => [...delta].length === 1)).toBe(true);
    expect(run.calls[0]?.input).toEqual({ body: run.text });
  });

  it('echo shows shapes and options, not contents', async () => {
    const run = await runDemo(
      scenario('echo', { sampling: { temperature: 0.5 }, metadata: { key: 'secret-value' } }),
    );
    expect(JSON.parse(run.text)).toMatchObject({
      model: 'echo',
      messages: [{ role: 'user', parts: [{ type: 'text', characters: 10 }] }],
      sampling: { temperature: 0.5 },
      metadataKeys: ['key'],
    });
    expect(run.text).not.toContain('secret-value');
  });

  it('parallel makes five calls, empty-arguments one without text', async () => {
    const parallel = await runDemo(scenario('parallel'));
    expect(new Set(parallel.calls.map(({ callId }) => callId)).size).toBe(5);
    const empty = await runDemo(scenario('empty-arguments'));
    expect(empty.calls).toMatchObject([{ argumentsText: '', input: {} }]);
    expect((await runDemo(withResults(scenario('parallel'), parallel, []))).result.finishReason).toBe('stop');
  });

  it('length ends at the limit, reasoning thinks aloud', async () => {
    expect((await runDemo(scenario('length'))).result.finishReason).toBe('length');
    expect((await runDemo(scenario('reasoning'))).result.content[0]).toMatchObject({ type: 'reasoning' });
  });
});
