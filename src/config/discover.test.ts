import { describe, expect, it } from 'vitest';
import { completeConfig, discoverUpstreams } from './discover.ts';
import type { Probe } from './probe-models.ts';
import { defaultConfig, makeUpstream } from './schema.ts';

const KINDS = ['openai-chat', 'demo'];
const nobody: Probe = async () => undefined;

describe('discovery', () => {
  it('turns each key in the environment into an upstream', async () => {
    const env = {
      OPENAI_API_KEY: 'k-openai',
      OPENROUTER_API_KEY: 'k-or',
      GROQ_API_KEY: 'k-groq',
      DEEPSEEK_API_KEY: 'k-ds',
      MISTRAL_API_KEY: 'k-mi',
      XAI_API_KEY: 'k-xai',
      GEMINI_API_KEY: 'k-ge',
      TOGETHER_API_KEY: 'k-to',
    };
    const { upstreams, notices } = await discoverUpstreams({ env, kinds: KINDS, probe: nobody });
    expect(
      Object.fromEntries(Object.entries(upstreams).map(([name, { baseUrl }]) => [name, baseUrl])),
    ).toEqual({
      openai: 'https://api.openai.com/v1',
      openrouter: 'https://openrouter.ai/api/v1',
      groq: 'https://api.groq.com/openai/v1',
      deepseek: 'https://api.deepseek.com/v1',
      mistral: 'https://api.mistral.ai/v1',
      xai: 'https://api.x.ai/v1',
      gemini: 'https://generativelanguage.googleapis.com/v1beta/openai',
      together: 'https://api.together.xyz/v1',
    });
    expect(upstreams.openai).toMatchObject({ kind: 'openai-chat', apiKey: 'k-openai', retries: 2 });
    expect(notices).toEqual([]);
  });

  it('offers Cursor when a login is kept here; a key in the environment wins', async () => {
    const kinds = [...KINDS, 'cursor-agent'];
    const byLogin = { env: {}, kinds, probe: nobody, hasCursorLogin: true };
    expect((await discoverUpstreams(byLogin)).upstreams.cursor).toMatchObject({ kind: 'cursor-agent' });
    const both = await discoverUpstreams({ ...byLogin, env: { CURSOR_API_KEY: 'k' } });
    expect(both.upstreams.cursor).toMatchObject({ apiKey: 'k' });
    expect((await discoverUpstreams({ ...byLogin, kinds: KINDS })).upstreams).toEqual({});
  });

  it('respects OPENAI_BASE_URL, but not when it is this gateway', async () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://proxy.test/v1/' };
    const there = await discoverUpstreams({ env, kinds: KINDS, probe: nobody });
    expect(there.upstreams.openai?.baseUrl).toBe('https://proxy.test/v1');
    const own = { ...env, OPENAI_BASE_URL: 'http://localhost:18741/v1' };
    const here = await discoverUpstreams({ env: own, kinds: KINDS, probe: nobody, ownPorts: [18741] });
    expect(here.upstreams).toEqual({});
    expect(here.notices).toEqual([
      "OPENAI_BASE_URL is this gateway's own address; the upstream openai is left out.",
    ]);
  });

  it('says so when a key is there and the kind is not, and takes it once the kind is', async () => {
    const env = { ANTHROPIC_API_KEY: 'k-a', CURSOR_API_KEY: 'k-c' };
    const before = await discoverUpstreams({ env, kinds: KINDS, probe: nobody });
    expect(before.upstreams).toEqual({});
    expect(before.notices).toEqual([
      'ANTHROPIC_API_KEY is set, but this version has no upstream of the kind anthropic-messages yet; it is not used.',
      'CURSOR_API_KEY is set, but this version has no upstream of the kind cursor-agent yet; it is not used.',
    ]);
    const kinds = [...KINDS, 'anthropic-messages', 'cursor-agent'];
    const after = await discoverUpstreams({ env, kinds, probe: nobody });
    expect(Object.keys(after.upstreams)).toEqual(['anthropic', 'cursor']);
    expect(after.notices).toEqual([]);
  });

  it('asks the usual loopback ports, all at once, and takes those that list models', async () => {
    const asked: string[] = [];
    const probe: Probe = async (baseUrl) => {
      asked.push(baseUrl);
      return baseUrl.includes(':11434') ? ['llama3'] : undefined;
    };
    const { upstreams } = await discoverUpstreams({ env: {}, kinds: KINDS, probe, ownPorts: [8000] });
    expect(asked).toEqual([11434, 1234, 8080, 4000, 1337].map((port) => `http://127.0.0.1:${port}/v1`));
    expect(upstreams).toEqual({
      ollama: makeUpstream({ kind: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' }),
    });
  });

  it('asks no port with CROSSPOINT_DISCOVER=off', async () => {
    const probe: Probe = async () => {
      throw new Error('asked');
    };
    const { upstreams } = await discoverUpstreams({
      env: { CROSSPOINT_DISCOVER: 'off' },
      kinds: KINDS,
      probe,
    });
    expect(upstreams).toEqual({});
  });
});

describe('a complete configuration', () => {
  it('is the demo model when nothing else is found', async () => {
    const { config, isDiscovered } = await completeConfig(defaultConfig(), {
      env: {},
      kinds: KINDS,
      probe: nobody,
    });
    expect(Object.keys(config.upstreams)).toEqual(['demo']);
    expect(config.default).toBe('demo/demo');
    expect(isDiscovered).toBe(true);
  });

  it('discovers nothing beside configured upstreams, but keeps the demo model', async () => {
    const base = defaultConfig();
    const config = { ...base, upstreams: { mine: makeUpstream({ kind: 'demo' }) } };
    const complete = await completeConfig(config, {
      env: { OPENAI_API_KEY: 'k' },
      kinds: KINDS,
      probe: nobody,
    });
    expect(Object.keys(complete.config.upstreams)).toEqual(['demo', 'mine']);
    expect(complete.isDiscovered).toBe(false);
  });

  it('leaves an upstream called demo to the configuration', async () => {
    const demo = makeUpstream({ kind: 'openai-chat', baseUrl: 'http://x.test/v1' });
    const config = { ...defaultConfig(), upstreams: { demo } };
    const complete = await completeConfig(config, { env: {}, kinds: KINDS, probe: nobody });
    expect(complete.config.upstreams).toEqual({ demo });
  });

  it('counts discovered keys among the secrets', async () => {
    const env = { OPENAI_API_KEY: 'sk-found-in-env' };
    const { secrets } = await completeConfig(defaultConfig(), { env, kinds: KINDS, probe: nobody });
    expect(secrets).toEqual(['sk-found-in-env']);
  });
});
