import { describe, expect, it } from 'vitest';
import { type AgentEvent, type Message, textOf } from '../core/index.ts';
import { playRun } from './fixtures/play-run.ts';

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);
const lastText = (message: Message | undefined) => textOf(message?.content ?? []);

describe('answers that are none', () => {
  it('asks once more after an empty answer', async () => {
    const { end, events, messages } = await playRun({ script: [{}, { text: 'Done.' }] });
    expect(end).toMatchObject({ reason: 'done' });
    expect(types(events)).toContain('hint');
    expect(lastText(messages[1])).toMatch(/not by the user.*empty/s);
  });

  it('does not keep a thought that led to nothing', async () => {
    const { messages } = await playRun({ script: [{ reasoning: 'hm' }, { text: 'Done.' }] });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });

  it('is patient again after a round of calls', async () => {
    const script = [{}, { calls: [{ name: 'read' }] }, {}, { text: 'Done.' }];
    expect((await playRun({ script, tools: [{ name: 'read' }] })).end).toMatchObject({ reason: 'done' });
  });

  it('fails after a second empty answer', async () => {
    const { end } = await playRun({ script: [{ reasoning: 'hm' }, {}] });
    expect(end).toMatchObject({ type: 'run-error', error: { code: 'upstream-malformed' } });
  });

  it('never runs half a call', async () => {
    const cut = { text: 'Writing.', cutCall: 'write', finish: 'length' } as const;
    const { tools, end, messages } = await playRun({ script: [cut, cut], tools: [{ name: 'write' }] });
    expect(tools.executions.size).toBe(0);
    expect(lastText(messages[2])).toContain('in the middle of a call to write');
    expect(end).toMatchObject({ reason: 'length', explanation: expect.stringContaining('write') });
  });

  it('runs the whole calls of a cut answer, but not a last one that may be cut unseen', async () => {
    const { tools, messages } = await playRun({
      script: [
        {
          calls: [
            { name: 'write', args: '{"a":1}' },
            { name: 'patch', args: 'half', kind: 'custom' },
          ],
          finish: 'length',
        },
      ],
      tools: [{ name: 'write' }, { name: 'patch' }],
    });
    expect([...tools.executions.keys()]).toEqual(['c1']);
    expect(messages[2]?.content[1]).toMatchObject({ callId: 'c2', isError: true });
  });

  it('says when the output limit was reached', async () => {
    const { end } = await playRun({ script: [{ text: 'Once upon', finish: 'length' }] });
    expect(end).toMatchObject({ reason: 'length', explanation: expect.stringContaining('output limit') });
  });

  it.each([
    ['content-filter', 'A content filter stopped'],
    ['refusal', 'The model declined'],
  ] as const)('runs nothing of an answer that ended in a %s', async (finish, words) => {
    const { tools, end, messages } = await playRun({
      script: [{ text: 'Well', calls: [{ name: 'write' }], finish }],
      tools: [{ name: 'write' }],
    });
    expect(tools.executions.size).toBe(0);
    expect(end).toMatchObject({ reason: 'content-filter', explanation: expect.stringContaining(words) });
    expect(messages.at(-1)?.content).toMatchObject([{ type: 'text', text: 'Well' }]);
  });

  it('goes on after a pause', async () => {
    const { model, end } = await playRun({ script: [{ text: 'Wait.', finish: 'pause' }, { text: 'Done.' }] });
    expect(end).toMatchObject({ reason: 'done' });
    expect(model.requests[1]?.messages.at(-1)?.role).toBe('assistant');
  });
});
