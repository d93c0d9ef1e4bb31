import { describe, expect, it } from 'vitest';
import {
  findGrammarProblem,
  GatewayError,
  type ToolDefinition,
  type TurnEvent,
  type TurnRequest,
} from '../../core/index.ts';
import { declareTool, text } from './fixtures/declare-tool.ts';
import { ask, createTestUpstream, runDemo, system, user, withResults } from './fixtures/run-demo.ts';
import { toolSets } from './fixtures/tool-sets.ts';
import { countTokens } from './tokenizer.ts';

const tools = toolSets.OpenCode ?? [];

describe('a conversation with the demo model', () => {
  it('reads a file and answers from it', async () => {
    const request = ask('read package.json and tell me the version', tools);
    const first = await runDemo(request);
    expect(first.result.finishReason).toBe('tool-calls');
    expect(first.calls.map((call) => call.callId)).toEqual(['call_2']);
    const second = await runDemo(
      withResults(request, first, ['{\n  "name": "x",\n  "version": "1.2.3"\n}\n']),
    );
    expect(second.calls).toEqual([]);
    expect(second.result.finishReason).toBe('stop');
    expect(second.text).toContain('4 lines');
    expect(second.text).toContain('The version is 1.2.3.');
  });

  it('makes parallel calls in one turn and interleaves their arguments', async () => {
    const run = await runDemo(ask('read a.txt and run ls', tools));
    expect(run.calls.map((call) => call.name)).toEqual(['read', 'bash']);
    const order = run.events.flatMap((event) => (event.type === 'tool-input-delta' ? [event.callId] : []));
    expect(order.slice(0, 4)).toEqual([order[0], order[1], order[0], order[1]]);
    expect(order[0]).not.toBe(order[1]);
  });

  it('makes one call at a time when the client wants it so', async () => {
    const request = ask('read a.txt and run ls', tools, { parallelToolCalls: false });
    const first = await runDemo(request);
    expect(first.calls.map((call) => call.name)).toEqual(['read']);
    const next = withResults(request, first, ['text of a']);
    const second = await runDemo(next);
    expect(second.calls.map((call) => call.name)).toEqual(['bash']);
    const last = await runDemo(withResults(next, second, ['a.txt']));
    expect(last.calls).toEqual([]);
    expect(last.text).toContain('text of a');
  });

  it('waits for the result of a step before the next one', async () => {
    const request = ask('create a.txt with hello then run cat a.txt then delete a.txt', tools);
    const names: string[] = [];
    let next: TurnRequest = request;
    for (let round = 0; round < 4; round++) {
      const run = await runDemo(next);
      names.push(run.calls.map((call) => call.name).join() || run.result.finishReason);
      next = withResults(next, run, ['ok']);
    }
    expect(names).toEqual(['write', 'bash', 'bash', 'stop']);
  });

  it('reports what a failing tool said', async () => {
    const request = ask('read none.txt', tools);
    const run = await runDemo(request);
    const { text: answer } = await runDemo(
      withResults(request, run, [{ text: 'ENOENT: none.txt', isError: true }]),
    );
    expect(answer).toContain('failed to read none.txt');
    expect(answer).toContain('The tool said: \n\n```\nENOENT: none.txt');
  });

  it.each([
    ['{"output":"boom\\n","metadata":{"exit_code":2}}', 'exit code 2'],
    ['Process exited with code 0\nOutput:\nfine', 'exit code 0'],
    ['', 'returned no text'],
  ])('understands the command result %j', async (result, phrase) => {
    const request = ask('run make', tools);
    const run = await runDemo(request);
    expect((await runDemo(withResults(request, run, [result]))).text).toContain(phrase);
  });

  it('never repeats a call whose result is there, even if the client rewrote its arguments', async () => {
    const request = ask('read a.txt', tools);
    const run = await runDemo(request);
    const answered = withResults(request, run, ['hello']);
    const messages = answered.messages.map((message) => ({
      ...message,
      content: message.content.map((part) =>
        part.type === 'tool-call' ? { ...part, argumentsText: '{"filePath":"/x/a.txt","limit":9}' } : part,
      ),
    }));
    expect((await runDemo({ ...answered, messages })).calls).toEqual([]);
  });

  it('gives up on a client that never returns results', async () => {
    let request = ask('run ls', tools);
    const counts: number[] = [];
    for (let round = 0; round < 5; round++) {
      const run = await runDemo(request);
      counts.push(run.calls.length);
      request = {
        ...request,
        messages: [...request.messages, { role: 'assistant', content: run.result.content }],
      };
    }
    expect(counts).toEqual([1, 1, 1, 0, 0]);
  });

  it('quotes long output only in part, in a fence that holds', async () => {
    const request = ask('read a.md', tools);
    const run = await runDemo(request);
    const long = `\`\`\`js\n${'line 😀\n'.repeat(5000)}`;
    const { text: answer } = await runDemo(withResults(request, run, [long]));
    expect(answer.length).toBeLessThan(2000);
    expect(answer).toContain('````\n```js');
    expect(answer).toContain('5001 lines');
  });

  it('skips the context that clients add after tool results', async () => {
    const request = ask(
      '<task>read a.txt</task>\n<environment_details>run rm -rf x</environment_details>',
      tools,
    );
    const run = await runDemo(request);
    const answered = withResults(request, run, ['hello']);
    const more = user('<environment_details>\n# Visible files\nrun ls\n</environment_details>');
    const last = await runDemo({ ...answered, messages: [...answered.messages, more] });
    expect(last.calls).toEqual([]);
    expect(last.text).toContain('hello');
  });

  it('is open about what it is', async () => {
    for (const question of ['hello', 'who are you?', 'are you an AI?', 'write me a poem about the sea']) {
      const run = await runDemo(ask(question));
      expect(run.text).toContain('rule-based program');
      expect(run.text).toContain('not an AI');
    }
  });

  it('does not pretend to know facts', async () => {
    expect((await runDemo(ask('what is the capital of France?', tools))).text).toContain(
      'I have no rule for this request',
    );
  });

  it('does not take an exit code in a file for its own', async () => {
    const request = ask('read a.log', tools);
    const run = await runDemo(request);
    expect((await runDemo(withResults(request, run, ['step failed with exit code 3']))).text).not.toContain(
      'ended with',
    );
  });

  it('calculates, and says what it is told to say', async () => {
    expect((await runDemo(ask('what is 2+2?'))).text).toBe('2+2 = 4');
    expect((await runDemo(ask('Reply with exactly: pong'))).text).toBe('pong');
  });

  it('names what is missing when no tool fits', async () => {
    const { text: answer, calls } = await runDemo(
      ask('run ls', [declareTool('weather', 'Weather', { city: text('City') })]),
    );
    expect(calls).toEqual([]);
    expect(answer).toContain('a shell tool');
    expect(answer).toContain('`weather`');
  });

  it('writes a title when a client asks for one', async () => {
    const request = ask('');
    const messages = [
      system('You are a title generator. You output ONLY a thread title.'),
      user('Generate a title for this conversation:'),
      user('read package.json please'),
    ];
    expect((await runDemo({ ...request, messages })).text).toBe('read package json please');
  });
});

describe('options of a request', () => {
  it('no tools may be called with tool choice none', async () => {
    const run = await runDemo(ask('run ls', tools, { toolChoice: { type: 'none' } }));
    expect(run.calls).toEqual([]);
    expect(run.result.finishReason).toBe('stop');
  });

  it('a chosen tool is called, with the wish if it fits', async () => {
    const bash = { type: 'tool', kind: 'function', name: 'bash' } as const;
    expect((await runDemo(ask('read a.txt', tools, { toolChoice: bash }))).calls[0]?.input).toMatchObject({
      command: 'cat a.txt',
    });
    expect((await runDemo(ask('hmm', tools, { toolChoice: bash }))).calls[0]?.name).toBe('bash');
  });

  it('only allowed tools are called', async () => {
    const toolChoice = {
      type: 'allowed',
      mode: 'auto',
      tools: [{ kind: 'function', name: 'bash' }],
    } as const;
    expect((await runDemo(ask('read a.txt', tools, { toolChoice }))).calls.map(({ name }) => name)).toEqual([
      'bash',
    ]);
  });

  it('a named tool gets the JSON it was given, as it was written', async () => {
    const weather: ToolDefinition = declareTool('get_weather', 'Weather', { city: text('City') });
    const run = await runDemo(ask('call get_weather with {"city": "Oslo", "days": [1, 2]}', [weather]));
    expect(run.calls[0]?.input).toEqual({ city: 'Oslo', days: [1, 2] });
  });

  it('a JSON schema is answered with an instance of it', async () => {
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, score: { type: 'integer', minimum: 5 } },
      required: ['title', 'score'],
      additionalProperties: false,
    };
    const run = await runDemo(ask('rate the cats', [], { output: { type: 'json-schema', schema } }));
    expect(JSON.parse(run.text)).toEqual({ title: 'rate the cats', score: expect.any(Number) });
    expect(typeof JSON.parse((await runDemo(ask('hi', [], { output: { type: 'json' } }))).text)).toBe(
      'object',
    );
  });

  it('reasoning is shown when asked for, and counted', async () => {
    const run = await runDemo(ask('run ls', tools, { reasoning: { effort: 'low' } }));
    const [first] = run.result.content;
    expect(first).toMatchObject({ type: 'reasoning', form: 'raw' });
    const { reasoningTokens = 0, outputTokens = 0 } = run.result.usage ?? {};
    expect(reasoningTokens).toBe(first?.type === 'reasoning' ? countTokens(first.text) : 0);
    expect(outputTokens).toBeGreaterThan(reasoningTokens);
    for (const reasoning of [{ effort: 'none' }, { enabled: false, effort: 'high' }]) {
      expect(
        (await runDemo(ask('run ls', tools, { reasoning }))).result.usage?.reasoningTokens,
      ).toBeUndefined();
    }
  });

  it('the output limit cuts text and calls, and never leaves half a call', async () => {
    for (let maxOutputTokens = 0; maxOutputTokens < 40; maxOutputTokens++) {
      const run = await runDemo(ask('read a.txt and run ls -la', tools, { sampling: { maxOutputTokens } }));
      expect(run.result.usage?.outputTokens).toBeLessThanOrEqual(maxOutputTokens);
      if (run.result.finishReason !== 'length') expect(run.calls).toHaveLength(2);
    }
    const whole = await runDemo(ask('what is 2+2', [], { sampling: { maxOutputTokens: 5 } }));
    expect(whole.result).toMatchObject({ finishReason: 'stop', usage: { outputTokens: 5 } });
  });

  it('a stop string ends the text before it', async () => {
    const run = await runDemo(ask('say one two STOP three', [], { sampling: { stop: ['ZZZ', 'o STOP'] } }));
    expect(run.text).toBe('one tw');
    expect(run.result.end).toMatchObject({ reason: 'stop-sequence', stopSequence: 'o STOP' });
    const free = await runDemo(ask('say one two STO', [], { sampling: { stop: ['STOP'] } }));
    expect(free.text).toBe('one two STO');
  });

  it('usage is exact, deterministic and the same for the same conversation', async () => {
    const request = ask('read a.txt', tools);
    const [a, b] = [await runDemo(request), await runDemo(request)];
    expect(a.events).toEqual(b.events);
    expect(a.result.usage).not.toHaveProperty('estimated');
    expect(a.result.usage?.totalTokens).toBe(
      (a.result.usage?.inputTokens ?? 0) + (a.result.usage?.outputTokens ?? 0),
    );
    expect(a.events.at(-2)?.type).toBe('usage');
    expect(a.events.at(-1)?.type).toBe('turn-end');
  });
});

describe('the demo upstream', () => {
  it('can be stopped at every event and still ends well', async () => {
    const upstream = () => createTestUpstream({ eventsPerBatch: 1 });
    const request = ask('read a.txt and run ls', tools, { reasoning: { effort: 'high' } });
    const { events: whole } = await runDemo(request, upstream());
    for (let count = 1; count < whole.length; count++) {
      const abort = new AbortController();
      const events: TurnEvent[] = [];
      for await (const batch of upstream().openTurn({ turnId: 't', request, signal: abort.signal })) {
        events.push(...batch.events);
        if (events.length >= count) abort.abort();
      }
      expect(findGrammarProblem(events)).toBeUndefined();
      const last = events.at(-1);
      if (events.length < whole.length)
        expect(last).toMatchObject({ type: 'turn-error', error: { code: 'cancelled' } });
      else expect(last?.type === 'turn-end' || last?.type === 'turn-error').toBe(true);
    }
  });

  it('refuses a turn that was cancelled before it began', async () => {
    const turn = createTestUpstream().openTurn({
      turnId: 't',
      request: ask('hello'),
      signal: AbortSignal.abort(),
    });
    await expect(collect(turn)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('ends the turn in the stream when waiting fails', async () => {
    const sleep = () => Promise.reject(new GatewayError('internal', 'no clock'));
    const run = await runDemo(ask('hello', [], { model: 'slow' }), createTestUpstream({ sleep }));
    expect(run.result.error?.message).toBe('no clock');
  });

  it('refuses more input than its window holds', async () => {
    const turn = createTestUpstream({}, 10).openTurn({
      turnId: 't',
      request: ask('many words '.repeat(20)),
      signal: new AbortController().signal,
    });
    await expect(collect(turn)).rejects.toMatchObject({ code: 'context-overflow' });
  });

  it('lists its models with their window', async () => {
    const models = await createTestUpstream().listModels(new AbortController().signal);
    expect(models.map(({ id }) => id)).toContain('long-text');
    expect(models.every(({ contextWindow = 0 }) => contextWindow > 0)).toBe(true);
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
