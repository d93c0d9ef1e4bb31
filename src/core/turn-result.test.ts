import { describe, expect, it } from 'vitest';
import { GatewayError } from './errors.ts';
import { ToolInputs } from './tool-input.ts';
import type { TurnEvent } from './turn-event.ts';
import { findGrammarProblem } from './turn-grammar.ts';
import { foldTurn } from './turn-result.ts';
import { TurnSpans } from './turn-spans.ts';

describe('folding a turn', () => {
  it('keeps parts in the order in which they were opened, interleaved calls included', () => {
    const events: TurnEvent[] = [{ type: 'turn-start', model: 'm' }];
    const spans = new TurnSpans();
    spans.reasoning('think ', events);
    spans.reasoning('hard', events);
    spans.text('Hel', events);
    spans.text('lo', events, { logprobs: [1] });
    spans.startTool({ callId: 'a', name: 'read', kind: 'function' }, events);
    spans.startTool({ callId: 'b', name: 'patch', kind: 'custom' }, events);
    spans.tools.append('a', '{"p":', events);
    spans.tools.append('b', '*** Begin', events);
    spans.tools.append('a', '1}', events);
    spans.complete(events);
    events.push({ type: 'usage', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } });
    events.push({ type: 'turn-end', reason: 'tool-calls' });

    expect(findGrammarProblem(events)).toBeUndefined();
    const result = foldTurn(events);
    expect(result.content).toEqual([
      { type: 'reasoning', text: 'think hard', form: 'raw', id: 'p0' },
      { type: 'text', text: 'Hello', logprobs: [[1]] },
      { type: 'tool-call', callId: 'a', name: 'read', kind: 'function', argumentsText: '{"p":1}' },
      { type: 'tool-call', callId: 'b', name: 'patch', kind: 'custom', argumentsText: '*** Begin' },
    ]);
    expect(result.finishReason).toBe('tool-calls');
    expect(result.usage).toEqual({ inputTokens: 1, outputTokens: 2, totalTokens: 3 });
  });

  it('keeps proof of reasoning, refusals, sound and results', () => {
    const events: TurnEvent[] = [{ type: 'turn-start' }];
    const spans = new TurnSpans();
    spans.reasoning('why', events, 'summary');
    spans.endReasoning({ signature: 'sig', origin: 'anthropic' }, events);
    spans.text('No.', events, { form: 'refusal' });
    spans.audio({ data: 'AAAA' }, events);
    spans.audio({ data: 'BBBB', transcript: 'hi' }, events);
    spans.complete(events);
    const result = { type: 'tool-result', callId: 'x', content: [{ type: 'text', text: 'r' }] } as const;
    events.push({ type: 'tool-result', result }, { type: 'turn-end', reason: 'refusal' });
    expect(foldTurn(events).content).toEqual([
      { type: 'reasoning', text: 'why', form: 'summary', id: 'p0', signature: 'sig', origin: 'anthropic' },
      { type: 'refusal', text: 'No.' },
      { type: 'audio', source: { type: 'base64', data: 'AAAABBBB' }, transcript: 'hi' },
      result,
    ]);
  });

  it('reports a failed turn with what had arrived, and no half call', () => {
    const events: TurnEvent[] = [{ type: 'turn-start' }];
    const spans = new TurnSpans();
    spans.text('so far', events);
    spans.startTool({ callId: 'a', name: 'read', kind: 'function' }, events);
    spans.tools.append('a', '{"pa', events);
    spans.abort(events);
    const error = new GatewayError('upstream-unavailable', 'cut');
    events.push({ type: 'turn-error', error });
    expect(findGrammarProblem(events)).toBeUndefined();
    const result = foldTurn(events);
    expect(result.error).toBe(error);
    expect(result.content).toEqual([{ type: 'text', text: 'so far' }]);
  });
});

describe('tool inputs', () => {
  it('parses once at the end and reports text that is not JSON without throwing', () => {
    const out: TurnEvent[] = [];
    const inputs = new ToolInputs();
    inputs.start({ callId: 'a', name: 'f', kind: 'function' }, out);
    inputs.append('a', '{"x": ', out);
    inputs.finish('a', out);
    expect(out.at(-1)).toMatchObject({ type: 'tool-call', argumentsText: '{"x": ' });
    expect(out.at(-1)).toHaveProperty('inputProblem');
    expect(out.at(-1)).not.toHaveProperty('input');
  });

  it('takes no text at all as a call without arguments and keeps the text as it came', () => {
    const out: TurnEvent[] = [];
    const inputs = new ToolInputs();
    inputs.start({ callId: 'a', name: 'f', kind: 'function' }, out);
    inputs.finish('a', out);
    expect(out.at(-1)).toMatchObject({ argumentsText: '', input: {} });
  });

  it('stops a call that grows past its bound', () => {
    const inputs = new ToolInputs({ maxCharacters: 4 });
    inputs.start({ callId: 'a', name: 'f', kind: 'function' }, []);
    inputs.append('a', '1234', []);
    expect(() => inputs.append('a', '5', [])).toThrow(expect.objectContaining({ code: 'too-large' }));
  });
});
