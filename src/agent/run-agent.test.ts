import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, GatewayError, type Message, type ToolPort, textOf } from '../core/index.ts';
import { findRunProblem, playRun, stage } from './fixtures/play-run.ts';
import { hang, textResult } from './fixtures/scripted-tools.ts';
import { runAgent } from './run-agent.ts';

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const lastText = (message: Message | undefined) => textOf(message?.content ?? []);
const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});

describe('a run', () => {
  it('ends when the model answers without calls', async () => {
    const { events, end, messages } = await playRun({ script: [{ text: 'Hello.', usage: usage(10, 2) }] });
    expect(types(events)).toEqual(['step-start', 'turn-events', 'step-end', 'run-end']);
    expect(end).toEqual({ type: 'run-end', reason: 'done', usage: usage(10, 2) });
    expect(lastText(messages.at(-1))).toBe('Hello.');
  });

  it('runs calls and gives their results to the next turn, in the order of the calls', async () => {
    const { model, events, end } = await playRun({
      script: [
        {
          reasoning: 'hm',
          text: 'Reading.',
          calls: [{ name: 'slow' }, { name: 'fast' }],
          usage: usage(10, 5),
        },
        { text: 'Done.', usage: usage(20, 1) },
      ],
      tools: [
        { name: 'slow', run: async () => textResult(await Promise.resolve('later')) },
        { name: 'fast', run: () => textResult('sooner') },
      ],
    });
    expect(end).toMatchObject({ reason: 'done', usage: usage(30, 6) });
    expect(types(events).filter((type) => !type.startsWith('call'))).toEqual([
      ...['step-start', 'turn-events', 'round-open', 'step-end'],
      ...['step-start', 'turn-events', 'step-end', 'run-end'],
    ]);
    const [system, user, assistant, results] = model.requests[1]?.messages ?? [];
    expect([system?.role, user?.role]).toEqual(['system', 'user']);
    expect(assistant?.content).toMatchObject([
      { type: 'reasoning', text: 'hm', signature: 'signed' },
      { type: 'text', text: 'Reading.' },
      { type: 'tool-call', callId: 'c1', name: 'slow', argumentsText: '{}' },
      { type: 'tool-call', callId: 'c2', name: 'fast' },
    ]);
    expect(results?.content).toMatchObject([
      { type: 'tool-result', callId: 'c1', content: [{ text: 'later' }] },
      { type: 'tool-result', callId: 'c2', content: [{ text: 'sooner' }] },
    ]);
  });

  it('lets nothing of a round run before the reader has taken note of it', async () => {
    const { options, tools } = stage({
      script: [{ calls: [{ name: 'write' }] }],
      tools: [{ name: 'write' }],
    });
    for await (const event of runAgent(options)) {
      if (event.type === 'round-open') expect(tools.executions.size).toBe(0);
    }
    expect(tools.executions).toEqual(new Map([['c1', 1]]));
  });

  it('forwards events as they come', async () => {
    const { options } = stage({ script: [{ text: 'Hello.', isDribbled: true, hangs: true }] });
    const run = runAgent(options);
    for (const expected of ['step-start', 'turn-events', 'turn-events', 'turn-events']) {
      expect((await run.next()).value?.type).toBe(expected);
    }
    await run.return?.();
  });

  it('answers unknown tools and broken arguments itself', async () => {
    const { tools, messages } = await playRun({
      script: [
        { calls: [{ name: 'read_fil' }, { name: 'read_file', args: '{"path":' }] },
        { text: 'Sorry.' },
      ],
      tools: [{ name: 'read_file' }],
    });
    expect(tools.executions.size).toBe(0);
    expect(messages[2]?.content).toMatchObject([
      {
        callId: 'c1',
        isError: true,
        content: [{ text: expect.stringContaining('Did you mean read_file?') }],
      },
      { callId: 'c2', isError: true, content: [{ text: expect.stringContaining('not valid JSON') }] },
    ]);
  });

  it('asks tools nothing about a call that is none of theirs', async () => {
    const fail = () => {
      throw new Error('There is no such tool.');
    };
    const port: ToolPort = { list: async () => [], run: fail, parallelOf: fail, isReadOnly: fail };
    const { options } = stage({ script: [{ calls: [{ name: 'nope' }] }, { text: 'Done.' }] });
    const events: AgentEvent[] = [];
    for await (const event of runAgent({ ...options, tools: port })) events.push(event);
    expect(events.at(-1)).toMatchObject({ reason: 'done' });
  });

  it('hands a call by another name to tools that know it', async () => {
    const { options, tools } = stage({
      script: [{ calls: [{ name: 'Read' }] }, { text: 'Read.' }],
      tools: [{ name: 'read_file' }],
    });
    const asked: string[] = [];
    const knowing: ToolPort = {
      list: (mode) => tools.list(mode),
      parallelOf: () => 'any',
      isReadOnly: () => true,
      knows: (name) => name === 'Read',
      run: async (call) => {
        asked.push(call.name);
        return textResult('ok');
      },
    };
    for await (const _event of runAgent({ ...options, tools: knowing }));
    expect(asked).toEqual(['Read']);
  });

  it('shows progress between the start and the end of a call', async () => {
    const { events } = await playRun({
      script: [{ calls: [{ name: 'shell' }] }],
      tools: [
        {
          name: 'shell',
          run: (_call, { onProgress }) => {
            onProgress({ text: 'a', stream: 'stdout' });
            onProgress({ text: 'b', stream: 'stdout' });
            onProgress({ text: 'c', stream: 'stderr' });
            return textResult('ok');
          },
        },
      ],
    });
    expect(findRunProblem(events)).toBeUndefined();
    expect(events.flatMap((event) => (event.type === 'call-progress' ? [event.progress] : []))).toEqual([
      { text: 'ab', stream: 'stdout' },
      { text: 'c', stream: 'stderr' },
    ]);
  });

  it('hears nothing of a call after its end', async () => {
    let talk = () => {};
    const { events } = await playRun({
      script: [{ calls: [{ name: 'talker' }, { name: 'slow' }] }],
      tools: [
        {
          name: 'talker',
          run: (_call, { onProgress }) => {
            talk = () => onProgress({ text: 'late' });
            return textResult('ok');
          },
        },
        {
          name: 'slow',
          run: async () => {
            await setImmediate();
            talk();
            await setImmediate();
            return textResult('ok');
          },
        },
      ],
    });
    expect(findRunProblem(events)).toBeUndefined();
    expect(types(events)).not.toContain('call-progress');
  });

  it('gives call ids that a server uses again a name of their own', async () => {
    const { tools, messages } = await playRun({
      script: [{ calls: [{ name: 'read', id: 'call_0' }] }, { calls: [{ name: 'read', id: 'call_0' }] }],
      tools: [{ name: 'read' }],
    });
    expect([...tools.executions.values()]).toEqual([1, 1]);
    const ids = messages
      .flatMap(({ content }) => content)
      .flatMap((part) => ('callId' in part ? part.callId : []));
    expect(ids).toEqual(['call_0', 'call_0', 'call_1', 'call_1']);
  });

  it('changes the mode when a call says so', async () => {
    const { tools, events, model } = await playRun({
      script: [{ calls: [{ name: 'switch_mode' }] }, { text: 'Planned.' }],
      tools: [{ name: 'switch_mode', run: () => textResult('ok', { mode: 'plan' }) }],
    });
    expect(tools.modes).toEqual(['agent', 'plan']);
    expect(events.flatMap((event) => (event.type === 'step-start' ? event.mode : []))).toEqual([
      'agent',
      'plan',
    ]);
    expect(lastText(model.requests[1]?.messages[0])).toContain('Mode: plan');
  });

  it('rests when a call leaves the next word to the user', async () => {
    const { end, messages } = await playRun({
      script: [{ calls: [{ name: 'create_plan' }] }],
      tools: [{ name: 'create_plan', run: () => textResult('shown', { endsRun: true }) }],
    });
    expect(end).toMatchObject({ type: 'run-end', reason: 'awaiting-user' });
    expect(messages.at(-1)?.role).toBe('tool');
  });
});

describe('failures', () => {
  it.each([
    [
      'before the first event',
      { refusal: new GatewayError('unauthenticated', 'No key.') },
      'unauthenticated',
    ],
    [
      'in the middle',
      { text: 'a', error: new GatewayError('upstream-unavailable', 'Gone.') },
      'upstream-unavailable',
    ],
    ['by silence', { text: 'a', isCut: true }, 'upstream-malformed'],
  ])('of the model %s end the run with its error', async (_when, answer, code) => {
    const { events, end } = await playRun({ script: [answer] });
    expect(end).toMatchObject({ type: 'run-error', error: { code } });
    expect(findRunProblem(events)).toBeUndefined();
  });

  it('of the far end of the tools end the run and stop the other calls', async () => {
    const gone = new GatewayError('upstream-unavailable', 'The client is gone.');
    const { tools, end } = await playRun({
      script: [{ calls: [{ name: 'wait' }, { name: 'break' }] }],
      tools: [
        { name: 'wait', run: hang },
        { name: 'break', run: () => Promise.reject(gone) },
      ],
    });
    expect(end).toMatchObject({ type: 'run-error', error: gone });
    expect(tools.running.size).toBe(0);
  });

  it('of the model are counted only when it had begun to answer', async () => {
    const error = new GatewayError('internal', 'x');
    const refused = await playRun({ script: [{ refusal: error }] });
    expect(refused.end).toMatchObject({ type: 'run-error', usage: { totalTokens: 0 } });
    const broken = await playRun({ script: [{ text: 'Hello.', error }] });
    expect(broken.end).toMatchObject({ type: 'run-error', usage: { outputTokens: 2, estimated: true } });
  });

  it('of a turn that someone else cancelled end the run as cancelled', async () => {
    const refusal = new GatewayError('cancelled', 'Cancelled by the operator.');
    const { end } = await playRun({ script: [{ refusal }] });
    expect(end).toMatchObject({ reason: 'cancelled', explanation: 'Cancelled by the operator.' });
  });

  it('of a list of tools that does not come end the run', async () => {
    const { options, tools } = stage({ script: [] });
    tools.list = () => Promise.reject(new GatewayError('upstream-unavailable', 'No tools.'));
    const events: AgentEvent[] = [];
    for await (const event of runAgent(options)) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run-error', error: { message: 'No tools.' } });
  });

  it('of a task without messages are said', async () => {
    const { end } = await playRun({ script: [], task: { messages: [] } });
    expect(end).toMatchObject({ type: 'run-error', error: { code: 'invalid-request' } });
  });
});
