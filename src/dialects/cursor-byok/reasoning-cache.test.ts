import { describe, expect, it } from 'vitest';
import type { Message } from '../../core/index.ts';
import { ReasoningCache } from './reasoning-cache.ts';

const call = (callId: string, argumentsText = '{}') => ({ callId, name: 'Read', argumentsText });
const thought = (text: string) => ({ text, form: 'raw' as const });
const asks = (callId: string, argumentsText = '{}'): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', kind: 'function', ...call(callId, argumentsText) }],
});

describe('the reasoning cache', () => {
  it('puts a remembered thought before the call it led to', () => {
    const cache = new ReasoningCache();
    cache.remember('s', [call('call_aaaaaaaa'), call('call_bbbbbbbb')], thought('why'));
    const [restored] = cache.restore('s', [asks('call_bbbbbbbb')]);
    expect(restored?.content[0]).toEqual({ type: 'reasoning', text: 'why', form: 'raw' });
    expect(restored?.content).toHaveLength(2);
  });

  it('leaves messages alone that bring their own thought, or no call', () => {
    const cache = new ReasoningCache();
    cache.remember('s', [call('call_aaaaaaaa')], thought('why'));
    const own = asks('call_aaaaaaaa');
    const messages: Message[] = [
      { ...own, content: [{ type: 'reasoning', text: 'mine', form: 'raw' }, ...own.content] },
      { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
    ];
    expect(cache.restore('s', messages)).toEqual(messages);
  });

  it('keeps the clients of different keys apart', () => {
    const cache = new ReasoningCache();
    cache.remember('one', [call('call_aaaaaaaa')], thought('secret'));
    expect(cache.find('two', call('call_aaaaaaaa'))).toBeUndefined();
  });

  it('tells counted ids apart by the call itself', () => {
    const cache = new ReasoningCache();
    cache.remember('s', [call('call_0', '{"a":1}')], thought('first'));
    cache.remember('s', [call('call_0', '{"a":2}')], thought('second'));
    expect(cache.find('s', call('call_0', '{"a":1}'))?.text).toBe('first');
    expect(cache.find('s', call('call_0', '{"a":3}'))).toBeUndefined();
  });

  it('forgets what was not used for longest', () => {
    const cache = new ReasoningCache({ maxEntries: 2 });
    cache.remember('s', [call('call_aaaaaaaa')], thought('a'));
    cache.remember('s', [call('call_bbbbbbbb')], thought('b'));
    cache.find('s', call('call_aaaaaaaa'));
    cache.remember('s', [call('call_cccccccc')], thought('c'));
    expect(cache.find('s', call('call_bbbbbbbb'))).toBeUndefined();
    expect(cache.find('s', call('call_aaaaaaaa'))?.text).toBe('a');
    expect(cache.size).toBe(2);
  });

  it('stays within its bytes and refuses what can never fit', () => {
    const cache = new ReasoningCache({ maxBytes: 200 });
    for (let index = 0; index < 50; index++) {
      cache.remember('s', [call(`call_aaaaaaaa${index}`)], thought('x'.repeat(20)));
    }
    expect(cache.size).toBeLessThanOrEqual(3);
    cache.remember('s', [call('call_zzzzzzzz')], thought('x'.repeat(500)));
    expect(cache.find('s', call('call_zzzzzzzz'))).toBeUndefined();
    expect(cache.size).toBeGreaterThan(0);
  });

  it('remembers a thought anew under the same call', () => {
    const cache = new ReasoningCache({ maxBytes: 200 });
    for (let index = 0; index < 50; index++)
      cache.remember('s', [call('call_aaaaaaaa')], thought(`t${index}`));
    expect(cache.size).toBe(1);
    expect(cache.find('s', call('call_aaaaaaaa'))?.text).toBe('t49');
  });
});
