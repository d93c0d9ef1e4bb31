import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError, type Message, textOf, type Usage, userMessage } from '../core/index.ts';
import { compactConversation } from './compaction.ts';
import { estimateMessages } from './context-size.ts';
import { findRunProblem, playRun } from './fixtures/play-run.ts';
import { textResult } from './fixtures/scripted-tools.ts';
import { trimConversation } from './trim-conversation.ts';

const usage = (inputTokens: number): Usage => ({
  inputTokens,
  outputTokens: 10,
  totalTokens: inputTokens + 10,
});
const overflow = new GatewayError('context-overflow', 'Too long.');
const round = (id: string, text: string): Message[] => [
  {
    role: 'assistant',
    content: [{ type: 'tool-call', callId: id, name: 'read', kind: 'function', argumentsText: '{}' }],
  },
  { role: 'tool', content: [{ type: 'tool-result', callId: id, content: [{ type: 'text', text }] }] },
];

/** Calls without results, results without calls, and results before their call. */
function findLoosePart(messages: readonly Message[]): string | undefined {
  const open = new Set<string>();
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === 'tool-call') open.add(part.callId);
      if (part.type === 'tool-result' && !open.delete(part.callId)) return `result ${part.callId}`;
    }
  }
  const [call] = open;
  return call === undefined ? undefined : `call ${call}`;
}

describe('a conversation that fills the window', () => {
  it('is summed up before the next step', async () => {
    const { model, events, end, messages } = await playRun({
      script: (_request, turn) => {
        if (turn === 0) return { calls: [{ name: 'read' }], usage: usage(500) };
        if (turn === 1) return { calls: [{ name: 'read', args: '{"b":1}' }], usage: usage(900) };
        return turn === 2
          ? { text: 'They want tea.', usage: usage(700) }
          : { text: 'Done.', usage: usage(200) };
      },
      tools: [{ name: 'read', run: () => textResult('x'.repeat(200)) }],
      contextWindow: () => 1000,
      task: { messages: [userMessage('Make tea.')] },
    });
    expect(end).toMatchObject({ reason: 'done', usage: { inputTokens: 2300 } });
    expect(findRunProblem(events)).toBeUndefined();
    const types = events.map(({ type }) => type);
    expect(types.indexOf('compaction-start')).toBe(types.indexOf('compaction-end') - 1);
    const asked = model.requests[2];
    expect(asked?.tools).toEqual([]);
    expect(asked?.messages).toHaveLength(2);
    const transcript = textOf(asked?.messages[1]?.content ?? []);
    expect(transcript).toContain('called read {"b":1}');
    expect(transcript).toContain('read answered: xxx');
    expect(textOf(messages[0]?.content ?? [])).toContain('They want tea.');
    expect(textOf(messages[1]?.content ?? [])).toBe('Make tea.');
    expect(findLoosePart(messages)).toBeUndefined();
    expect(model.requests[3]?.messages.slice(1).length).toBe(messages.length - 1);
  });

  it('is not summed up again before it has grown', async () => {
    const { events } = await playRun({
      script: (request, turn) =>
        request.tools.length === 0
          ? { text: 'summary' }
          : { calls: [{ name: 'write', args: `{"n":${turn}}` }] },
      tools: [{ name: 'write' }],
      // The prompt alone is larger than this window.
      contextWindow: () => 300,
      task: { limits: { maxSteps: 8 } },
    });
    expect(events.filter(({ type }) => type === 'compaction-start').length).toBeLessThan(5);
  });

  it('is summed up when the upstream says that it overflows, and the step is asked again', async () => {
    const { model, end, events, messages } = await playRun({
      script: [
        { calls: [{ name: 'read' }] },
        { refusal: overflow },
        { text: 'The summary.' },
        { text: 'Done.' },
      ],
      tools: [{ name: 'read', run: () => textResult('x'.repeat(20_000)) }],
    });
    expect(end).toMatchObject({ reason: 'done' });
    expect(model.requests).toHaveLength(4);
    expect(findRunProblem(events)).toBeUndefined();
    expect(textOf(messages[0]?.content ?? [])).toContain('The summary.');
    expect(findLoosePart(messages)).toBeUndefined();
    const steps = events.flatMap((event) => (event.type === 'step-end' ? [event.messages.length] : []));
    expect(steps).toEqual([2, 0, 1]);
  });

  it('is summed up each time that it overflows anew', async () => {
    const big = [{ calls: [{ name: 'read' }] }, { refusal: overflow }, { text: 'The summary.' }];
    const { end, events } = await playRun({
      script: [...big, ...big, { text: 'Done.' }],
      tools: [{ name: 'read', run: () => textResult('x'.repeat(20_000)) }],
    });
    expect(end).toMatchObject({ reason: 'done' });
    expect(events.filter(({ type }) => type === 'compaction-end')).toHaveLength(2);
  });

  it('is summed up and asked again when an answer without calls filled it', async () => {
    const { end, messages } = await playRun({
      script: [{ text: 'Hal', finish: 'context-full' }, { text: 'The summary.' }, { text: 'Whole.' }],
      task: { messages: [userMessage('a'), ...round('x', 'y'), userMessage('b')] },
    });
    expect(end).toMatchObject({ reason: 'done' });
    expect(textOf(messages.at(-1)?.content ?? [])).toBe('Whole.');
    expect(JSON.stringify(messages)).not.toContain('Hal');
  });

  it('is summed up after the calls of an answer that filled it', async () => {
    const { end, events } = await playRun({
      script: [
        { calls: [{ name: 'read' }], finish: 'context-full' },
        { text: 'The summary.' },
        { text: 'Done.' },
      ],
      tools: [{ name: 'read' }],
    });
    expect(end).toMatchObject({ reason: 'done' });
    const types = events.map(({ type }) => type);
    expect(types.indexOf('compaction-start')).toBeGreaterThan(types.indexOf('call-end'));
  });

  it('fails when it still overflows after that', async () => {
    const { end } = await playRun({
      script: (request) => (request.tools.length === 0 ? { text: 'summary' } : { refusal: overflow }),
      tools: [{ name: 'read' }],
      task: { messages: [userMessage('a'), ...round('x', 'y'.repeat(9000)), userMessage('b')] },
    });
    expect(end).toMatchObject({ type: 'run-error', error: { code: 'context-overflow' } });
  });

  it('fails in words when there is nothing to shorten', async () => {
    const { end } = await playRun({ script: [{ refusal: overflow }] });
    expect(end).toMatchObject({ type: 'run-error', error: { code: 'context-overflow' } });
    expect(end?.type === 'run-error' && end.error.message).toContain('larger window');
  });

  it('is trimmed, with a notice, when no summary can be had', async () => {
    const { events, end } = await playRun({
      script: [
        { refusal: overflow },
        { refusal: new GatewayError('rate-limited', 'Slow down.') },
        { text: 'Done.' },
      ],
      tools: [{ name: 'read' }],
      task: {
        messages: [
          userMessage('a'),
          ...round('x', 'y'.repeat(9000)),
          ...round('z', 'short'),
          userMessage('b'),
        ],
      },
    });
    expect(end).toMatchObject({ reason: 'done' });
    const compaction = events.find((event) => event.type === 'compaction-end');
    expect(compaction).toMatchObject({ summary: expect.stringContaining('Slow down.') });
    expect(JSON.stringify(compaction)).toContain('was removed to make room');
  });
});

const conversations = fc
  .array(
    fc.oneof(
      fc.integer({ min: 1, max: 3000 }).map((size) => [userMessage('u'.repeat(size))]),
      fc.integer({ min: 1, max: 9000 }).map((size) => ({ size })),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((items) => [
    userMessage('first'),
    ...items.flatMap((item, index) => ('size' in item ? round(`c${index}`, 'r'.repeat(item.size)) : item)),
  ]);

describe('making room', () => {
  it('never parts a call from its result and never makes a conversation longer, with or without a summary', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversations,
        fc.integer({ min: 1000, max: 20_000 }),
        fc.boolean(),
        async (messages, window, canSum) => {
          const compacted = await compactConversation({
            messages,
            window,
            summarise: async () => {
              if (!canSum) throw new GatewayError('rate-limited', 'no');
              return 'sum';
            },
            signal: new AbortController().signal,
          });
          if (!compacted) return;
          expect(findLoosePart(compacted.messages)).toBeUndefined();
          const last = messages.at(-1);
          expect(compacted.messages.at(-1)?.role).toBe(last?.role);
          // The frame of a summary is a few words that a short conversation may not have had.
          expect(estimateMessages(compacted.messages)).toBeLessThan(estimateMessages(messages) + 80);
        },
      ),
    );
  });

  const compact = (messages: readonly Message[], summarise: () => Promise<string>, signal?: AbortSignal) =>
    compactConversation({
      messages,
      window: 1_000,
      summarise,
      signal: signal ?? new AbortController().signal,
    });

  it('takes an empty summary for none', async () => {
    const messages = [userMessage('a'), ...round('x', 'y'.repeat(9_000)), ...round('z', 'y')];
    expect(await compact(messages, async () => ' \n')).toMatchObject({
      summary: expect.stringContaining('No summary was made (the summary was empty)'),
    });
  });

  it('clips the results of what stays, and leaves out a request that would itself fill the window', async () => {
    const result = `begin${'y'.repeat(9_000)}end`;
    const long = userMessage('x'.repeat(4_000));
    const kept = await compact([long, ...round('x', result)], async () => 'sum');
    expect(kept?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(kept?.messages).not.toContainEqual(long); // the summary says it in less
    expect(JSON.stringify(kept?.messages.at(-1))).toMatch(/begin.*characters left out.*end/);
    expect(estimateMessages(kept?.messages ?? [])).toBeLessThan(400);
  });

  it('does nothing more for a run that is over', async () => {
    const controller = new AbortController();
    const messages = [userMessage('a'), ...round('x', 'y'.repeat(9_000))];
    const cancelled = new GatewayError('cancelled', 'Stop.');
    const compacting = compact(
      messages,
      async () => {
        controller.abort(cancelled);
        throw new GatewayError('upstream-unavailable', 'cut');
      },
      controller.signal,
    );
    await expect(compacting).rejects.toBe(cancelled);
  });

  it('without a model clips a last result that is too long by itself', () => {
    const trimmed = trimConversation([userMessage('a'), ...round('x', `begin${'y'.repeat(9_000)}end`)], 500);
    expect(JSON.stringify(trimmed.at(-1))).toMatch(/begin.*characters left out.*end/);
    expect(estimateMessages(trimmed)).toBeLessThan(500);
  });

  it('keeps what the user said last', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 3000 }), (messages, maxTokens) => {
        const trimmed = trimConversation(messages, maxTokens);
        expect(findLoosePart(trimmed)).toBeUndefined();
        expect(trimmed).toContainEqual(messages.findLast(({ role }) => role === 'user'));
      }),
    );
  });
});
