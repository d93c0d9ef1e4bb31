// Golden transcripts: test/transcripts/openai-chat/<scenario>/wire.sse decodes to events.jsonl, and where there is an
// encoded.sse, those events encode to it. UPDATE_TRANSCRIPTS=1 writes the second and third anew, to be read and judged.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countingIds, findGrammarProblem, type TurnEvent } from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { ChatTurnDecoder } from './turn-decoder.ts';
import { ChatTurnEncoder } from './turn-encoder.ts';

const ROOT = new URL('../../../test/transcripts/openai-chat/', import.meta.url);
const scenarios = readdirSync(ROOT).sort();

function decode(wire: Buffer, chunkBytes: number): TurnEvent[] {
  const reader = new SseReader();
  const decoder = new ChatTurnDecoder({ newId: countingIds() });
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
  const request = { model: 'm', messages: [], tools: [], sampling: {}, stream: true, includeUsage: true };
  const encoder = new ChatTurnEncoder({ turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() });
  return encoder.encode(events);
}

describe.each(scenarios)('the transcript %s', (scenario) => {
  const file = (name: string) => new URL(`${scenario}/${name}`, ROOT);
  const wire = readFileSync(file('wire.sse'));
  const events = decode(wire, wire.length);
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

  if (!hasEncoded) return;
  it('encodes as recorded', () => {
    expect(encode(events)).toBe(readFileSync(file('encoded.sse'), 'utf8'));
  });
});
