// What goes wrong goes wrong in the client's own dialect, and what is given up is given up everywhere.
import { expect } from 'vitest';
import type { Asking } from '../asking.ts';
import { turnsWhen } from '../gateway-pair.ts';
import { type Scenario, user } from './scenario.ts';

const messages = [user('hello')];

export const FAILURE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'an error before the first byte has its own status',
    async run({ send, readError }) {
      const response = await send({ model: 'error-first', messages });
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(readError(await response.json())).toContain('error-first refuses every request');
    },
  },
  {
    name: 'an unknown model is not found',
    async run({ send, readError }) {
      const response = await send({ model: 'no-such-model', messages });
      expect(response.status).toBe(404);
      expect(readError(await response.json())).toContain('no-such-model');
    },
  },
  {
    name: 'an error in mid-stream is an error, never an ending',
    async run(asking) {
      const response = await asking.send({ model: 'error-mid-stream', messages });
      const told = 'error-mid-stream ends here';
      if (asking.stream) {
        expect(response.status).toBe(200);
        const failure = { code: 'upstream-rejected', message: expect.stringContaining(told) };
        await expect(asking.read(response)).rejects.toMatchObject(failure);
      } else {
        expect([503, 529]).toContain(response.status);
        expect(asking.readError(await response.json())).toContain(told);
      }
    },
  },
  {
    name: 'a turn that the client gives up ends everywhere',
    async run(asking) {
      const abort = new AbortController();
      const answer = asking.send({ model: 'slow', messages }, abort.signal).then(readToEnd);
      answer.catch(() => {}); // it fails when the client aborts, which is the point
      for (const gateway of asking.gateways) await turnsWhen(gateway, ({ live }) => live.length > 0);
      abort.abort();
      await expect(answer).rejects.toThrow();
      await expectAllCancelled(asking);
    },
  },
];

function readToEnd(response: Response): Promise<string> {
  return response.text();
}

async function expectAllCancelled({ gateways }: Asking): Promise<void> {
  for (const gateway of gateways) {
    const { recent } = await turnsWhen(gateway, ({ live }) => live.length === 0);
    expect(recent[0]?.outcome).toBe('cancelled');
  }
}
