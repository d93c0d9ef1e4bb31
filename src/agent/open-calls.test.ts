import { describe, expect, it } from 'vitest';
import { type AgentEvent, type Message, userMessage } from '../core/index.ts';
import { playRun } from './fixtures/play-run.ts';
import { textResult } from './fixtures/scripted-tools.ts';

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe('taking a run up again', () => {
  const open: Message[] = [
    userMessage('Go.'),
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', callId: 'x', name: 'read', kind: 'function', argumentsText: '{"a":1}' },
        { type: 'tool-call', callId: 'y', name: 'read', kind: 'function', argumentsText: '{"a":2}' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', callId: 'x', content: [] }] },
  ];

  it('settles the calls that are still open first, and only those', async () => {
    const { tools, events, messages } = await playRun({
      script: [{ text: 'Done.' }],
      tools: [{ name: 'read', run: ({ input }) => textResult(JSON.stringify(input)) }],
      task: { messages: open },
    });
    expect(types(events).slice(0, 5)).toEqual([
      'step-start',
      'round-open',
      'call-start',
      'call-end',
      'step-end',
    ]);
    expect(tools.executions).toEqual(new Map([['y', 1]]));
    expect(messages[3]?.content).toMatchObject([{ callId: 'y', content: [{ text: '{"a":2}' }] }]);
  });

  it('answers calls that were left behind when the user went on to something else', async () => {
    const { tools, model } = await playRun({
      script: [{ text: 'Done.' }],
      tools: [{ name: 'read' }],
      task: { messages: [...open, userMessage('Something else.')] },
    });
    expect(tools.executions.size).toBe(0);
    const sent = model.requests[0]?.messages.slice(1) ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(sent[3]?.content).toMatchObject([{ callId: 'y', isError: true }]);
  });

  it('says nothing more when the model has had its last word', async () => {
    const messages: Message[] = [
      userMessage('Go.'),
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ];
    const { model, end } = await playRun({ script: [], task: { messages } });
    expect(end).toMatchObject({ reason: 'done' });
    expect(model.requests).toEqual([]);
  });

  it('leaves alone what the model’s own server was to run', async () => {
    const search = {
      type: 'tool-call',
      callId: 'h',
      name: 'web',
      kind: 'hosted',
      argumentsText: '{}',
    } as const;
    const { model } = await playRun({
      script: [{ text: 'Done.' }],
      task: { messages: [userMessage('Go.'), { role: 'assistant', content: [search] }, userMessage('On.')] },
    });
    const roles = model.requests[0]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  });
});
