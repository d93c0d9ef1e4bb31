import { describe, expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

describe('nearest name', () => {
  it('finds the name that was meant', () => {
    expect(nearestName('upsteams', ['server', 'upstreams', 'models'])).toBe('upstreams');
    expect(nearestName('GPT-4O', ['gpt-4o', 'gpt-5'])).toBe('gpt-4o');
  });

  it('stays silent when nothing is near', () => {
    expect(nearestName('banana', ['server', 'upstreams'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
  });
});
