import { describe, expect, it } from 'vitest';
import { GatewayError, type TurnEvent } from '../core/index.ts';
import type { EventBatch, TurnDecoder } from './dialect.ts';
import { type AnswerOptions, type EventFrame, readAnswer } from './read-answer.ts';

/** A tiny dialect: each event is a word of text, `end` ends the turn, `bad` fails it. */
class WordDecoder implements TurnDecoder<EventFrame> {
  isDone = false;
  #hasStarted = false;

  step({ data }: EventFrame): TurnEvent[] {
    const out: TurnEvent[] = this.#hasStarted ? [] : [{ type: 'turn-start' }];
    this.#hasStarted = true;
    if (data === 'end') return this.#finish([...out, { type: 'turn-end', reason: 'stop' }]);
    if (data === 'bad')
      return this.#finish([...out, { type: 'turn-error', error: new GatewayError('internal', 'bad') }]);
    return out;
  }

  halt(cause?: GatewayError): TurnEvent[] {
    if (this.isDone) return [];
    return this.#finish([
      { type: 'turn-error', error: cause ?? new GatewayError('upstream-malformed', 'cut') },
    ]);
  }

  #finish(events: TurnEvent[]): TurnEvent[] {
    this.isDone = true;
    return events;
  }
}

async function* bytesOf(pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function read(pieces: readonly string[], more: Partial<AnswerOptions> = {}): Promise<EventBatch[]> {
  const batches: EventBatch[] = [];
  const answer = readAnswer({
    body: bytesOf(pieces),
    isStream: true,
    wantsRaw: true,
    decoder: new WordDecoder(),
    decodeWhole: () => [{ type: 'turn-start' }, { type: 'turn-end', reason: 'stop' }],
    isWholeRest: (data) => data === 'end',
    ...more,
  });
  for await (const batch of answer) batches.push(batch);
  return batches;
}

const rawOf = (batches: readonly EventBatch[]) =>
  batches.map(({ raw }) => (raw ? Buffer.from(raw).toString() : undefined));
const typesOf = (batches: readonly EventBatch[]) =>
  batches.flatMap(({ events }) => events.map(({ type }) => type));

describe('reading an answer', () => {
  it('attaches to each batch the bytes it came from, comments included', async () => {
    const batches = await read(['data: a\n\n: note\n\n', 'data: b\n\nda', 'ta: end\n\n']);
    expect(rawOf(batches).join('')).toBe('data: a\n\n: note\n\ndata: b\n\ndata: end\n\n');
    expect(typesOf(batches)).toEqual(['turn-start', 'turn-end']);
  });

  it('keeps back what comes before the first word, so that a failure can be tried elsewhere', async () => {
    await expect(read([': hello\n\n', 'data: bad\n\n'])).rejects.toThrow('bad');
    await expect(read([])).rejects.toThrow('cut');
    const announced = { isOnlyAnnounced: () => true };
    await expect(read(['data: a\n\n', 'data: bad\n\n'], announced)).rejects.toThrow('bad');
  });

  it('gives a later failure as an event, without the bytes that failed', async () => {
    const batches = await read(['data: a\n\n', 'data: b\n\ndata: bad\n\n']);
    expect(typesOf(batches)).toEqual(['turn-start', 'turn-error']);
    expect(rawOf(batches)).toEqual(['data: a\n\n', 'data: b\n\n']);
  });

  it('does not forward what the front writes itself', async () => {
    const batches = await read(['data: a\n\ndata: end\n\n'], { isForwarded: ({ data }) => data !== 'end' });
    expect(rawOf(batches)).toEqual(['data: a\n\n']);
  });

  it('reads a last event without its blank line when it is whole, and no other', async () => {
    expect(typesOf(await read(['data: a\n\n', 'data: end']))).toEqual(['turn-start', 'turn-end']);
    expect(typesOf(await read(['data: a\n\n', 'data: en']))).toEqual(['turn-start', 'turn-error']);
  });

  it('tells what was left out of the request right after the start', async () => {
    const warnings = [{ type: 'warning' as const, code: 'c', message: 'm' }];
    expect(typesOf(await read(['data: end\n\n'], { warnings }))).toEqual([
      'turn-start',
      'warning',
      'turn-end',
    ]);
    expect(typesOf(await read(['{}'], { warnings }))).toEqual(['turn-start', 'warning', 'turn-end']);
  });

  it('knows JSON from events by the bytes, and forwards a whole answer only to who asked for one', async () => {
    expect(rawOf(await read([' \n{"a"', ':1}'], { isStream: false }))).toEqual([' \n{"a":1}']);
    expect(rawOf(await read(['{"a":1}'], { isStream: true }))).toEqual([undefined]);
    await expect(read(['{"a":'])).rejects.toThrow(/not valid JSON: \{"a":/);
  });
});
