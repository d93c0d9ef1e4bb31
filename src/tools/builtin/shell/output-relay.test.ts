import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Progress } from '../../tool-context.ts';
import { OutputRelay } from './output-relay.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const out = (text: string) => ({ stream: 'stdout' as const, bytes: Buffer.from(text) });

it('passes the first output on at once and later ones together', () => {
  const seen: Progress[] = [];
  const relay = new OutputRelay((update) => seen.push(update));
  relay.push(out('a'));
  expect(seen).toEqual([{ output: { stream: 'stdout', text: 'a' } }]);
  relay.push(out('b'));
  relay.push({ stream: 'stderr', bytes: Buffer.from('c') });
  relay.push(out('d'));
  expect(seen).toHaveLength(1);
  vi.advanceTimersByTime(100);
  expect(seen.slice(1).map(({ output }) => output?.text)).toEqual(['b', 'c', 'd']);
  relay.push(out('e'));
  relay.end();
  expect(seen.at(-1)?.output?.text).toBe('e');
  expect(vi.getTimerCount()).toBe(0);
});

it('passes a flood on in part and says how much it left out', () => {
  const seen: Progress[] = [];
  const relay = new OutputRelay((update) => seen.push(update));
  for (let index = 0; index < 100; index++) relay.push(out('x'.repeat(10_000)));
  relay.end();
  const shown = seen.reduce((sum, { output }) => sum + (output?.text.length ?? 0), 0);
  expect(shown).toBeLessThan(40_000);
  expect(seen.at(-1)?.text).toBe(`${1_000_000 - shown} bytes of output not shown here`);
});
