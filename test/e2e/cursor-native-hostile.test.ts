// Somebody who wants in, or wants the gateway down: a whole gateway with keys, attacked over real sockets.
import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { AgentClientMessageSchema } from '../../src/gen/agent/v1/run_pb.ts';
import { createdKeySchema } from '../../src/server/admin/schema.ts';
import { EnvelopeReader, encodeEnvelope } from '../../src/wire/connect-envelope.ts';
import type { CarrierKind, Turn } from '../support/native-client/index.ts';
import { openStage, type Stage } from '../support/native-client/open-stage.ts';
import { Workspace } from '../support/native-client/workspace/index.ts';
import { startTestGateway } from '../support/test-gateway.ts';

const CARRIERS: readonly CarrierKind[] = ['http1', 'http2'];
const NAME_AGENT = '/agent.v1.AgentService/NameAgent';

let stage: Stage;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeEach(async () => {
  process.on('unhandledRejection', note);
  stage = await openStage({
    rounds: [],
    config: (config) => ({ ...config, server: { ...config.server, auth: 'keys' } }),
  });
});
afterEach(async () => {
  await stage.stop();
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

async function newKey(limits: JsonObject = {}): Promise<string> {
  const created = await stage.gateway.admin('POST', '/api/keys', { name: randomUUID(), ...limits });
  return createdKeySchema.parse(await created.json()).secret;
}

async function agentOf(secret: string, carrier: CarrierKind, model: string, conversationId?: string) {
  const workspace = new Workspace({ folder: await stage.newFolder() });
  const options = { workspace, model, ...(conversationId === undefined ? {} : { conversationId }) };
  return stage.client(carrier, secret).openAgent(options);
}

function codeOf({ end, record }: Turn): Code {
  if (end.kind !== 'failed') throw new Error(`the turn ended as ${end.kind}: ${record.outline.join(' ')}`);
  return ConnectError.from(end.error).code;
}

/** fetch does not let anybody choose the Host; a page with a rebound name can. */
function request(path: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = http.request(stage.gateway.url + path, { method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function metrics(): Promise<string> {
  return await (await stage.gateway.admin('GET', '/metrics')).text();
}

describe('every route', () => {
  it('is in a whole OpenAPI document, and closed to foreign hosts and origins', {
    timeout: 60_000,
  }, async () => {
    const answer = await fetch(`${stage.gateway.url}/openapi.json`);
    const document = (await answer.json()) as JsonObject; // looked at piece by piece below
    const operations = Object.entries(document.paths as Record<string, Record<string, JsonObject>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    const paths = operations.map(({ path }) => path);
    for (const known of [NAME_AGENT, '/agent.v1.AgentService/RunSSE', '/auth/poll', '/loginDeepControl'])
      expect(paths).toContain(known);
    const ids = operations.flatMap(({ operation }) => operation.operationId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, method, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = ((operation.parameters ?? []) as JsonObject[]).filter((one) => one.in === 'path');
      expect(
        declared.map(({ name }) => name),
        path,
      ).toEqual(named);
      expect(operation.responses, path).toBeDefined();
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      const verb = method.toUpperCase();
      const key = { authorization: 'Bearer x' };
      expect(await request(target, verb, { ...key, host: 'evil.example' }), `${verb} ${path}`).toBe(403);
      expect(await request(target, verb, { ...key, origin: 'https://evil.example' }), `${verb} ${path}`).toBe(
        403,
      );
      const crossSite = { ...key, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
      expect(await request(target, verb, crossSite), `${verb} ${path}`).toBe(403);
    }
    // A service that nobody listed has no route of its own.
    const unlisted = '/aiserver.v1.NewService/NewMethod';
    expect(await request(unlisted, 'POST', { host: 'evil.example' })).toBe(403);
    expect(await request(unlisted, 'POST', { origin: 'https://evil.example' })).toBe(403);
  });
});

describe('what is no key', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (head: string, payload: string, secret: string) =>
    `${head}.${payload}.${createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url')}`;

  it('opens nothing, however it looks', { timeout: 60_000 }, async () => {
    const secret = await newKey();
    const { url } = stage.gateway;
    const exchanged = await stage.gateway.post(
      '/auth/exchange_user_api_key',
      {},
      { authorization: `Bearer ${secret}` },
    );
    const { accessToken = '', refreshToken = '' } = (await exchanged.json()) as Record<string, string>; // checked by use
    const [head = '', payload = '', signature = ''] = accessToken.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject; // our own token
    const longer = encode({ ...claims, exp: Number(claims.exp) + 1 });
    const none = encode({ alg: 'none', typ: 'JWT' });
    const stranger = await startTestGateway({
      config: (config) => ({ ...config, server: { ...config.server, auth: 'none' } }),
    });
    const foreign = await stranger.post('/auth/exchange_user_api_key', {});
    const { accessToken: local = '' } = (await foreign.json()) as Record<string, string>; // checked by use
    await stranger.stop();
    const forged = {
      nothing: '',
      spaces: '   ',
      'a part of a key': secret.slice(0, -1),
      'the admin token': stage.gateway.adminToken,
      'a refresh token': refreshToken,
      'a token for nobody, of the same secret': local,
      'no signature': `${head}.${payload}.`,
      'the algorithm none': `${none}.${payload}.`,
      'the algorithm none with a signature': `${none}.${payload}.${signature}`,
      'another algorithm': `${encode({ alg: 'RS256', typ: 'JWT' })}.${payload}.${signature}`,
      'a longer life': `${head}.${longer}.${signature}`,
      'a signature by an empty secret': sign(head, payload, ''),
      'a signature by the admin token': sign(head, payload, stage.gateway.adminToken),
      'a refresh token that calls itself a session': `${head}.${encode({ ...claims, type: 'session' })}.${refreshToken.split('.')[2]}`,
    };
    for (const [what, credential] of Object.entries(forged)) {
      for (const headers of [{ authorization: `Bearer ${credential}` }, { 'x-api-key': credential }]) {
        for (const path of [
          NAME_AGENT,
          '/aiserver.v1.BidiService/BidiAppend',
          '/aiserver.v1.AiService/AvailableModels',
        ]) {
          const { status } = await stage.gateway.post(path, {}, headers);
          expect(status, `${what} at ${path}`).toBe(401);
        }
        const me = await fetch(`${url}/v1/me`, { headers });
        expect(me.status, what).toBe(401);
        const stream = await fetch(`${url}/agent.v1.AgentService/Run`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/connect+proto' },
        });
        expect(await stream.text(), what).toContain('"unauthenticated"');
      }
      if (credential === refreshToken) continue;
      const bought = await stage.gateway.post('/auth/refresh', { refresh_token: credential });
      expect(bought.status, what).toBe(401);
    }
    // Nor is a session anybody's way to the admin API.
    for (const credential of [secret, accessToken, refreshToken]) {
      const admin = await fetch(`${url}/api/keys`, { headers: { authorization: `Bearer ${credential}` } });
      expect(admin.status).toBe(401);
    }
  });
});

describe('noise inside a run', () => {
  it('ends the run with an error, and the gateway goes on', { timeout: 60_000 }, async () => {
    const headers = {
      'content-type': 'application/connect+proto',
      authorization: `Bearer ${await newKey()}`,
    };
    const send = async (path: string, body: Uint8Array) => {
      const reply = await fetch(stage.gateway.url + path, {
        method: 'POST',
        headers,
        body: Buffer.from(body),
      });
      return new EnvelopeReader().push(new Uint8Array(await reply.arrayBuffer())).at(-1)?.isEnd;
    };
    const piece = fc
      .tuple(fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 40 }))
      .map(([number, bytes]) => field(number + 1, Buffer.from(bytes)));
    const message = fc.array(piece, { maxLength: 4 }).map((pieces) => Buffer.concat(pieces));
    const nested = fc.tuple(fc.nat({ max: 9 }), message).map(([number, inner]) => field(number + 1, inner));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/agent.v1.AgentService/Run', '/aiserver.v1.ChatService/StreamUnifiedChatWithTools'),
        fc.array(fc.oneof(message, nested), { minLength: 1, maxLength: 4 }),
        async (path, messages) => {
          const frames = messages.map((bytes) => encodeEnvelope(bytes));
          expect(await send(path, Buffer.concat(frames))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
    expect(stage.gateway.logLines.filter((line) => line.includes('unexpected error'))).toEqual([]);
    expect((await fetch(`${stage.gateway.url}/healthz`)).status).toBe(200);
  });
});

describe.each(CARRIERS)('a key over %s', (carrier) => {
  it('runs its own models only', async () => {
    const secret = await newKey({ models: ['demo/demo'] });
    const refused = await (await agentOf(secret, carrier, 'up/m')).send('hello', { isRetried: false });
    expect(codeOf(refused)).toBe(Code.PermissionDenied);
    expect(stage.model?.requests).toHaveLength(0);
    const allowed = await (await agentOf(secret, carrier, 'demo/demo')).send('what is 6*7');
    expect(allowed.end).toEqual({ kind: 'done' });
    const listed = JSON.stringify(await stage.client(carrier, secret).listModels());
    expect(listed).toContain('demo/demo');
    expect(listed).not.toContain('up/m');
  });

  it('keeps within its limits', async () => {
    const secret = await newKey({ requestsPerMinute: 1 });
    const agent = await agentOf(secret, carrier, 'up/m');
    expect((await agent.send('hello')).end).toEqual({ kind: 'done' });
    expect(codeOf(await agent.send('again', { isRetried: false }))).toBe(Code.ResourceExhausted);
    const title = await stage.gateway.post(
      NAME_AGENT,
      { userMessage: 'x' },
      { authorization: `Bearer ${secret}` },
    );
    expect(title.status).toBe(429);
    expect(stage.model?.requests).toHaveLength(1);
  });

  it('sees nothing of a conversation of another key', async () => {
    const [owner, thief] = [await newKey(), await newKey()];
    const conversationId = `agent-${randomUUID()}`;
    const mine = await agentOf(owner, carrier, 'up/m', conversationId);
    expect((await mine.send('the word is walnut')).end).toEqual({ kind: 'done' });
    const theirs = await agentOf(thief, carrier, 'up/m', conversationId);
    await theirs.send('what is the word?', { isRetried: false });
    const [, stolen] = stage.model?.conversations() ?? [];
    expect(JSON.stringify(stolen)).not.toContain('walnut');
    // Nor when it shows the owner's checkpoint, which names blobs that only the owner has.
    const workspace = new Workspace({ folder: await stage.newFolder() });
    const request = mine.memory.state ? { conversationState: mine.memory.state, preFetchedBlobs: [] } : {};
    const shown = stage
      .client(carrier, thief)
      .openAgent({ workspace, model: 'up/m', conversationId, request });
    await shown.send('and now?', { isRetried: false });
    const all = stage.model?.conversations().slice(1) ?? [];
    expect(JSON.stringify(all)).not.toContain('walnut');
    // The owner still has it.
    expect((await mine.send('say it')).end).toEqual({ kind: 'done' });
    expect(JSON.stringify(stage.model?.conversations().at(-1))).toContain('walnut');
  });
});

describe('what clients say', () => {
  it('does not become ever more series of metrics, nor long ones', async () => {
    const headers = { authorization: `Bearer ${await newKey()}`, 'content-type': 'application/proto' };
    const call = (path: string) => stage.gateway.post(path, '', headers);
    for (let batch = 0; batch < 30; batch++) {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => call(`/agent.v1.AgentService/Method${batch}x${index}`)),
      );
    }
    await call(`/aiserver.v1.${'x'.repeat(3_000)}/y`);
    await call('/agent.v1.AgentService/a%22%7D%0Aforged_metric%201');
    const text = await metrics();
    const series = text.split('\n').filter((line) => line.startsWith('crosspoint_drift_total{'));
    expect(series.length).toBeGreaterThan(100);
    expect(series.length).toBeLessThanOrEqual(201);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(400);
    expect(text).not.toMatch(/^forged_metric/m);
  });

  it('holds no secret once it is in a log line, a metric or an error', async () => {
    const secret = await newKey();
    const token = await stage.client('http1', secret).exchange();
    const authorized = { authorization: `Bearer ${token}` };
    const answers: string[] = [];
    const say = async (path: string, body: unknown, headers: Record<string, string>) => {
      answers.push(await (await stage.gateway.post(path, body, headers)).text());
    };
    await say(NAME_AGENT, { userMessage: 'x' }, { authorization: `Bearer ${token}x` });
    await say(NAME_AGENT, { userMessage: 1, [secret]: token }, authorized);
    await say(NAME_AGENT, `{"userMessage":"${token}`, authorized);
    await say(NAME_AGENT, '', { ...authorized, 'content-type': `text/${secret}` });
    await say(NAME_AGENT, '', { ...authorized, 'content-encoding': secret });
    await say(
      '/aiserver.v1.BidiService/BidiAppend',
      { requestId: { requestId: token }, data: token },
      authorized,
    );
    await say(`/agent.v1.AgentService/${secret}`, '', authorized);
    await say(`/aiserver.v1.${token.replaceAll(/\W/g, '_').slice(0, 60)}/${secret}`, '', authorized);
    await say('/auth/refresh', { refresh_token: secret.slice(0, -1) }, {});
    const agent = await agentOf(secret, 'http2', `no/${secret}`);
    const failed = await agent.send('hello', { isRetried: false });
    answers.push(String(failed.end.kind === 'failed' ? ConnectError.from(failed.end.error).message : ''));
    const everything = [...answers, ...stage.gateway.logLines, await metrics()].join('\n');
    expect(everything.split('\n').filter((line) => line.includes(secret) || line.includes(token))).toEqual(
      [],
    );
  });
});

/** A Value in a Value in a Value, as bytes: no library would write it. */
function nest(depth: number): Buffer {
  const pieces: Buffer[] = [];
  let length = 0;
  const wrap = (tag: number) => {
    const head = [tag];
    for (let rest = length; ; rest >>>= 7) {
      head.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest <= 127) break;
    }
    pieces.unshift(Buffer.from(head));
    length += head.length;
  };
  for (let level = 0; level < depth; level++) {
    wrap(0x0a); // ListValue.values
    wrap(0x32); // Value.list_value
  }
  return Buffer.concat(pieces);
}

const tagOf = (number: number) => {
  const value = (number << 3) | 2;
  return value < 128 ? [value] : [(value & 127) | 128, value >> 7];
};
const lengthOf = (length: number) => {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>>= 7) {
    bytes.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) return bytes;
  }
};
const field = (number: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([...tagOf(number), ...lengthOf(payload.length)]), payload]);

describe('what is nested without end', () => {
  it.each([50, 90, 1_000, 20_000])(
    'as protobuf, %i levels deep, ends the run or is read, and no more',
    async (depth) => {
      const secret = await newKey();
      const runRequest = AgentClientMessageSchema.fields.find(({ name }) => name === 'run_request');
      const mcpTools = runRequest?.message?.fields.find(({ name }) => name === 'mcp_tools');
      const tools = mcpTools?.message?.fields.find(({ name }) => name === 'mcp_tools');
      const schema = tools?.message?.fields.find(({ name }) => name === 'input_schema');
      if (!runRequest || !mcpTools || !tools || !schema)
        throw new Error('The messages have other names now.');
      const tool = field(schema.number, nest(depth));
      const message = field(runRequest.number, field(mcpTools.number, field(tools.number, tool)));
      const reply = await fetch(`${stage.gateway.url}/agent.v1.AgentService/Run`, {
        method: 'POST',
        headers: { 'content-type': 'application/connect+proto', authorization: `Bearer ${secret}` },
        body: encodeEnvelope(message),
      });
      expect(reply.status).toBe(200);
      const text = await reply.text();
      expect(text).toContain('"error"');
      expect(text).not.toContain('unexpected');
      expect(stage.gateway.logLines.filter((line) => line.includes('unexpected error'))).toEqual([]);
    },
  );

  it.each(['/auth/refresh', '/oauth/token', NAME_AGENT])(
    'as JSON at %s is an error and no more',
    async (path) => {
      const secret = await newKey();
      const deep = '['.repeat(30_000) + ']'.repeat(30_000);
      for (const body of [
        deep,
        `{"userMessage":${deep}}`,
        `{"refresh_token":${deep}}`,
        '{"a":'.repeat(10_000),
      ]) {
        const { status } = await stage.gateway.post(path, body, { authorization: `Bearer ${secret}` });
        expect([200, 400, 401]).toContain(status);
      }
      expect(stage.gateway.logLines.filter((line) => line.includes('unexpected error'))).toEqual([]);
    },
  );
});
