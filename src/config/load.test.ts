// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../core/index.ts';
import { type LoadOptions, loadConfig } from './load.ts';

const KINDS = ['openai-chat', 'demo'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'crosspoint-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function load(options: Partial<LoadOptions> = {}) {
  return loadConfig({ env: {}, cwd: folder, home: path.join(folder, 'home'), kinds: KINDS, ...options });
}

async function write(text: string, name = 'crosspoint.yaml'): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** The message of the failure, with the temporary folder taken out. */
async function problemsOf(text: string, options: Partial<LoadOptions> = {}, name?: string): Promise<string> {
  await write(text, name);
  const error = await load(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GatewayError);
  const gatewayError = GatewayError.from(error);
  expect(gatewayError.code).toBe('invalid-request');
  return gatewayError.message.replaceAll(`${folder}/`, '');
}

describe('a configuration that is right', () => {
  it('has every default when there is no file', async () => {
    const { config, file } = await load();
    expect(file).toBeUndefined();
    expect(config).toEqual({
      server: {
        host: '127.0.0.1',
        port: 18741,
        auth: 'none',
        allowedHosts: [],
        allowedOrigins: [],
        keepAliveMs: 15_000,
        shutdownGraceMs: 10_000,
      },
      upstreams: {},
      models: {},
      store: { kind: 'sqlite' },
      byok: { dialect: 'openai', strictProto: false, showThinking: 'off', reasoningCacheEntries: 2_000 },
      limits: {
        maxRequestBytes: 67_108_864,
        maxResponseBytes: 67_108_864,
        maxConcurrentTurns: 256,
        maxQueuedTurns: 512,
        queueTimeoutMs: 30_000,
      },
      log: { level: 'info' },
      agent: { clientUpstreams: false, http2: 'auto', maxSteps: 200, maxDepth: 2, prompts: {} },
    });
  });

  it('fills an upstream with its defaults', async () => {
    await write(
      'upstreams:\n  local: { kind: openai-chat, baseUrl: http://127.0.0.1:8000/v1, timeouts: { idleMs: 5 } }\n',
    );
    const { config } = await load();
    expect(config.upstreams.local).toEqual({
      kind: 'openai-chat',
      baseUrl: 'http://127.0.0.1:8000/v1',
      headers: {},
      timeouts: { connectMs: 10_000, firstByteMs: 300_000, idleMs: 5 },
      retries: 2,
      capabilities: [],
    });
  });

  it('may be JSON with comments and trailing commas', async () => {
    await write('{\n  // the port\n  "server": { "port": 9000, },\n}\n', 'crosspoint.jsonc');
    expect((await load()).config.server.port).toBe(9000);
  });

  it('treats a section without content as absent', async () => {
    await write('upstreams:\nserver:\n  port: 1\n');
    expect((await load()).config.upstreams).toEqual({});
  });

  it('resolves paths against its own folder and the home', async () => {
    const file = await write(
      'server: { tls: { cert: cert.pem, key: ~/key.pem } }\nstore: { path: data/x.db }\n',
      'sub/c.yaml',
    );
    const { config } = await load({ configFile: 'sub/c.yaml' });
    expect(config.server.tls).toEqual({
      cert: path.join(path.dirname(file), 'cert.pem'),
      key: path.join(folder, 'home', 'key.pem'),
    });
    expect(config.store.path).toBe(path.join(path.dirname(file), 'data', 'x.db'));
  });
});

describe('where a configuration is looked for', () => {
  it('is the working directory before the user folder', async () => {
    await write('server: { port: 2 }', 'home/.config/crosspoint/crosspoint.json');
    await writeFile(path.join(folder, 'home/.config/crosspoint/crosspoint.json'), '{"server":{"port":2}}');
    expect((await load()).config.server.port).toBe(2);
    await write('server: { port: 3 }', 'crosspoint.yml');
    expect((await load()).config.server.port).toBe(3);
  });

  it('is XDG_CONFIG_HOME when that is set', async () => {
    await write('server: { port: 4 }', 'xdg/crosspoint/crosspoint.yaml');
    expect((await load({ env: { XDG_CONFIG_HOME: path.join(folder, 'xdg') } })).config.server.port).toBe(4);
  });

  it('fails when the named file is not there', async () => {
    await expect(load({ configFile: 'nope.yaml' })).rejects.toThrow(
      `There is no configuration file ${path.join(folder, 'nope.yaml')}. Check the path after --config.`,
    );
  });
});

describe('precedence', () => {
  it('puts the environment over the file and flags over both', async () => {
    await write('server: { host: localhost, port: 1, auth: keys }\nlog: { level: warn }\n');
    const env = { CROSSPOINT_SERVER_PORT: '2', CROSSPOINT_LOG_LEVEL: 'debug', CROSSPOINT_DEFAULT: 'a/b' };
    const flags = [{ path: ['server', 'port'], value: 3, origin: { flag: '--port' } }];
    const { config } = await load({ env, flags });
    expect(config.server).toMatchObject({ host: 'localhost', port: 3, auth: 'keys' });
    expect(config.log.level).toBe('debug');
    expect(config.default).toBe('a/b');
  });

  it('reaches every key by its variable, lists and upstreams included', async () => {
    await write('upstreams: { my-local: { kind: openai-chat } }\n');
    const { config } = await load({
      env: {
        CROSSPOINT_SERVER_ALLOWED_HOSTS: 'a.test, b.test',
        CROSSPOINT_SERVER_KEEP_ALIVE_MS: '7',
        CROSSPOINT_STORE_KIND: 'memory',
        CROSSPOINT_LIMITS_MAX_CONCURRENT_TURNS: '9',
        CROSSPOINT_UPSTREAMS_MY_LOCAL_BASE_URL: 'http://x.test/v1',
        CROSSPOINT_UPSTREAMS_MY_LOCAL_TIMEOUTS_IDLE_MS: '8',
        CROSSPOINT_UPSTREAMS_NEW_KIND: 'demo',
        CROSSPOINT_HOME: '/elsewhere',
        CROSSPOINT_DISCOVER: 'off',
      },
    });
    expect(config.server).toMatchObject({ allowedHosts: ['a.test', 'b.test'], keepAliveMs: 7 });
    expect(config.store.kind).toBe('memory');
    expect(config.limits.maxConcurrentTurns).toBe(9);
    expect(config.upstreams['my-local']).toMatchObject({
      baseUrl: 'http://x.test/v1',
      timeouts: { idleMs: 8 },
    });
    expect(config.upstreams.new?.kind).toBe('demo');
  });

  it('names the variable at fault', async () => {
    expect(await problemsOf('server: { port: 1 }', { env: { CROSSPOINT_SERVER_PORT: 'abc' } })).toBe(
      'The configuration has a problem:\n' +
        'CROSSPOINT_SERVER_PORT: server.port must be a whole number from 0 to 65535, not "abc".',
    );
  });

  it('names the flag at fault', async () => {
    const flags = [{ path: ['log', 'level'], value: 'wran', origin: { flag: '--log-level' } }];
    expect(await problemsOf('', { flags })).toBe(
      'The configuration has a problem:\n' +
        '--log-level: log.level must be trace, debug, info, warn, error or silent, not "wran". Did you mean warn?',
    );
  });

  it('refuses a variable that means a section but no key', async () => {
    expect(await problemsOf('', { env: { CROSSPOINT_SERVER_PROT: '1' } })).toBe(
      'The configuration has a problem:\n' +
        'CROSSPOINT_SERVER_PROT: this variable names no key of the configuration. Did you mean CROSSPOINT_SERVER_PORT?',
    );
  });
});

describe('expansion of ${NAME}', () => {
  const text =
    'upstreams:\n  a:\n    kind: openai-chat\n    baseUrl: ${HOST_URL:-http://fallback.test/v1}\n    apiKey: ${KEY_A}\n';

  it('takes the variable, or the default after :-', async () => {
    await write(text);
    const { config, secrets } = await load({ env: { KEY_A: 'secret-value-1' } });
    expect(config.upstreams.a).toMatchObject({
      baseUrl: 'http://fallback.test/v1',
      apiKey: 'secret-value-1',
    });
    expect(secrets).toEqual(['secret-value-1']);
    const again = await load({ env: { KEY_A: 'secret-value-1', HOST_URL: 'http://other.test' } });
    expect(again.config.upstreams.a?.baseUrl).toBe('http://other.test');
    expect(again.secrets).toContain('http://other.test');
  });

  it('turns digits into numbers where numbers are wanted', async () => {
    await write('server: { port: "${PORT}" }');
    expect((await load({ env: { PORT: '8080' } })).config.server.port).toBe(8080);
  });

  it('leaves $${…} alone but for one dollar', async () => {
    await write('default: "$${X}/y"');
    expect((await load()).config.default).toBe('${X}/y');
  });

  it('says which variable is missing, for which key and where', async () => {
    expect(await problemsOf(text)).toBe(
      'The configuration has a problem:\n' +
        'crosspoint.yaml:5:13: upstreams.a.apiKey needs the environment variable KEY_A, which is not set. ' +
        'Set it, or write ${KEY_A:-default}.\n' +
        '  5 |     apiKey: ${KEY_A}\n' +
        '    |             ^',
    );
  });

  it('does not mind a missing variable that a flag replaces', async () => {
    await write('default: ${NOPE}');
    const flags = [{ path: ['default'], value: 'x/y', origin: { flag: '--default' } }];
    expect((await load({ flags })).config.default).toBe('x/y');
  });

  it('never repeats a value that came from the environment', async () => {
    const message = await problemsOf('server: { port: "${PORT}" }', { env: { PORT: 'hush-hush' } });
    expect(message).toContain('server.port must be a whole number from 0 to 65535.');
    expect(message).not.toContain('hush-hush');
  });
});

describe('a configuration that is wrong', () => {
  it('points at an unknown key and names the nearest', async () => {
    expect(await problemsOf('server:\n  host: localhost\n  prot: 18741\n')).toBe(
      'The configuration has a problem:\n' +
        'crosspoint.yaml:3:3: server.prot is not a known key. Did you mean port?\n' +
        '  3 |   prot: 18741\n' +
        '    |   ^',
    );
  });

  it('lists the known keys when none is near', async () => {
    expect(await problemsOf('log:\n  zzzzzzzz: 1\n')).toContain(
      'crosspoint.yaml:2:3: log.zzzzzzzz is not a known key. Known here: level, format.',
    );
  });

  it('names an unknown kind and the nearest', async () => {
    expect(await problemsOf('upstreams:\n  a: { kind: open-ai-chat, baseUrl: http://a.test }\n')).toBe(
      'The configuration has a problem:\n' +
        'crosspoint.yaml:2:14: upstreams.a.kind "open-ai-chat" is not known. Did you mean openai-chat?\n' +
        '  2 |   a: { kind: open-ai-chat, baseUrl: http://a.test }\n' +
        '    |              ^',
    );
  });

  it('lists all problems at once, in the order of the file', async () => {
    const message = await problemsOf(
      'server: { port: 70000 }\nupstreams:\n  a: { baseURL: nope }\nmodels:\n  fast: { upstreem: a }\nlog: { level: loud }\n',
    );
    expect(message.split('\n').filter((line) => line.startsWith('crosspoint.yaml:'))).toEqual([
      'crosspoint.yaml:1:17: server.port must be a whole number from 0 to 65535, not 70000.',
      'crosspoint.yaml:3:3: upstreams.a.kind is missing; it must be the kind of the upstream, e.g. openai-chat.',
      'crosspoint.yaml:3:8: upstreams.a.baseURL is not a known key. Did you mean baseUrl?',
      'crosspoint.yaml:5:11: models.fast.upstreem is not a known key. Did you mean upstream?',
      'crosspoint.yaml:6:15: log.level must be trace, debug, info, warn, error or silent, not "loud".',
    ]);
    expect(message).toContain('The configuration has 5 problems:');
  });

  it('says of the sections to come that they are not known yet', async () => {
    expect(await problemsOf('recorder: { path: x }\n')).toContain(
      'crosspoint.yaml:1:1: this version does not know the section recorder yet. Remove it for now.',
    );
  });

  it('hands the policy on as it stands and leaves its keys to the tools', async () => {
    await write('policy: { setting: auto-accept, rules: [{ decision: deny, path: "secrets/**" }] }\n');
    const rules = [{ decision: 'deny', path: 'secrets/**' }];
    expect((await load()).config.policy).toEqual({ setting: 'auto-accept', rules });
    expect(await problemsOf('policy: strict\n')).toContain(
      'crosspoint.yaml:1:9: policy must be a mapping of keys, not "strict".',
    );
  });

  it('refuses redis for now', async () => {
    expect(await problemsOf('store: { kind: redis, url: "redis://127.0.0.1" }\n')).toContain(
      'crosspoint.yaml:1:16: store.kind redis is not in this version yet. It has memory and sqlite.',
    );
  });

  it('refuses to be open to the network without keys', async () => {
    expect(await problemsOf('server:\n  host: 0.0.0.0\n')).toContain(
      'crosspoint.yaml:2:9: server.host 0.0.0.0 can be reached from other machines, and server.auth is none',
    );
    await write('server: { host: 0.0.0.0, auth: keys }\n');
    expect((await load()).config.server.host).toBe('0.0.0.0');
  });

  it('names the flag when a flag opens it to the network', async () => {
    const flags = [{ path: ['server', 'host'], value: '0.0.0.0', origin: { flag: '--host' } }];
    expect(await problemsOf('', { flags })).toContain('--host: server.host 0.0.0.0 can be reached');
  });

  it.each([
    ['models: { m: {} }', 'models.m leads nowhere. Give upstream and model, or a list of targets.'],
    ['models: { m: { targets: [] } }', 'models.m.targets is empty. Name at least one.'],
    ['models: { m: { targets: [x] } }', 'models.m.targets[0] must be written as upstream/model, not "x".'],
    ['models: { m: { targets: [a/b], upstream: a } }', 'models.m has both targets and upstream or model.'],
    [
      'upstreams: { local: { kind: demo } }\nmodels: { m: { upstream: locl, model: x } }',
      'models.m.upstream names no upstream: "locl". Did you mean local?',
    ],
    [
      'upstreams: { a: { kind: openai-chat } }',
      'upstreams.a.baseUrl is missing. Give the address of the server',
    ],
    ['upstreams: { a/b: { kind: demo } }', 'upstreams: the name "a/b" may hold letters'],
    [
      'upstreams: { a: { kind: demo, baseUrl: "ftp://x" } }',
      'must be an http:// or https:// address, not "ftp://x".',
    ],
    ['upstreams: [1]', 'upstreams must be a mapping of names, not a list.'],
    ['server: 5', 'server must be a mapping of keys, not 5.'],
    ['- a\n- b', 'The configuration must be a mapping of keys, not a list.'],
    ['upstreams: { a: { kind: demo, models: [1] } }', 'upstreams.a.models[0] must be a model name, not 1.'],
  ])('explains %j', async (text, expected) => {
    expect(await problemsOf(text)).toContain(expected);
  });

  it('points into JSON as well', async () => {
    expect(await problemsOf('{\n  "server": {\n    "prt": 1\n  }\n}\n', {}, 'crosspoint.json')).toBe(
      'The configuration has a problem:\n' +
        'crosspoint.json:3:5: server.prt is not a known key. Did you mean port?\n' +
        '  3 |     "prt": 1\n' +
        '    |     ^',
    );
  });

  it('shows where the syntax breaks', async () => {
    expect(await problemsOf('server: {\n  "port" 1\n}', {}, 'crosspoint.json')).toContain(
      'crosspoint.json:1:1:',
    );
    const yaml = await problemsOf('server:\n  host: "unfinished\n');
    expect(yaml).toMatch(/^The configuration has a problem:\ncrosspoint\.yaml:\d+:\d+: .*quote/i);
  });

  it('points at a key that stands twice', async () => {
    expect(await problemsOf('default: a/b\ndefault: c/d\n')).toContain(
      'crosspoint.yaml:2:1: Map keys must be unique.',
    );
  });

  it('never shows a secret of the file, not even in the source line', async () => {
    const message = await problemsOf(
      'upstreams:\n  a: { kind: demoo, apiKey: "sk-verysecret1234", headers: { authorization: 5 } }\n',
    );
    expect(message).not.toContain('verysecret');
    expect(message).toContain('apiKey: "*****************"');
  });
});
