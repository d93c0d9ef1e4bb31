import { describe, expect, it } from 'vitest';
import { countingIds, foldTurn, type JsonObject, textOf } from '../../core/index.ts';
import { buildSummaryTurn, decodeCompactRequest, encodeCompaction } from './compaction.ts';
import { decodeRequestBody } from './decode-request.ts';

const body = {
  model: 'm',
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: 'Rename a to b.' },
    { type: 'function_call', call_id: 'c', name: 'mv', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'ok' },
    { type: 'message', role: 'assistant', content: 'Done.' },
  ],
  tools: [{ type: 'function', name: 'mv', parameters: {} }],
};
const answer = foldTurn([
  { type: 'turn-start' },
  { type: 'text-start', id: 'x' },
  { type: 'text-delta', id: 'x', text: 'a is now b.' },
  { type: 'text-end', id: 'x' },
  { type: 'turn-end', reason: 'stop', usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 } },
]);

describe('compaction', () => {
  const request = decodeCompactRequest(body);

  it('asks for a summary after the whole conversation, without tools being called', () => {
    const turn = buildSummaryTurn(request);
    expect(turn.messages.slice(0, -1)).toEqual(request.messages);
    expect(turn.messages.at(-1)?.role).toBe('user');
    expect(textOf(turn.messages.at(-1)?.content ?? [])).toMatch(/summary/);
    expect(turn).toMatchObject({ stream: false, store: false, toolChoice: { type: 'none' } });
  });

  it('answers with the words of the user and one compaction item', () => {
    const compacted = encodeCompaction(answer, { request, nowMs: 7_000, newId: countingIds() });
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      created_at: 7,
      output: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rename a to b.' }] },
        { type: 'compaction', encrypted_content: expect.stringMatching(/^crosspoint\.summary\./) },
      ],
      usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12 },
    });
  });

  it('makes a conversation that any model can read on, and that can be compacted again', () => {
    const context = { nowMs: 0, newId: countingIds() };
    const first = encodeCompaction(answer, { request, ...context });
    const next = decodeRequestBody({
      model: 'm',
      input: [...(first.output as JsonObject[]), { role: 'user', content: 'Go on.' }],
    });
    expect(next.messages.map(({ content }) => textOf(content))).toEqual([
      'Rename a to b.',
      'Summary of the conversation so far:\n\na is now b.',
      'Go on.',
    ]);
    const second = encodeCompaction(answer, { request: next, ...context });
    expect((second.output as JsonObject[]).map(({ type }) => type)).toEqual([
      'message',
      'message',
      'compaction',
    ]);
  });

  it('does not call a turn without a summary a success', () => {
    const nothing = foldTurn([{ type: 'turn-start' }, { type: 'turn-end', reason: 'length' }]);
    const context = { request, nowMs: 0, newId: countingIds() };
    expect(() => encodeCompaction(nothing, context)).toThrowError(
      expect.objectContaining({ code: 'upstream-malformed' }),
    );
  });

  it('refuses what is no conversation', () => {
    expect(() =>
      decodeCompactRequest({ model: 'm', input: [{ role: 'system', content: 'S' }] }),
    ).toThrowError(
      expect.objectContaining({
        code: 'invalid-request',
        detail: expect.objectContaining({ param: 'input' }),
      }),
    );
  });
});
