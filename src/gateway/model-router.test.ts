import { describe, expect, it } from 'vitest';
import type { ModelInfo, Upstream } from '../dialects/dialect.ts';
import { type ModelAlias, ModelRouter } from './model-router.ts';

function upstream(name: string, list: () => Promise<readonly ModelInfo[]>): Upstream & { calls: number } {
  const self = {
    name,
    kind: 'test',
    supportsChoices: false,
    calls: 0,
    openTurn: async function* () {},
    listModels: () => {
      self.calls++;
      return list();
    },
    close: async () => {},
  };
  return self;
}

const models =
  (...ids: string[]) =>
  async () =>
    ids.map((id) => ({ id, contextWindow: 1000 }));

function router(aliases: Record<string, ModelAlias> = {}, nowMs = () => 0) {
  const a = upstream('a', models('x', 'shared'));
  const b = upstream('b', models('y', 'shared', 'vendor/z'));
  const down = upstream('down', () => Promise.reject(new Error('refused')));
  const made = new ModelRouter({ upstreams: [a, b, down], aliases, defaultModel: 'a/x', nowMs });
  return { router: made, a, down };
}

const targetsOf = async (name: string, aliases?: Record<string, ModelAlias>) =>
  (await router(aliases).router.resolve(name)).targets.map(
    (target) => `${target.upstream.name}:${target.model}`,
  );

describe('the model router', () => {
  it.each([
    ['a/x', ['a:x']],
    ['b/vendor/z', ['b:vendor/z']],
    ['a/not-listed', ['a:not-listed']],
    ['y', ['b:y']],
    ['vendor/z', ['b:vendor/z']],
    ['', ['a:x']],
  ])('resolves %j', async (name, expected) => {
    expect(await targetsOf(name)).toEqual(expected);
  });

  it('lets a public name win over everything, with failover lists in order', async () => {
    const aliases = { y: { upstream: 'a', model: 'x' }, both: { targets: ['down/q', 'b/y'] } };
    expect(await targetsOf('y', aliases)).toEqual(['a:x']);
    expect(await targetsOf('both', aliases)).toEqual(['down:q', 'b:y']);
  });

  it('asks for the upstream when several serve a bare name', async () => {
    await expect(router().router.resolve('shared')).rejects.toMatchObject({
      code: 'invalid-request',
      message: 'Model shared is served by several upstreams; write a/shared or b/shared.',
    });
  });

  it('names the nearest model when there is none of that name', async () => {
    await expect(router().router.resolve('vendor/zz')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('Did you mean vendor/z?'),
      detail: { param: 'model', reason: 'model_not_found' },
    });
  });

  it('refuses a public name that leads nowhere, at the start', () => {
    expect(() => router({ bad: { upstream: 'nope', model: 'x' } })).toThrow(/models\.bad: target "nope\/x"/);
    expect(() => router({ bad: { targets: [] } })).toThrow(/targets is empty/);
  });

  it('reads a name another way only when the name itself means nothing', async () => {
    const { router: made } = router({ 'x-high': { upstream: 'b', model: 'y' } });
    const high = { model: 'x', reasoningEffort: 'high' };
    expect((await made.resolve('x-high', [high])).targets[0].model).toBe('y');
    expect(await made.resolve('x-fast', [high])).toMatchObject({
      name: 'x',
      alternative: high,
      targets: [{ model: 'x' }],
    });
    expect(await made.resolve('a/x-fast', [{ model: 'a/x' }])).toMatchObject({ name: 'a/x' });
    expect(await made.resolve('gpt-3.5-turbo', [{ model: '' }])).toMatchObject({ name: 'a/x' });
    await expect(made.resolve('nothing', [{ model: 'nothing-either' }])).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await made.resolve('a/unlisted', [{ model: 'zzz' }])).toMatchObject({ name: 'a/unlisted' });
  });

  it('lists public names and every model with its upstream, context sizes included', async () => {
    const listed = await router({
      fast: { upstream: 'a', model: 'x' },
      big: { targets: ['b/y'], contextWindow: 5 },
    }).router.list();
    expect(listed).toContainEqual({ id: 'fast', upstream: 'a', contextWindow: 1000 });
    expect(listed).toContainEqual({ id: 'big', upstream: 'b', contextWindow: 5 });
    expect(listed.map((model) => model.id)).toEqual([
      'fast',
      'big',
      'a/x',
      'a/shared',
      'b/y',
      'b/shared',
      'b/vendor/z',
    ]);
  });

  it('asks each upstream once a minute, a failed one after five seconds', async () => {
    let now = 0;
    const { router: made, a, down } = router({}, () => now);
    await made.list();
    await made.list();
    expect([a.calls, down.calls]).toEqual([1, 1]);
    now = 6_000;
    await made.list();
    expect([a.calls, down.calls]).toEqual([1, 2]);
    now = 61_000;
    await made.list();
    expect(a.calls).toBe(2);
  });
});
