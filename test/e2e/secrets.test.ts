// Plants secrets wherever one can be, makes everything fail, and looks for them in everything that comes out.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedKeyBody, readBody } from '../support/bodies.ts';
import {
  chunk,
  type ScriptedUpstream,
  startScriptedUpstream,
  startSse,
} from '../support/scripted-upstream.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

const PLANTED = {
  upstreamKey: 'planted-upstream-key-1f7c',
  upstreamHeader: 'planted-header-value-9a2e',
  clientBearer: 'planted-client-bearer-77aa',
  clientApiKey: 'planted-client-apikey-88bb',
  queryKey: 'planted-query-key-99cc',
  vendorLike: 'sk-planted0123456789abcdefghij',
} as const;

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let gatewayKey: string;
const outputs: string[] = [];

beforeAll(async () => {
  upstream = await startScriptedUpstream((response, request, index) => {
    const echo = `you sent ${request.headers.authorization} and ${request.headers['x-team-secret']} ${PLANTED.vendorLike}`;
    const body = JSON.stringify({ error: { message: echo, type: 'x', code: echo, param: echo } });
    if (index % 4 === 0)
      response.writeHead(401, { 'content-type': 'application/json', 'x-echo': echo }).end(body);
    else if (index % 4 === 1)
      response.writeHead(500, { 'content-type': 'text/html' }).end(`<html>${echo}</html>`);
    else if (index % 4 === 2) startSse(response).end(`${chunk({ content: 'hi' })}data: ${body}\n\n`);
    else startSse(response).end(`${chunk({ content: 'hi' })}data: {"broken ${echo}\n\n`);
  });
  gateway = await startTestGateway({
    upstreams: {
      up: {
        kind: 'openai-chat',
        baseUrl: upstream.baseUrl,
        apiKey: PLANTED.upstreamKey,
        headers: { 'x-team-secret': PLANTED.upstreamHeader },
        retries: 0,
      },
    },
    config: (config) => ({
      ...config,
      server: { ...config.server, auth: 'keys' },
      log: { level: 'trace', format: 'json' },
    }),
  });
  const created = await gateway.admin('POST', '/api/keys', { name: 'laptop' });
  gatewayKey = (await readBody<CreatedKeyBody>(created)).secret;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function keep(answer: Promise<Response>): Promise<void> {
  const response = await answer;
  outputs.push(JSON.stringify([...response.headers]), await response.text());
}

describe('secrets', () => {
  it('reach no answer, no log line, no metric and no admin page', async () => {
    const body = (stream: boolean) => ({ model: 'up/m', stream, messages: [{ role: 'user', content: 'x' }] });
    const allowed = { authorization: `Bearer ${gatewayKey}` };
    for (let i = 0; i < 8; i++) await keep(gateway.post('/v1/chat/completions', body(i % 2 === 0), allowed));
    await keep(
      gateway.post('/v1/chat/completions', body(true), { authorization: `Bearer ${PLANTED.clientBearer}` }),
    );
    await keep(
      gateway.post('/v1/chat/completions', '{"model": nonsense', { 'x-api-key': PLANTED.clientApiKey }),
    );
    await keep(gateway.post(`/v1/chat/completions?key=${PLANTED.queryKey}`, body(true)));
    await keep(fetch(`${gateway.url}/nowhere?api_key=${PLANTED.queryKey}`));
    for (const path of ['/metrics', '/api/status', '/api/models', '/api/keys', '/api/turns'])
      await keep(gateway.admin('GET', path));
    await keep(gateway.post('/api/keys', { name: 'x' }, { authorization: `Bearer ${PLANTED.clientBearer}` }));

    expect(upstream.requests.length).toBe(8); // the failures really happened
    expect(gateway.logLines.length).toBeGreaterThanOrEqual(8);
    const everything = [...outputs, ...gateway.logLines].join('\n');
    const all = { ...PLANTED, gatewayKey, adminToken: gateway.adminToken };
    for (const [name, secret] of Object.entries(all)) {
      const shown = everything.split('\n').filter((line) => line.includes(secret));
      expect(shown, `${name} was shown`).toEqual([]);
    }
  });
});
