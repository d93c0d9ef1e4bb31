// Golden transcripts: what Anthropic (or an imitation) sent, and the events it means. See test/transcripts.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countingIds, findGrammarProblem, type JsonValue, type TurnEvent } from '../../core/index.ts';
import { SseReader } from '../../wire/sse.ts';
import { MessagesTurnDecoder } from './turn-decoder.ts';
import { MessagesTurnEncoder } from './turn-encoder.ts';

const FOLDER = resolve(import.meta.dirname, '../../../test/transcripts/anthropic-messages');
const scenarios = readdirSync(FOLDER);
const wireOf = (scenario: string) => readFileSync(join(FOLDER, scenario, 'wire.sse'));

function decodeChunks(chunks: readonly Uint8Array[]): TurnEvent[] {
  const reader = new SseReader();
  const decoder = new MessagesTurnDecoder({ newId: countingIds() });
  const events = chunks.flatMap((chunk) => reader.push(chunk).flatMap((frame) => decoder.step(frame)));
  return [...events, ...decoder.halt()];
}

function encode(events: readonly TurnEvent[]): string {
  const request = { model: 'm', messages: [], tools: [], sampling: {}, stream: true };
  const context = { turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() };
  return new MessagesTurnEncoder(context).encode(events);
}

/** Errors as data: code and message are what counts. */
const asData = (events: readonly TurnEvent[]): JsonValue[] =>
  events.map((event) => {
    const { error, ...rest } = { error: undefined, ...event };
    const data = error ? { ...rest, error: { code: error.code, message: error.message } } : rest;
    return JSON.parse(JSON.stringify(data)) as JsonValue;
  });

describe('golden transcripts of the Messages API', () => {
  it.each(scenarios)('%s means the events written beside it', (scenario) => {
    const golden = readFileSync(join(FOLDER, scenario, 'events.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const events = decodeChunks([wireOf(scenario)]);
    expect(asData(events)).toEqual(golden.map((line) => JSON.parse(line)));
    expect(findGrammarProblem(events)).toBeUndefined();
  });

  it.each(scenarios)('%s survives being encoded and decoded again', (scenario) => {
    const events = decodeChunks([wireOf(scenario)]);
    const again = decodeChunks([Buffer.from(encode(events))]);
    expect(stable(again)).toEqual(stable(events));
  });

  it('any chunking of the bytes gives the same events', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...scenarios),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (scenario, cuts) => {
          const wire = wireOf(scenario);
          const chunks: Uint8Array[] = [];
          let position = 0;
          for (const cut of cuts) {
            chunks.push(wire.subarray(position, position + cut));
            position += cut;
          }
          chunks.push(wire.subarray(position));
          expect(asData(decodeChunks(chunks))).toEqual(asData(decodeChunks([wire])));
        },
      ),
    );
  });

  it('the grammar holds when a stream is cut at any byte, and nothing cut passes for an end', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...scenarios),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (scenario, at) => {
          const wire = wireOf(scenario);
          const events = decodeChunks([wire.subarray(0, Math.floor(wire.length * at))]);
          expect(findGrammarProblem(events)).toBeUndefined();
          expect(events.at(-1)?.type).toBe('turn-error');
        },
      ),
    );
  });

  it('the grammar holds for frames lost, doubled, swapped or mangled', () => {
    const mutation = fc.record({
      kind: fc.constantFrom('drop', 'double', 'swap', 'mangle'),
      at: fc.nat(40),
      text: fc.string({ maxLength: 5 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...scenarios),
        fc.array(mutation, { maxLength: 4 }),
        (scenario, mutations) => {
          const frames = wireOf(scenario)
            .toString('utf8')
            .split(/(?<=\n\n)/);
          for (const { kind, at, text } of mutations) {
            const index = at % Math.max(1, frames.length);
            const frame = frames[index] ?? '';
            if (kind === 'drop') frames.splice(index, 1);
            else if (kind === 'double') frames.splice(index, 0, frame);
            else if (kind === 'swap') frames.splice(index, 2, ...frames.slice(index, index + 2).reverse());
            else
              frames[index] = frame.replace(/"(index|type|id)":("\w*"|\d+)/, `"$1":${JSON.stringify(text)}`);
          }
          const events = decodeChunks([Buffer.from(frames.join(''))]);
          expect(findGrammarProblem(events)).toBeUndefined();
          const encoded = decodeChunks([Buffer.from(encode(events))]);
          expect(findGrammarProblem(encoded)).toBeUndefined();
          expect(encoded.at(-1)?.type).toBe(events.at(-1)?.type);
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** What an encoding may change: ids of answers, codes and words of errors, where counts are told. */
function stable(events: readonly TurnEvent[]): JsonValue[] {
  const kept = events.filter((event) => event.type !== 'usage' && event.type !== 'tool-input-delta');
  return asData(kept).map((event) => {
    const text = JSON.stringify(event, (key, value) =>
      ['responseId', 'code', 'message', 'index', 'usage'].includes(key) ? undefined : (value as unknown),
    );
    return JSON.parse(text) as JsonValue;
  });
}
