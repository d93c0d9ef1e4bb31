// Golden transcripts: test/transcripts/openai-responses/<scenario>/wire.sse decodes to events.jsonl, and where there
// is an encoded.sse, those events encode to it. UPDATE_TRANSCRIPTS=1 writes the second and third anew, to be judged.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { countingIds, findGrammarProblem, type TurnEvent } from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { decodeRequestBody } from './decode-request.ts';
import { ResponsesTurnDecoder } from './turn-decoder.ts';
import { ResponsesTurnEncoder } from './turn-encoder.ts';

const ROOT = new URL('../../../test/transcripts/openai-responses/', import.meta.url);
const scenarios = readdirSync(ROOT).sort();

function decode(wire: Buffer, chunkBytes: number): TurnEvent[] {
  const reader = new SseReader();
  const decoder = new ResponsesTurnDecoder({ newId: countingIds(), originOf: () => undefined });
  const events: TurnEvent[] = [];
  for (let at = 0; at < wire.length; at += chunkBytes) {
    for (const { event, data } of reader.push(wire.subarray(at, at + chunkBytes))) {
      if (data !== undefined) events.push(...decoder.step({ event, data }));
    }
  }
  return [...events, ...decoder.halt()];
}

/** One event a line; an error as its code and message. */
function toLines(events: readonly TurnEvent[]): string {
  return events
    .map((event) => {
      if (event.type !== 'turn-error') return `${JSON.stringify(event)}\n`;
      const { code, message } = event.error;
      return `${JSON.stringify({ ...event, error: { code, message } })}\n`;
    })
    .join('');
}

function encode(events: readonly TurnEvent[]): string {
  const request = decodeRequestBody({
    model: 'm',
    input: 'Hi',
    stream: true,
    include: ['reasoning.encrypted_content'],
  });
  const context = { turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() };
  return new ResponsesTurnEncoder(context).encode(events);
}

describe.each(scenarios)('the transcript %s', (scenario) => {
  const file = (name: string) => new URL(`${scenario}/${name}`, ROOT);
  const wire = readFileSync(file('wire.sse'));
  const events = decode(wire, Math.max(1, wire.length));
  const hasEncoded = existsSync(file('encoded.sse'));
  if (process.env.UPDATE_TRANSCRIPTS === '1') {
    writeFileSync(file('events.jsonl'), toLines(events));
    if (hasEncoded) writeFileSync(file('encoded.sse'), encode(events));
  }

  it('decodes to its events', () => {
    expect(toLines(events)).toBe(readFileSync(file('events.jsonl'), 'utf8'));
    expect(findGrammarProblem(events)).toBeUndefined();
  });

  it('decodes the same byte by byte', () => {
    expect(toLines(decode(wire, 1))).toBe(toLines(events));
  });

  if (hasEncoded) {
    it('encodes to what clients of this dialect are sent', () => {
      expect(encode(events)).toBe(readFileSync(file('encoded.sse'), 'utf8'));
    });
  }

  it("encodes to a stream that OpenAI's own library puts together to the final response", () => {
    const frames = new SseReader().push(Buffer.from(encode(events)));
    let snapshot: Response | undefined;
    let beforeEnd: unknown;
    for (const { data } of frames) {
      const event = JSON.parse(data ?? '') as ResponseStreamEvent; // our own frames
      if ('response' in event && event.response.status !== 'in_progress') beforeEnd = snapshot?.output;
      snapshot = accumulateResponse(event, snapshot);
    }
    expect(snapshot?.status).toMatch(/^(completed|incomplete|failed)$/);
    // A call that was cut off is begun in the stream and absent in the end; every other item is in both.
    const isWhole = snapshot?.status === 'completed';
    if (isWhole) expect(beforeEnd).toEqual(snapshot?.output);
  });
});
