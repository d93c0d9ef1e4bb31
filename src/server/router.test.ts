import { describe, expect, test } from 'vitest';
import { GatewayError } from '../core/index.ts';
import { callHttp1, connectRaw } from './fixtures/clients.ts';
import { serve } from './fixtures/serve.ts';
import { parseRequestTarget } from './request-target.ts';
import { createRouter, type Route, type RouterOptions } from './router.ts';

function say(method: string, path: string): Route {
  return {
    method,
    path,
    handle: (exchange, params) => exchange.sendJson(200, { path, params: { ...params } }),
  };
}

async function routed(options: Partial<RouterOptions> = {}) {
  const routes = [
    say('GET', '/files/*'),
    say('GET', '/files/:id'),
    say('GET', '/files/special'),
    say('POST', '/files'),
    say('DELETE', '/files/:id'),
    say('GET', '/files/deep/er/*'),
    {
      method: 'GET',
      path: '/fail',
      handle: () => {
        throw new GatewayError('conflict', 'no');
      },
    },
    {
      method: 'GET',
      path: '/bug',
      handle: () => {
        throw new Error('inner');
      },
    },
  ];
  return await serve(createRouter({ routes, ...options }));
}

describe('createRouter', () => {
  test.each([
    ['/files/special', '/files/special', {}],
    ['/files/a%2Fb', '/files/:id', { id: 'a/b' }],
    ['/files/x/y', '/files/*', { '*': 'x/y' }],
    ['/files/', '/files/*', { '*': '' }],
    ['/files/deep/er/z', '/files/deep/er/*', { '*': 'z' }],
  ])('sends %s to %s', async (path, route, params) => {
    const { url } = await routed();
    expect(JSON.parse((await callHttp1(url + path)).body)).toEqual({ path: route, params });
  });

  test('answers 404 with the path, 405 with Allow', async () => {
    const { url } = await routed();
    const missing = await callHttp1(`${url}/nowhere`);
    expect(missing.status).toBe(404);
    expect(JSON.parse(missing.body).error).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('/nowhere'),
    });
    const wrong = await callHttp1(`${url}/files`, { method: 'PUT' });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    const both = await callHttp1(`${url}/files/1`, { method: 'POST' });
    expect(both.headers.allow).toBe('GET, DELETE, HEAD, OPTIONS');
  });

  test('answers HEAD by GET and OPTIONS by what is allowed', async () => {
    const { url } = await routed();
    expect(await callHttp1(`${url}/files/1`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    const options = await callHttp1(`${url}/files`, { method: 'OPTIONS' });
    expect([options.status, options.headers.allow]).toEqual([204, 'POST, OPTIONS']);
  });

  test('lets the OPTIONS hook answer first', async () => {
    const { url } = await routed({
      onOptions(exchange) {
        exchange.sendBytes(204, '', { 'x-hook': 'yes' });
        return true;
      },
    });
    expect((await callHttp1(`${url}/nowhere`, { method: 'OPTIONS' })).headers['x-hook']).toBe('yes');
  });

  test('writes errors in the form it was given, and hides what nobody foresaw', async () => {
    const seen: unknown[] = [];
    const { url } = await routed({
      sendError: (exchange, error) => exchange.sendJson(418, { mine: error.message }),
      onUnexpected: (thrown) => seen.push(thrown),
    });
    expect(JSON.parse((await callHttp1(`${url}/fail`)).body)).toEqual({ mine: 'no' });
    expect((await callHttp1(`${url}/bug`)).body).not.toContain('inner');
    expect(seen).toHaveLength(1);
  });

  test('does not fall over strange paths', async () => {
    const { port } = await routed();
    for (const target of ['*', '/files/%zz', '//evil.example/x', 'http://other/files/special', '/%00']) {
      const client = await connectRaw(port);
      client.socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(await client.closed()).toMatch(/^HTTP\/1\.1 (200|404) /);
    }
  });

  test('refuses two routes for the same thing', () => {
    expect(() => createRouter({ routes: [say('GET', '/a'), say('GET', '/a')] })).toThrow(/Two routes/);
  });
});

describe('parseRequestTarget', () => {
  test.each([
    ['/a?b=c#d', '/a', 'b=c', undefined],
    ['http://h:1/p?q', '/p', 'q=', 'h:1'],
    ['HTTP://h', '/', '', 'h'],
    ['//x/y', '//x/y', '', undefined],
    ['*', '*', '', undefined],
    ['', '/', '', undefined],
    [undefined, '/', '', undefined],
  ])('%s', (target, path, query, host) => {
    const parsed = parseRequestTarget(target);
    expect([parsed.path, parsed.query.toString(), parsed.host]).toEqual([path, query, host]);
  });
});
