import { describe, expect, it } from 'vitest';
import {
  countingIds,
  GatewayError,
  isJsonObject,
  type JsonObject,
  type TurnEvent,
  type TurnRequest,
  TurnSpans,
} from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { anthropicMessagesFront } from './front.ts';
import { MessagesTurnEncoder } from './turn-encoder.ts';

const request: TurnRequest = { model: 'asked', messages: [], tools: [], sampling: {}, stream: true };
const context = () => ({ turnId: 't', request, model: 'asked', nowMs: 0, newId: countingIds() });
const encoder = () => new MessagesTurnEncoder(context());

/** Parses frames and checks that each names its event twice, as Anthropic does. */
function read(wire: string): JsonObject[] {
  return new SseReader().push(Buffer.from(wire)).map(({ event, data }) => {
    const value: unknown = JSON.parse(data ?? '');
    if (!isJsonObject(value)) throw new Error('a frame is not an object');
    expect(value.type).toBe(event);
    return value;
  });
}

function encodeAll(build: (out: TurnEvent[], spans: TurnSpans) => void): JsonObject[] {
  const out: TurnEvent[] = [{ type: 'turn-start', model: 'm' }];
  build(out, new TurnSpans());
  return read(encoder().encode(out));
}

/** The blocks a client would put together, checking that one is open at a time and indexes ascend. */
function assemble(frames: readonly JsonObject[]): JsonObject[] {
  const blocks: JsonObject[] = [];
  let open: number | undefined;
  let json = '';
  for (const frame of frames) {
    if (frame.type === 'content_block_start') {
      expect(open).toBeUndefined();
      expect(frame.index).toBe(blocks.length);
      open = blocks.length;
      json = '';
      blocks.push({ ...(frame.content_block as JsonObject) }); // always an object on this wire
    } else if (frame.type === 'content_block_delta') {
      expect(frame.index).toBe(open);
      const block = blocks.at(-1) ?? {};
      const delta = frame.delta as JsonObject; // always an object on this wire
      if (delta.type === 'text_delta') block.text = `${block.text}${delta.text}`;
      if (delta.type === 'thinking_delta') block.thinking = `${block.thinking}${delta.thinking}`;
      if (delta.type === 'signature_delta') block.signature = delta.signature ?? '';
      if (delta.type === 'citations_delta') block.citations = [delta.citation ?? null];
      if (delta.type === 'input_json_delta') json += delta.partial_json;
    } else if (frame.type === 'content_block_stop') {
      expect(frame.index).toBe(open);
      if (json !== '') (blocks.at(-1) ?? {}).input = JSON.parse(json);
      open = undefined;
    }
  }
  expect(open).toBeUndefined();
  return blocks;
}

const use = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input });

describe('writing a Messages stream', () => {
  it('sends start, ping, block, delta with counts, stop', () => {
    const frames = encodeAll((out, spans) => {
      out.push({
        type: 'usage',
        usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11, cacheReadTokens: 4 },
      });
      spans.text('Hi', out);
      spans.complete(out);
      const usage = {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: 4,
        cacheWriteTokens: 1,
      };
      out.push({ type: 'turn-end', reason: 'stop', usage });
    });
    expect(frames).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 6,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 4,
            output_tokens: 1,
          },
        },
      },
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 5,
          cache_creation_input_tokens: 1,
          cache_read_input_tokens: 4,
          output_tokens: 5,
        },
      },
      { type: 'message_stop' },
    ]);
  });

  it('makes well-formed blocks of calls whose arguments arrive interleaved', () => {
    const frames = encodeAll((out, spans) => {
      spans.text('Both.', out);
      spans.startTool({ callId: 'a', name: 'read', kind: 'function' }, out);
      spans.startTool({ callId: 'b', name: 'read', kind: 'function' }, out);
      spans.tools.append('b', '{"p":', out);
      spans.tools.append('a', '{"p":1', out);
      spans.tools.append('b', '2}', out);
      spans.tools.finish('b', out);
      spans.tools.append('a', '}', out);
      spans.complete(out);
      out.push({ type: 'turn-end', reason: 'tool-calls' });
    });
    expect(assemble(frames)).toEqual([
      { type: 'text', text: 'Both.' },
      use('a', 'read', { p: 1 }),
      use('b', 'read', { p: 2 }),
    ]);
  });

  it('streams the open call live', () => {
    const live = encoder();
    const out: TurnEvent[] = [{ type: 'turn-start' }];
    const spans = new TurnSpans();
    spans.startTool({ callId: 'a', name: 'read', kind: 'function' }, out);
    live.encode(out);
    const delta: TurnEvent[] = [];
    spans.tools.append('a', '{"x', delta);
    expect(read(live.encode(delta))).toEqual([
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"x' } },
    ]);
  });

  it('keeps block indexes apart from the order of calls, and sends no text for a call without any (case 24)', () => {
    const frames = encodeAll((out, spans) => {
      spans.reasoning('think', out);
      spans.endReasoning({ signature: 'sig', origin: 'anthropic' }, out);
      spans.startTool({ callId: 'a', name: 'list', kind: 'function' }, out);
      spans.complete(out);
      out.push({ type: 'turn-end', reason: 'tool-calls' });
    });
    expect(assemble(frames)).toEqual([
      { type: 'thinking', thinking: 'think', signature: 'sig' },
      use('a', 'list', {}),
    ]);
    expect(frames.filter(({ index }) => index === 1)).toHaveLength(2);
  });

  it('loses nothing when thought, text and call arrive in one batch (case 26)', () => {
    const frames = encodeAll((out, spans) => {
      spans.reasoning('t', out);
      spans.text('x', out);
      spans.startTool({ callId: 'a', name: 'f', kind: 'function' }, out);
      spans.tools.append('a', '{"k":"v"}', out);
      spans.complete(out);
      out.push({ type: 'turn-end', reason: 'tool-calls' });
    });
    expect(assemble(frames)).toEqual([
      { type: 'thinking', thinking: 't', signature: '' },
      { type: 'text', text: 'x' },
      use('a', 'f', { k: 'v' }),
    ]);
  });

  it('carries free-text calls as one string, any text, any cut', () => {
    const raw = 'a "quoted"\n\\line 👋\u2028 end';
    const frames = encodeAll((out, spans) => {
      spans.startTool({ callId: 'a', name: 'patch', kind: 'custom' }, out);
      for (const piece of raw.split('')) spans.tools.append('a', piece, out); // cuts the surrogate pair too
      spans.complete(out);
      out.push({ type: 'turn-end', reason: 'tool-calls' });
    });
    expect(assemble(frames)).toEqual([use('a', 'patch', { input: raw })]);
  });

  it('shows sealed thoughts of Anthropic and no seal of anyone else', () => {
    const frames = encodeAll((out, spans) => {
      spans.endReasoning({ encrypted: 'own', origin: 'anthropic' }, out, 'redacted');
      spans.endReasoning({ encrypted: 'other', origin: 'openai' }, out, 'redacted');
      spans.reasoning('shown', out, 'summary');
      spans.endReasoning({ signature: 'foreign', origin: 'openai' }, out);
      out.push({ type: 'turn-end', reason: 'stop' });
    });
    expect(assemble(frames)).toEqual([
      { type: 'redacted_thinking', data: 'own' },
      { type: 'thinking', thinking: 'shown', signature: '' },
    ]);
  });

  it('sends a refusal as text and says so in the stop reason', () => {
    const frames = encodeAll((out, spans) => {
      spans.text('No.', out, { form: 'refusal' });
      spans.complete(out);
      out.push({ type: 'turn-end', reason: 'stop' });
    });
    expect(assemble(frames)).toEqual([{ type: 'text', text: 'No.' }]);
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'refusal' } });
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['tool-calls', 'tool_use'],
    ['pause', 'pause_turn'],
    ['refusal', 'refusal'],
    ['content-filter', 'refusal'],
    ['context-full', 'model_context_window_exceeded'],
    ['other', 'end_turn'],
  ] as const)('says %s as %s (case 27)', (reason, stop_reason) => {
    const frames = encodeAll((out) => out.push({ type: 'turn-end', reason }));
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason, stop_sequence: null } });
  });

  it('names the stop sequence that was met (case 27)', () => {
    const frames = encodeAll((out) =>
      out.push({ type: 'turn-end', reason: 'stop-sequence', stopSequence: 'END' }),
    );
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' } });
  });

  it('ends a failed turn with an error event and nothing after it', () => {
    const failed = encoder();
    const error = new GatewayError('upstream-unavailable', 'gone');
    const frames = read(failed.encode([{ type: 'turn-start' }, { type: 'turn-error', error }]));
    expect(frames.at(-1)).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'gone' } });
    expect(failed.encode([{ type: 'turn-end', reason: 'stop' }])).toBe('');
  });

  it('adds nothing to raw bytes that ended well, and an error event to those that did not', () => {
    expect(encoder().encodeRawEnding({ type: 'turn-end', reason: 'stop' })).toBe('');
    const error = new GatewayError('deadline-exceeded', 'late');
    expect(read(encoder().encodeRawEnding({ type: 'turn-error', error }))).toEqual([
      { type: 'error', error: { type: 'timeout_error', message: 'late' } },
    ]);
  });

  it('fills silence with a ping', () => {
    expect(anthropicMessagesFront.keepAlive).toBe('event: ping\ndata: {"type":"ping"}\n\n');
  });

  it('does not show calls that run elsewhere, nor annotations of other dialects', () => {
    const frames = encodeAll((out, spans) => {
      spans.startTool({ callId: 'h', name: 'web_search', kind: 'hosted' }, out);
      spans.complete(out);
      spans.text('x', out);
      spans.endText([{ type: 'url_citation' }, { type: 'char_location', cited_text: 'c' }], out);
      out.push({ type: 'turn-end', reason: 'stop' });
    });
    expect(assemble(frames)).toEqual([
      { type: 'text', text: 'x', citations: [{ type: 'char_location', cited_text: 'c' }] },
    ]);
  });
});
