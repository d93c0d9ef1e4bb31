import { describe, expect, test } from 'vitest';
import { GatewayError } from '../core/index.ts';
import type { Exchange } from './exchange.ts';
import { callHttp1, callHttp2, connectRaw } from './fixtures/clients.ts';
import { serve } from './fixtures/serve.ts';
import { createHostCheck, type HostCheckOptions } from './host-check.ts';
import { sendPlainError } from './http-error.ts';
import { createRouter } from './router.ts';

const LOCAL: HostCheckOptions = { boundHost: '127.0.0.1', authMode: 'none' };

/** The part of an exchange the check looks at. */
function check(
  options: HostCheckOptions,
  headers: Record<string, string>,
  method = 'POST',
  path = '/v1/chat/completions',
): string {
  const added: Record<string, string> = {};
  const addHeaders = (more: Record<string, string>) => Object.assign(added, more);
  try {
    createHostCheck(options).check({ headers, method, path, addHeaders } as unknown as Exchange); // all it uses
    return added['access-control-allow-origin'] ?? 'ok';
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

describe('the Host check', () => {
  test.each([
    ['localhost', 'ok'],
    ['LocalHost:18741', 'ok'],
    ['localhost.:1', 'ok'],
    ['app.localhost:5173', 'ok'],
    ['127.0.0.1:18741', 'ok'],
    ['127.8.9.1', 'ok'],
    ['[::1]:18741', 'ok'],
    ['evil.example', 'permission-denied'],
    ['evil.example:18741', 'permission-denied'],
    ['127.0.0.1.evil.example', 'permission-denied'],
    ['localhost.evil.example', 'permission-denied'],
    ['192.168.0.5:18741', 'permission-denied'],
    ['0.0.0.0:18741', 'permission-denied'],
    ['user@localhost', 'permission-denied'],
    ['localhost:80:80', 'permission-denied'],
    ['', 'permission-denied'],
  ])('on loopback, %s gives %s', (host, outcome) => {
    expect(check(LOCAL, { host })).toBe(outcome);
  });

  test('a missing host is refused', () => {
    expect(check(LOCAL, {})).toBe('permission-denied');
  });

  test('takes the names of the configuration and the bound address', () => {
    const options = { ...LOCAL, allowedHosts: ['Gate.Example.org'] };
    expect(check(options, { host: 'gate.example.org:443' })).toBe('ok');
    expect(check({ ...LOCAL, boundHost: '10.0.0.7' }, { host: '10.0.0.7:18741' })).toBe('ok');
  });

  test('takes any host on a network only where keys are the guard', () => {
    expect(check({ boundHost: '0.0.0.0', authMode: 'keys' }, { host: 'anything' })).toBe('ok');
    expect(check({ boundHost: '0.0.0.0', authMode: 'none' }, { host: 'anything' })).toBe('permission-denied');
    expect(check({ boundHost: '127.0.0.1', authMode: 'keys' }, { host: 'anything' })).toBe(
      'permission-denied',
    );
  });
});

describe('the Origin check', () => {
  const host = 'localhost:18741';
  test.each([
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://127.0.0.1', 'https://127.0.0.1'],
    ['http://[::1]:5173', 'http://[::1]:5173'],
    ['https://evil.example', 'permission-denied'],
    ['http://localhost.evil.example', 'permission-denied'],
    ['null', 'permission-denied'],
    ['', 'permission-denied'],
    ['chrome-extension://abcdef', 'permission-denied'],
    ['tauri://localhost', 'permission-denied'],
  ])('%s gives %s', (origin, outcome) => {
    expect(check(LOCAL, { host, origin })).toBe(outcome);
  });

  test("takes the origin of Cursor's window below /cursor/ and nowhere else", () => {
    const window = { host: '127.0.0.1:1', origin: 'vscode-file://vscode-app' };
    expect(check(LOCAL, window, 'POST', '/cursor/chat/completions')).toBe('vscode-file://vscode-app');
    expect(check(LOCAL, window, 'POST', '/v1/chat/completions')).toBe('permission-denied');
  });

  test('takes listed origins, a star only when it is written, and its own', () => {
    const listed = { ...LOCAL, allowedOrigins: ['https://App.example'] };
    expect(check(listed, { host, origin: 'https://app.example' })).toBe('https://app.example');
    expect(check(listed, { host, origin: 'https://app.example:444' })).toBe('permission-denied');
    expect(check({ ...LOCAL, allowedOrigins: ['*'] }, { host, origin: 'null' })).toBe('null');
    const open: HostCheckOptions = { boundHost: '0.0.0.0', authMode: 'keys' };
    expect(check(open, { host: 'gate.example', origin: 'https://gate.example' })).toBe(
      'https://gate.example',
    );
    expect(check(open, { host: 'gate.example', origin: 'https://evil.example' })).toBe('permission-denied');
  });

  test('refuses what a page of another site sends without origin, but not a followed link', () => {
    const crossSite = { host, 'sec-fetch-site': 'cross-site' };
    expect(check(LOCAL, { ...crossSite, 'sec-fetch-mode': 'no-cors' }, 'GET')).toBe('permission-denied');
    expect(check(LOCAL, crossSite)).toBe('permission-denied');
    const navigation = { ...crossSite, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(check(LOCAL, navigation, 'GET')).toBe('ok');
    expect(check(LOCAL, navigation, 'POST')).toBe('permission-denied');
    expect(check(LOCAL, { ...navigation, 'sec-fetch-dest': 'iframe' }, 'GET')).toBe('permission-denied');
    expect(check(LOCAL, { host, 'sec-fetch-site': 'same-origin' })).toBe('ok');
    expect(check(LOCAL, { host, 'sec-fetch-site': 'none' })).toBe('ok');
  });
});

describe('over a socket', () => {
  async function guarded() {
    const hostCheck = createHostCheck(LOCAL);
    const router = createRouter({
      routes: [{ method: 'GET', path: '/', handle: (exchange) => exchange.sendJson(200, 'in') }],
      onOptions: (exchange) => hostCheck.answerPreflight(exchange),
    });
    return await serve(async (exchange) => {
      try {
        hostCheck.check(exchange);
        await router(exchange);
      } catch (thrown) {
        sendPlainError(exchange, GatewayError.from(thrown));
      }
    });
  }

  test('checks :authority of HTTP/2 and the absolute form of HTTP/1.1', async () => {
    const { url, port } = await guarded();
    expect((await callHttp2(url)).status).toBe(200);
    expect((await callHttp2(url, { headers: { ':authority': 'evil.example' } })).status).toBe(403);
    const client = await connectRaw(port);
    client.socket.write('GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('answers a preflight for allowed origins only', async () => {
    const { url } = await guarded();
    const preflight = (origin: string) =>
      callHttp1(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type',
          'access-control-request-private-network': 'true',
        },
      });
    const allowed = await preflight('http://localhost:3000');
    expect(allowed.status).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:3000',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-allow-private-network': 'true',
      vary: 'origin',
    });
    const refused = await preflight('https://evil.example');
    expect(refused.status).toBe(403);
    expect(refused.headers['access-control-allow-origin']).toBeUndefined();
  });
});
