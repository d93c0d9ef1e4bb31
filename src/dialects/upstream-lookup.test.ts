import { describe, expect, it } from 'vitest';
import { guardedLookup } from './upstream-lookup.ts';

function find(mayConnect: (address: string) => boolean, all: boolean) {
  return new Promise((resolve) => {
    guardedLookup(mayConnect)('localhost', { all }, (error, found) => resolve(error?.message ?? found));
  });
}

describe('guardedLookup', () => {
  it('gives no address when one of them may not be connected to', async () => {
    expect(await find(() => false, true)).toMatch(/^localhost leads to .*, which is not public\.$/);
    expect(await find(() => false, false)).toMatch(/not public/);
  });

  it('answers in the form that was asked for', async () => {
    const address = expect.stringMatching(/^(127\.0\.0\.1|::1)$/);
    expect(await find(() => true, false)).toEqual(address);
    expect(await find(() => true, true)).toContainEqual({ address, family: expect.any(Number) });
  });
});
