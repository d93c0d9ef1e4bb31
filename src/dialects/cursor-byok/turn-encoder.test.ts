import { describe, expect, it } from 'vitest';
import {
  countingIds,
  foldTurn,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type TurnEvent,
  TurnSpans,
  type Usage,
} from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { openaiChatFront } from '../openai-chat/index.ts';
import { openaiResponsesFront } from '../openai-responses/index.ts';
import { makeRequest } from './fixtures/make-request.ts';
import { type CursorByokOptions, createCursorByokFront } from './front.ts';

const PATCH = '*** Begin Patch\n*** Delete File: a\n*** End Patch';
const USAGE: Usage = { inputTokens: 9, outputTokens: 4, totalTokens: 13 };

interface Script {
  readonly thought?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly calls?: readonly {
    id: string;
    name: string;
    text: string;
    kind?: 'function' | 'custom' | 'hosted';
  }[];
  readonly usage?: Usage | undefined;
  readonly error?: GatewayError;
}

function turn(script: Script): TurnEvent[] {
  const events: TurnEvent[] = [{ type: 'turn-start', model: 'real-model' }];
  const spans = new TurnSpans();
  const { calls = [] } = script;
  if (script.thought) for (const piece of script.thought.split('|')) spans.reasoning(piece, events);
  if (script.text) for (const piece of script.text.split('|')) spans.text(piece, events);
  if (script.refusal) spans.text(script.refusal, events, { form: 'refusal' });
  for (const { id, name, kind = 'function' } of calls) spans.startTool({ callId: id, name, kind }, events);
  for (const { id, text } of calls) {
    const half = Math.ceil(text.length / 2);
    spans.tools.append(id, text.slice(0, half), events);
    spans.tools.append(id, text.slice(half), events);
  }
  if (script.error) {
    spans.abort(events);
    return [...events, { type: 'turn-error', error: script.error }];
  }
  spans.complete(events);
  const usage = 'usage' in script ? script.usage : USAGE;
  if (usage) events.push({ type: 'usage', usage });
  const reason = calls.length > 0 ? 'tool-calls' : script.refusal ? 'refusal' : 'stop';
  return [...events, { type: 'turn-end', reason }];
}

function contextOf(
  front: ReturnType<typeof createCursorByokFront>,
  body: JsonObject,
  dialect: string,
): EncodeContext {
  const request = front.decodeRequest(makeRequest(body, { headers: { 'x-crosspoint-dialect': dialect } }));
  return { turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() };
}

function makeFront(options: CursorByokOptions = {}) {
  return createCursorByokFront({ chat: openaiChatFront, responses: openaiResponsesFront, options });
}

const ASK = { model: 'm', stream: true, messages: [{ role: 'user', content: 'x'.repeat(400) }] };

/** The payloads of all frames, event by event as an upstream would send them. */
function stream(
  script: Script,
  dialect = 'openai',
  options: CursorByokOptions = {},
): (JsonObject | string)[] {
  const front = makeFront(options);
  const encoder = front.createEncoder(contextOf(front, ASK, dialect));
  const text = turn(script)
    .map((event) => encoder.encode([event]))
    .join('');
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      expect(frame.startsWith('data: ')).toBe(true);
      const data = frame.slice('data: '.length);
      return data === '[DONE]' ? data : (JSON.parse(data) as JsonObject);
    });
}

function deltas(frames: readonly (JsonObject | string)[]): JsonObject[] {
  return frames.flatMap((frame) => {
    const choices = isJsonObject(frame) && Array.isArray(frame.choices) ? frame.choices : [];
    return choices.flatMap((choice) =>
      isJsonObject(choice) && isJsonObject(choice.delta) ? [choice.delta] : [],
    );
  });
}

function contentOf(frames: readonly (JsonObject | string)[]): string {
  return deltas(frames)
    .map((delta) => (typeof delta.content === 'string' ? delta.content : ''))
    .join('');
}

describe('the openai dialect', () => {
  it('sends a custom call as a function with the raw text for arguments', () => {
    const frames = stream({ calls: [{ id: 'c1', name: 'ApplyPatch', text: PATCH, kind: 'custom' }] });
    const calls = deltas(frames).flatMap((delta) => (delta.tool_calls ?? []) as JsonObject[]);
    expect(calls[0]).toEqual({
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'ApplyPatch', arguments: '' },
    });
    const text = calls.map((call) => (call.function as JsonObject).arguments).join('');
    expect(text).toBe(PATCH);
    expect(JSON.stringify(frames)).not.toContain('"custom"');
  });

  it('counts calls from 0 and keeps one id, one role and one finish', () => {
    const frames = stream({
      thought: 'hm',
      text: 'a|b',
      calls: [
        { id: 'c1', name: 'Read', text: '{"path":"a"}' },
        { id: 'c2', name: 'Read', text: '{"path":"b"}' },
      ],
    });
    const chunks = frames.filter(isJsonObject);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    expect(deltas(frames).filter((delta) => delta.role !== undefined)).toHaveLength(1);
    expect(deltas(frames)[0]?.role).toBe('assistant');
    const indexes = deltas(frames).flatMap((delta) =>
      ((delta.tool_calls ?? []) as JsonObject[]).map((c) => c.index),
    );
    expect([...new Set(indexes)]).toEqual([0, 1]);
    const finishes = chunks.flatMap((chunk) => (chunk.choices as JsonObject[]).map((c) => c.finish_reason));
    expect(finishes.filter((reason) => reason !== null)).toEqual(['tool_calls']);
    expect(frames.filter((frame) => frame === '[DONE]')).toHaveLength(1);
    expect(frames.at(-1)).toBe('[DONE]');
  });

  it('shows a refusal as text and ends it as an answer', () => {
    const frames = stream({ refusal: 'I will not.' });
    expect(contentOf(frames)).toBe('I will not.');
    expect(JSON.stringify(frames)).not.toContain('refusal');
    expect(JSON.stringify(frames)).toContain('"finish_reason":"stop"');
  });

  it('always ends with usage, the upstream\u2019s own where it gave one', () => {
    expect(stream({ text: 'a' }).at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
    });
  });

  it('estimates usage that is missing or has no input, and says so', () => {
    expect(stream({ text: 'abcdefgh', usage: undefined }).at(-2)).toMatchObject({
      usage: { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102, estimated: true },
    });
    const zero = { inputTokens: 0, outputTokens: 7, totalTokens: 7 };
    expect(stream({ text: 'abcdefgh', usage: zero }).at(-2)).toMatchObject({
      usage: { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, estimated: true },
    });
  });

  it('sends reasoning in its own field and not as words', () => {
    const frames = stream({ thought: 'hm', text: 'a' });
    expect(contentOf(frames)).toBe('a');
    expect(deltas(frames)).toContainEqual({ reasoning_content: 'hm' });
  });

  it('can show reasoning in a folded block that closes before the first word or call', () => {
    const details = { showThinking: 'details' } as const;
    const shown = '<details><summary>Thinking</summary>\n\nonetwo\n\n</details>\n\n';
    expect(contentOf(stream({ thought: 'one|two', text: 'a' }, 'openai', details))).toBe(`${shown}a`);
    const calls = [{ id: 'c1', name: 'Read', text: '{}' }];
    const frames = stream({ thought: 'one|two', calls }, 'openai', details);
    expect(contentOf(frames)).toBe(shown);
    const order = deltas(frames).map((delta) => (delta.tool_calls ? 'call' : 'other'));
    expect(order.lastIndexOf('other')).toBeGreaterThan(order.indexOf('call'));
    expect(deltas(frames).findLastIndex((delta) => delta.content)).toBeLessThan(order.indexOf('call'));
    expect(contentOf(stream({ thought: 'one' }, 'openai', { showThinking: 'think' }))).toBe(
      '<think>\none\n</think>\n\n',
    );
  });

  it('ends a failed turn with one short error frame, never with a finish', () => {
    const error = new GatewayError('upstream-unavailable', `cut ${'x'.repeat(5000)}`);
    const frames = stream({ text: 'a', error });
    expect(frames.at(-1)).toBe('[DONE]');
    expect(JSON.stringify(frames.at(-2)).length).toBeLessThan(500);
    expect(frames.at(-2)).toMatchObject({ error: { code: 'upstream_unavailable' } });
    expect(JSON.stringify(frames)).not.toContain('"finish_reason":"stop"');
  });

  it('keeps hosted calls to itself', () => {
    const calls = [{ id: 'h', name: 'web_search', text: '{}', kind: 'hosted' as const }];
    for (const dialect of ['openai', 'cursor', 'both']) {
      expect(JSON.stringify(stream({ text: 'a', calls }, dialect))).not.toContain('web_search');
    }
  });
});

describe('the cursor dialect', () => {
  const script: Script = {
    thought: 'hm',
    text: 'Hi',
    calls: [
      { id: 'c1', name: 'Read', text: '{"path":"a.ts","offset":3,"limit":2}' },
      { id: 'c2', name: 'ApplyPatch', text: PATCH, kind: 'custom' },
    ],
  };

  it('sends native frames: text, thinking, a pair for each call, then the end marker alone', () => {
    expect(stream(script, 'cursor')).toEqual([
      { thinking: { text: 'hm' } },
      { text: 'Hi' },
      { partial_tool_call: { tool: 40, tool_call_id: 'c1', name: 'Read', tool_index: 0 } },
      { partial_tool_call: { tool: 19, tool_call_id: 'c2', name: 'ApplyPatch', tool_index: 1 } },
      {
        text: '',
        tool_call_v2: {
          tool: 40,
          tool_call_id: 'c1',
          name: 'Read',
          tool_index: 0,
          read_file_params: {
            relative_workspace_path: 'a.ts',
            read_entire_file: false,
            start_line_one_indexed: 3,
            end_line_one_indexed_inclusive: 4,
          },
        },
      },
      {
        text: '',
        tool_call_v2: {
          tool: 19,
          tool_call_id: 'c2',
          name: 'ApplyPatch',
          tool_index: 1,
          mcp_params: { tools: [{ name: 'ApplyPatch', parameters: PATCH }] },
        },
      },
      '[DONE]',
    ]);
  });

  it('uses protobuf keys when configured to', () => {
    const frames = stream(script, 'cursor', { strictProto: true });
    expect(JSON.stringify(frames)).toContain(
      '"read_file_v2_params":{"target_file":"a.ts","offset":3,"limit":2}',
    );
  });

  it('ends a failed turn with an error frame', () => {
    const frames = stream({ text: 'a', error: new GatewayError('rate-limited', 'slow down') }, 'cursor');
    expect(frames).toEqual([
      { text: 'a' },
      { error: { message: 'slow down', type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' } },
      '[DONE]',
    ]);
  });

  it('sends arguments that are no JSON as raw text of an MCP call', () => {
    const frames = stream({ calls: [{ id: 'c1', name: 'Read', text: '{"path' }] }, 'cursor');
    expect(frames[1]).toMatchObject({
      tool_call_v2: { tool: 19, mcp_params: { tools: [{ parameters: '{"path' }] } },
    });
  });
});

describe('both dialects at once', () => {
  it('sends the native frame of an event before its chunk, and one end', () => {
    const frames = stream({ text: 'Hi', calls: [{ id: 'c1', name: 'LS', text: '{"path":"."}' }] }, 'both');
    const kinds = frames.map((frame) =>
      typeof frame === 'string'
        ? frame
        : Object.keys(frame).includes('choices')
          ? 'chunk'
          : Object.keys(frame).at(-1),
    );
    expect(kinds[0]).toBe('text');
    expect(kinds[1]).toBe('chunk');
    expect(kinds.indexOf('partial_tool_call')).toBeLessThan(kinds.indexOf('tool_call_v2'));
    expect(kinds.filter((kind) => kind === '[DONE]')).toHaveLength(1);
    expect(contentOf(frames)).toBe('Hi');
  });

  it('sends one error frame, not two', () => {
    const frames = stream({ error: new GatewayError('internal', 'x') }, 'both');
    expect(frames).toHaveLength(2);
  });
});

describe('a whole answer', () => {
  it.each(['openai', 'cursor', 'both'])('is a plain chat.completion in the %s dialect', (dialect) => {
    const front = makeFront();
    const context = contextOf(front, { ...ASK, stream: false }, dialect);
    const calls = [{ id: 'c1', name: 'ApplyPatch', text: PATCH, kind: 'custom' as const }];
    expect(front.encodeResult(foldTurn(turn({ text: 'a', calls })), context)).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: 'a',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ApplyPatch', arguments: PATCH } }],
          },
        },
      ],
      usage: { prompt_tokens: 9 },
    });
  });

  it('shows refusals as content, thoughts when configured, and estimates usage', () => {
    const front = makeFront({ showThinking: 'details' });
    const context = contextOf(front, ASK, 'openai');
    const answer = front.encodeResult(
      foldTurn(turn({ thought: 'hm', refusal: 'No.', usage: undefined })),
      context,
    );
    expect(answer).toMatchObject({
      choices: [
        {
          finish_reason: 'stop',
          message: {
            content: '<details><summary>Thinking</summary>\n\nhm\n\n</details>\n\nNo.',
            refusal: null,
          },
        },
      ],
      usage: { prompt_tokens: 100, estimated: true },
    });
  });
});
