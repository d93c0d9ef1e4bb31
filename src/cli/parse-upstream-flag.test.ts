import { describe, expect, it } from 'vitest';
import { parseUpstreamFlag, upstreamOverrides } from './parse-upstream-flag.ts';

const KINDS = ['openai-chat', 'demo'];

describe('--upstream', () => {
  it('reads name, kind and address; the address may hold = and :', () => {
    expect(parseUpstreamFlag('local:openai-chat=http://127.0.0.1:8000/v1?a=b', KINDS)).toEqual({
      name: 'local',
      kind: 'openai-chat',
      baseUrl: 'http://127.0.0.1:8000/v1?a=b',
    });
  });

  it('needs no address for kinds that have none', () => {
    const flag = parseUpstreamFlag('try:demo', KINDS);
    expect(flag).toEqual({ name: 'try', kind: 'demo' });
    expect(upstreamOverrides(flag)).toEqual([
      { path: ['upstreams', 'try', 'kind'], value: 'demo', origin: { flag: '--upstream try' } },
    ]);
  });

  it.each([
    ['local', 'the kind is missing.'],
    ['local=http://x', 'the kind is missing.'],
    [':demo', 'the name "" may hold'],
    ['a/b:demo', 'the name "a/b" may hold'],
    ['a:openai-chta=http://x', 'the kind "openai-chta" is not known. Did you mean openai-chat?'],
    ['a:zzzzzzzzz=http://x', 'This version has openai-chat or demo.'],
    ['a:openai-chat=127.0.0.1:80', 'the address must begin with http:// or https://.'],
    ['a:openai-chat=', 'the address must begin with http:// or https://.'],
  ])('refuses %s and says why and how to write it', (written, why) => {
    expect(() => parseUpstreamFlag(written, KINDS)).toThrow(why);
    expect(() => parseUpstreamFlag(written, KINDS)).toThrow(
      /Write NAME:KIND=URL, e\.g\. local:openai-chat=http/,
    );
  });
});
