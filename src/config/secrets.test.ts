// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets } from './config-problem.ts';
import { expandEnv } from './expand-env.ts';
import { isLoopbackHost } from './loopback.ts';
import { defaultConfig, makeUpstream } from './schema.ts';
import { collectSecrets } from './secrets.ts';

describe('the secrets of a configuration', () => {
  it('are keys, tokens, telling headers and passwords in addresses, longest first', () => {
    const upstream = makeUpstream({
      kind: 'x',
      apiKey: 'api-key-value',
      accessToken: 'access-token-value',
      headers: { Authorization: 'Bearer header-token', 'x-title': 'My application' },
      baseUrl: 'https://user:url%20password@host.test/v1',
      proxy: 'http://u:proxy-pass@proxy.test',
    });
    const config = { ...defaultConfig(), upstreams: { a: upstream } };
    const secrets = collectSecrets(config, ['from-the-environment', 'eu']);
    expect(new Set(secrets)).toEqual(
      new Set([
        'from-the-environment',
        'access-token-value',
        'Bearer header-token',
        'api-key-value',
        'header-token',
        'url password',
        'proxy-pass',
      ]),
    );
    expect(secrets.map(({ length }) => length)).toEqual(
      secrets.map(({ length }) => length).toSorted((a, b) => b - a),
    );
  });
});

describe('the secrets of sections that others read', () => {
  it('are known by the names they stand under, in lists of arguments and in addresses', () => {
    const config = {
      ...defaultConfig(),
      tools: {
        webSearch: { provider: 'brave', apiKey: 'search-key' },
        forges: [{ host: 'git.test', token: 'forge-token' }],
      },
      mcp: {
        servers: {
          a: {
            command: 'npx',
            args: ['-y', 'package', '--api-key', 'key-as-argument', '--token=token-as-argument', '--verbose'],
            env: { GITHUB_TOKEN: 'token-in-env', LOG_LEVEL: 'debugging' },
          },
          b: {
            url: 'https://u:url-password@mcp.test/?api_key=key-in-url&page=seventeen',
            headers: { Authorization: 'Bearer bearer-token', 'x-title': 'My application' },
            oauth: { clientId: 'public-client', clientSecret: 'client-secret' },
          },
        },
      },
    };
    expect(new Set(collectSecrets(config))).toEqual(
      new Set([
        'search-key',
        'forge-token',
        'key-as-argument',
        '--token=token-as-argument',
        'token-as-argument',
        'token-in-env',
        'url-password',
        'key-in-url',
        'Bearer bearer-token',
        'bearer-token',
        'client-secret',
      ]),
    );
  });

  it('leave the variables of mcp.json files to the MCP client', () => {
    const tree = { mcp: { cwd: '${workspaceFolder}/x', key: '${MY_KEY}' }, log: '${workspaceFolder}' };
    const { value, missing } = expandEnv(tree, { MY_KEY: 'k' });
    expect(value).toMatchObject({ mcp: { cwd: '${workspaceFolder}/x', key: 'k' } });
    expect(missing).toEqual([{ variable: 'workspaceFolder', path: ['log'] }]);
  });
});

describe('a masked source line', () => {
  it.each([
    ['    apiKey: abc', '    apiKey: ***'],
    ['a: { apiKey: "a b", kind: x }', 'a: { apiKey: "* *", kind: x }'],
    ['"authorization": "Bearer abc", "x": 1', '"authorization": "****** ***", "x": 1'],
    ['  x-api-key: abc # mine', '  x-api-key: *** # mine'],
    ['apiKey: "${KEY}"', 'apiKey: "${KEY}"'],
    ['apiKey: ${KEY:-abc}', 'apiKey: ***********'],
    ['default: sk-abcdefgh12', 'default: *************'],
    ['proxy: http://u:pw@h', 'proxy: http://u:**@h'],
    ['port: 1', 'port: 1'],
  ])('hides the secret in %j and keeps every column', (line, masked) => {
    expect(maskSecrets(line)).toBe(masked);
  });

  it('always keeps its length', () => {
    fc.assert(fc.property(fc.string(), (line) => maskSecrets(line).length === line.length));
  });
});

describe('expansion', () => {
  it('leaves trees without references as they are', () => {
    const leaf = fc.string().filter((text) => !text.includes('${'));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(leaf, fc.integer(), fc.array(leaf))), (tree) => {
        const plain = Object.fromEntries(Object.entries(tree));
        expect(expandEnv(plain, {}).value).toEqual(plain);
      }),
    );
  });

  it('does not expand what came out of the environment', () => {
    expect(expandEnv('${A}', { A: '${B}', B: 'x' }).value).toBe('${B}');
  });
});

describe('a loopback host', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    'localhost',
    'LOCALHOST',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    'a.localhost',
  ])('is %s', (host) => expect(isLoopbackHost(host)).toBe(true));
  it.each(['0.0.0.0', '::', '192.168.1.4', '127.0.0.1.example.org', 'example.org', '', '1270.0.0.1'])(
    'is not %j',
    (host) => expect(isLoopbackHost(host)).toBe(false),
  );
});
