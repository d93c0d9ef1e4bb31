// Whatever a body says, a front either understands it or refuses it as the client's mistake.
import { describe, expect, it } from 'vitest';
import { countingIds, type TurnEvent, type TurnRequest } from '../../src/core/index.ts';
import type { Front } from '../../src/dialects/dialect.ts';
import { createFronts } from '../../src/dialects/index.ts';
import { decodeBody, findBadRefusal } from './decode-body.ts';
import { mutatedBodies } from './mutated-bodies.ts';
import { seedBodies } from './seed-bodies.ts';

const BODIES = 20_000;
const SEED = 20261115;
const MAX_SHOWN = 5;

const ANSWER: readonly TurnEvent[] = [
  { type: 'turn-start' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', text: 'hello' },
  { type: 'text-end', id: 't' },
  { type: 'turn-end', reason: 'stop' },
];

describe.each(createFronts())('the front $dialect', (front) => {
  it('understands the bodies that the fuzzing begins with', async () => {
    for (const body of seedBodies(front.dialect, 'demo/demo')) {
      const request = await decodeBody(front, new TextEncoder().encode(JSON.stringify(body)));
      expect(request.messages.length).toBeGreaterThan(0);
    }
  });

  it(`refuses or understands each of ${BODIES} mutated bodies`, { timeout: 60_000 }, async () => {
    const problems: { number: number; body: string; problem: string }[] = [];
    let understood = 0;
    let number = 0;
    for (const body of mutatedBodies(front.dialect, 'demo/demo', SEED)) {
      if (++number > BODIES || problems.length >= MAX_SHOWN) break;
      const problem = await decodeBody(front, body).then(
        (request) => {
          understood++;
          return findBadAnswer(front, request);
        },
        (thrown: unknown) => findBadRefusal(front, thrown),
      );
      if (problem !== undefined)
        problems.push({ number, body: Buffer.from(body).toString('utf8').slice(0, 2000), problem });
    }
    expect(problems).toEqual([]);
    // Both kinds must be plenty, or the mutations test only one half of the claim.
    expect(understood).toBeGreaterThan(BODIES / 20);
    expect(understood).toBeLessThan(BODIES * 0.95);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

/** An odd request must still be answerable: several dialects repeat parts of it in the answer. */
function findBadAnswer(front: Front, request: TurnRequest): string | undefined {
  if (typeof request.model !== 'string' || request.messages.length === 0)
    return 'a request without model or messages';
  const context = { turnId: 'turn', request, model: request.model, nowMs: 0, newId: countingIds() };
  try {
    const encoder = front.createEncoder(context);
    const frames = encoder.encode(ANSWER);
    if (!frames.includes('hello')) return `an answer without its text: ${frames}`;
    const content = [{ type: 'text' as const, text: 'hello' }];
    const body = front.encodeResult({ content, finishReason: 'stop', warnings: [], opaque: [] }, context);
    return JSON.stringify(body).includes('hello') ? undefined : 'a body without its text';
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}
