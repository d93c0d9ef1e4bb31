import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { createBraveSearch } from './brave-search.ts';
import { type LoopbackServer, startLoopbackServer } from './fixtures/loopback-server.ts';
import { searchProvider } from './search-provider.ts';
import { createSearxngSearch } from './searxng-search.ts';
import { createTavilySearch } from './tavily-search.ts';
import { webSearch } from './web-search.ts';

let place: TempWorkspace;
let server: LoopbackServer;
let answer: { status: number; body: unknown };
let sent: string;

beforeEach(async () => {
  place = tempWorkspace({});
  sent = '';
  server = await startLoopbackServer(createServer(), (request, response) => {
    request.on('data', (chunk) => {
      sent += chunk;
    });
    request.on('end', () => {
      const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
    });
  });
});
afterEach(async () => {
  await server.close();
  await place.dispose();
});

const HIT = { title: 'Node <strong>24</strong>', url: 'https://nodejs.org/', text: 'New &amp; fast' };

test('without a service it says how to configure one', async () => {
  const outcome = await place.call(webSearch, { search_term: 'x' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain('BRAVE_API_KEY');
  expect(await webSearch.touches(webSearch.args.parse({ query: 'x' }), place.context)).toMatchObject([
    { type: 'user' },
  ]);
});

describe.each([
  [
    'Brave',
    (url: string) => createBraveSearch({ baseUrl: url, apiKey: 'brave-key-1' }),
    { web: { results: [{ title: HIT.title, url: HIT.url, description: HIT.text }] } },
    {
      method: 'GET',
      path: '/res/v1/web/search?q=node+24&count=3',
      header: ['x-subscription-token', 'brave-key-1'],
    },
  ],
  [
    'Tavily',
    (url: string) => createTavilySearch({ baseUrl: url, apiKey: 'tvly-key-1' }),
    { results: [{ title: HIT.title, url: HIT.url, content: HIT.text, score: 0.9 }] },
    { method: 'POST', path: '/search', header: ['authorization', 'Bearer tvly-key-1'] },
  ],
  [
    'SearXNG',
    (url: string) => createSearxngSearch({ baseUrl: `${url}/sub/` }),
    { results: Array.from({ length: 9 }, () => ({ title: HIT.title, url: HIT.url, content: HIT.text })) },
    { method: 'GET', path: '/sub/search?q=node+24&format=json', header: undefined },
  ],
])('%s', (_name, create, body, expected) => {
  beforeEach(() => {
    place.context.resources.set(searchProvider, create(server.url));
    answer = { status: 200, body };
  });

  test('is asked in its own way and its answer read', async () => {
    const outcome = await place.ask(webSearch, { query: 'node 24', max_results: 3 });
    expect(server.requests).toMatchObject([{ method: expected.method, path: expected.path }]);
    if (expected.header)
      expect(server.requests[0]?.headers[expected.header[0] ?? '']).toBe(expected.header[1]);
    expect(outcome.content.startsWith('1. [Node **24**](https://nodejs.org/)\nNew & fast')).toBe(true);
    expect(outcome.data).toMatchObject({
      references: expect.arrayContaining([
        { title: 'Node **24**', url: 'https://nodejs.org/', chunk: 'New & fast' },
      ]),
    });
    expect(outcome.attachments?.match_count).toBeLessThanOrEqual(3);
  });

  test('a refusal, an odd answer and nothing found are told apart, without the key', async () => {
    answer = { status: 401, body: { error: 'bad key brave-key-1 tvly-key-1' } };
    const refused = await place.call(webSearch, { query: 'x' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'EACCES' } });
    expect(JSON.stringify(refused)).not.toMatch(/key-1/);
    answer = { status: 200, body: 'not json' };
    expect(await place.call(webSearch, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'FAILED' },
    });
    answer = { status: 200, body: { web: { results: [{}] }, results: [{}] } };
    expect(await place.call(webSearch, { query: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'FAILED' },
    });
    answer = { status: 200, body: {} };
    expect((await place.ask(webSearch, { query: 'x' })).content).toContain('Nothing was found');
  });
});

test('Tavily gets the words in its body', async () => {
  answer = { status: 200, body: {} };
  place.context.resources.set(searchProvider, createTavilySearch({ baseUrl: server.url, apiKey: 'k' }));
  await place.ask(webSearch, { search_term: 'ä "b"' });
  expect(JSON.parse(sent)).toMatchObject({ query: 'ä "b"', max_results: 8 });
});

test('it names the host of the service', async () => {
  place.context.resources.set(searchProvider, createSearxngSearch({ baseUrl: server.url }));
  expect(await webSearch.touches(webSearch.args.parse({ query: 'x' }), place.context)).toEqual([
    { type: 'host', url: server.url },
  ]);
});

test('a cancelled call and a service that is away are told', async () => {
  await server.close();
  place.context.resources.set(searchProvider, createSearxngSearch({ baseUrl: server.url }));
  expect(await place.call(webSearch, { query: 'x' })).toMatchObject({
    ok: false,
    error: { code: 'UNAVAILABLE' },
  });
  place.abort.abort();
  expect(await place.call(webSearch, { query: 'x' })).toMatchObject({
    ok: false,
    error: { code: 'ECANCELED' },
  });
});
