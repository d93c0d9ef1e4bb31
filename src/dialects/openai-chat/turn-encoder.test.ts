import { describe, expect, it } from 'vitest';
import { countingIds, foldTurn, GatewayError, type TurnEvent, type TurnRequest } from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { encodeResult } from './encode-result.ts';
import { ChatTurnEncoder } from './turn-encoder.ts';

function context(fields: Partial<TurnRequest> = {}): EncodeContext {
  const request: TurnRequest = { model: 'm', messages: [], tools: [], sampling: {}, stream: true, ...fields };
  return { turnId: 't', request, model: 'asked', nowMs: 7_900, newId: countingIds() };
}

function frames(events: readonly TurnEvent[], fields: Partial<TurnRequest> = {}): unknown[] {
  const text = new ChatTurnEncoder(context(fields)).encode(events);
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => {
      expect(frame.startsWith('data: ')).toBe(true);
      return frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6));
    });
}

/** What each chunk says, its envelope left out. */
function said(events: readonly TurnEvent[], fields: Partial<TurnRequest> = {}): unknown[] {
  return frames(events, fields).map((frame) => {
    const choice = (frame as { choices?: { delta: unknown; finish_reason: unknown }[] }).choices?.[0];
    return choice ? (choice.finish_reason ?? choice.delta) : frame;
  });
}

const start: TurnEvent = { type: 'turn-start', responseId: 'r1', model: 'real', createdAtMs: 5_000 };
const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, cacheReadTokens: 1 };

function textEvents(text: string): TurnEvent[] {
  return [
    { type: 'text-start', id: 'p0' },
    { type: 'text-delta', id: 'p0', text },
    { type: 'text-end', id: 'p0' },
  ];
}

function callEvents(
  callId: string,
  name: string,
  text: string,
  kind: 'function' | 'custom' = 'function',
): TurnEvent[] {
  const deltas: TurnEvent[] = text === '' ? [] : [{ type: 'tool-input-delta', callId, text }];
  return [
    { type: 'tool-input-start', callId, name, kind },
    ...deltas,
    { type: 'tool-input-end', callId },
    {
      type: 'tool-call',
      callId,
      name,
      kind,
      argumentsText: text,
      input: {},
      executor: 'client',
      resultVia: 'next-request',
    },
  ];
}

describe('a streamed answer', () => {
  it('is exactly what OpenAI would send', () => {
    const events: TurnEvent[] = [
      start,
      ...textEvents('Hi "you"'),
      { type: 'turn-end', reason: 'stop', usage },
    ];
    const envelope = { id: 'r1', object: 'chat.completion.chunk', created: 5, model: 'real' };
    const choice = { index: 0, logprobs: null, finish_reason: null };
    expect(frames(events, { includeUsage: true })).toEqual([
      { ...envelope, choices: [{ ...choice, delta: { role: 'assistant', content: '' } }], usage: null },
      { ...envelope, choices: [{ ...choice, delta: { content: 'Hi "you"' } }], usage: null },
      { ...envelope, choices: [{ ...choice, delta: {}, finish_reason: 'stop' }], usage: null },
      {
        ...envelope,
        choices: [],
        usage: {
          prompt_tokens: 3,
          completion_tokens: 2,
          total_tokens: 5,
          prompt_tokens_details: { cached_tokens: 1 },
        },
      },
      '[DONE]',
    ]);
  });

  it('keeps usage to itself unless it was asked for', () => {
    const text = new ChatTurnEncoder(context()).encode([
      start,
      ...textEvents('x'),
      { type: 'turn-end', reason: 'stop', usage },
    ]);
    expect(text).not.toContain('usage');
  });

  it('has one id, time and model even when the upstream gave none', () => {
    const [first, second] = frames([
      { type: 'turn-start' },
      ...textEvents('x'),
      { type: 'turn-end', reason: 'stop' },
    ]);
    const envelope = { id: 'chatcmpl-1', created: 7, model: 'asked' };
    expect(first).toMatchObject(envelope);
    expect(second).toMatchObject(envelope);
  });

  it('repeats the fingerprint and tier that came with the start', () => {
    const extra = { 'openai-chat': { service_tier: 'default', system_fingerprint: 'fp' } };
    const [first] = frames([
      { type: 'turn-start', extra },
      ...textEvents('x'),
      { type: 'turn-end', reason: 'stop' },
    ]);
    expect(first).toMatchObject({ service_tier: 'default', system_fingerprint: 'fp' });
  });

  it('numbers calls in the order of their start, wherever they stand', () => {
    const events: TurnEvent[] = [
      start,
      { type: 'tool-input-start', callId: 'a', name: 'f', kind: 'function' },
      { type: 'tool-input-start', callId: 'b', name: 'p', kind: 'custom' },
      { type: 'tool-input-delta', callId: 'b', text: '*** go' },
      { type: 'tool-input-delta', callId: 'a', text: '{"x":1}' },
      { type: 'tool-input-end', callId: 'a' },
      { type: 'tool-input-end', callId: 'b' },
      { type: 'turn-end', reason: 'tool-calls' },
    ];
    expect(said(events)).toEqual([
      { role: 'assistant', content: null },
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 1, id: 'b', type: 'custom', custom: { name: 'p', input: '' } }] },
      { tool_calls: [{ index: 1, custom: { input: '*** go' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] },
      'tool_calls',
      '[DONE]',
    ]);
  });

  it('gives a call without arguments an empty object, once, and an aborted one nothing', () => {
    const chunks = said([start, ...callEvents('a', 'f', ''), { type: 'turn-end', reason: 'tool-calls' }]);
    expect(chunks[2]).toEqual({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] });
    const aborted: TurnEvent[] = [
      start,
      { type: 'tool-input-start', callId: 'a', name: 'f', kind: 'function' },
      { type: 'tool-input-end', callId: 'a' },
      { type: 'turn-end', reason: 'length' },
    ];
    expect(said(aborted).slice(2)).toEqual(['length', '[DONE]']);
  });

  it('speaks the old form to a client that sent functions', () => {
    const extra = { 'openai-chat': { functions: true } };
    expect(
      said([start, ...callEvents('a', 'f', '{}'), { type: 'turn-end', reason: 'tool-calls' }], { extra }),
    ).toEqual([
      { role: 'assistant', content: null },
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{}' } },
      'function_call',
      '[DONE]',
    ]);
  });

  it('carries thoughts, refusals, notes and sound in their own fields', () => {
    const events: TurnEvent[] = [
      start,
      { type: 'reasoning-start', id: 'p0', form: 'raw' },
      { type: 'reasoning-delta', id: 'p0', text: 'hm' },
      { type: 'reasoning-end', id: 'p0' },
      { type: 'text-start', id: 'p1', form: 'refusal' },
      { type: 'text-delta', id: 'p1', text: 'no' },
      { type: 'text-end', id: 'p1' },
      { type: 'text-start', id: 'p2' },
      { type: 'text-end', id: 'p2', annotations: [{ url: 'u' }] },
      { type: 'media-start', id: 'a', kind: 'audio' },
      { type: 'media-delta', id: 'a', data: 'AAAA' },
      { type: 'media-end', id: 'a' },
      { type: 'warning', code: 'w', message: 'ignored' },
      { type: 'turn-end', reason: 'refusal' },
    ];
    expect(said(events).slice(1)).toEqual([
      { reasoning_content: 'hm' },
      { refusal: 'no' },
      { annotations: [{ url: 'u' }] },
      { audio: { data: 'AAAA' } },
      'stop',
      '[DONE]',
    ]);
  });

  it('ends an error with an error frame and no finish', () => {
    const error = new GatewayError('upstream-unavailable', 'gone');
    const body = {
      error: { message: 'gone', type: 'upstream_error', param: null, code: 'upstream_unavailable' },
    };
    expect(said([start, ...textEvents('x'), { type: 'turn-error', error }]).slice(2)).toEqual([
      body,
      '[DONE]',
    ]);
    expect(said([{ type: 'turn-error', error }])).toEqual([body, '[DONE]']);
  });

  it('says nothing after its end', () => {
    const encoder = new ChatTurnEncoder(context());
    encoder.encode([start, { type: 'turn-end', reason: 'stop' }]);
    expect(encoder.encode(textEvents('late'))).toBe('');
    expect(encoder.encodeRawEnding({ type: 'turn-end', reason: 'stop' })).toBe('');
  });

  it('closes a forwarded stream with [DONE], after an error frame if it failed', () => {
    expect(new ChatTurnEncoder(context()).encodeRawEnding({ type: 'turn-end', reason: 'stop' })).toBe(
      'data: [DONE]\n\n',
    );
    const failed = new ChatTurnEncoder(context()).encodeRawEnding({
      type: 'turn-error',
      error: new GatewayError('internal', 'x'),
    });
    expect(failed).toMatch(/^data: \{"error":.*\}\n\ndata: \[DONE\]\n\n$/);
  });
});

describe('a whole answer', () => {
  const whole = (events: TurnEvent[], fields: Partial<TurnRequest> = {}) =>
    encodeResult(foldTurn(events), context({ stream: false, ...fields }));

  it('has text, thoughts, calls, usage and the upstream own name', () => {
    const events: TurnEvent[] = [
      { ...start, extra: { 'openai-chat': { system_fingerprint: 'fp' } } },
      { type: 'reasoning-start', id: 'r', form: 'raw' },
      { type: 'reasoning-delta', id: 'r', text: 'hm' },
      { type: 'reasoning-end', id: 'r' },
      ...textEvents('Hi'),
      ...callEvents('a', 'f', ''),
      ...callEvents('b', 'p', 'raw', 'custom'),
      { type: 'turn-end', reason: 'tool-calls', usage },
    ];
    expect(whole(events)).toEqual({
      id: 'r1',
      object: 'chat.completion',
      created: 5,
      model: 'real',
      system_fingerprint: 'fp',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi',
            refusal: null,
            reasoning_content: 'hm',
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
              { id: 'b', type: 'custom', custom: { name: 'p', input: 'raw' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 1 },
      },
    });
  });

  it('has null content beside calls only, and an empty string when nothing was said', () => {
    const call = whole([start, ...callEvents('a', 'f', '{}'), { type: 'turn-end', reason: 'tool-calls' }]);
    expect(call.choices[0]?.message.content).toBeNull();
    const nothing = whole([start, { type: 'turn-end', reason: 'stop' }]);
    expect(nothing.choices[0]?.message.content).toBe('');
  });

  it('joins scores and keeps the name of the sound', () => {
    const events: TurnEvent[] = [
      start,
      { type: 'text-start', id: 'p0' },
      { type: 'text-delta', id: 'p0', text: 'a', logprobs: { content: [{ token: 'a' }], refusal: null } },
      { type: 'text-delta', id: 'p0', text: 'b', logprobs: [{ token: 'b' }] },
      { type: 'text-end', id: 'p0', annotations: [{ url: 'u' }] },
      { type: 'media-start', id: 'a', kind: 'audio' },
      { type: 'media-delta', id: 'a', data: 'AAAA', transcript: 'hi' },
      { type: 'media-end', id: 'a' },
      { type: 'turn-end', reason: 'stop', extra: { 'openai-chat': { audio: { id: 'a1', expires_at: 9 } } } },
    ];
    const choice = whole(events).choices[0];
    expect(choice?.logprobs).toEqual({ content: [{ token: 'a' }, { token: 'b' }], refusal: null });
    expect(choice?.message).toMatchObject({
      annotations: [{ url: 'u' }],
      audio: { id: 'a1', expires_at: 9, data: 'AAAA', transcript: 'hi' },
    });
  });

  it('speaks the old form to a client that sent functions', () => {
    const extra = { 'openai-chat': { functions: true } };
    const answer = whole([start, ...callEvents('a', 'f', '{}'), { type: 'turn-end', reason: 'tool-calls' }], {
      extra,
    });
    expect(answer.choices[0]).toMatchObject({
      message: { function_call: { name: 'f', arguments: '{}' } },
      finish_reason: 'function_call',
    });
  });
});
