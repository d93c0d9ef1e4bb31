import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureAdminToken, registerGateway, statePaths } from '../../config/index.ts';
import { createTestCli } from '../fixtures/test-context.ts';

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

/** A command line beside a gateway whose admin API gives the answers of a table. */
async function besideGateway(answers: Readonly<Record<string, { status?: number; body?: unknown }>>) {
  const seen: Seen[] = [];
  const cli = createTestCli({
    fetch: async (input, init) => {
      const url = new URL(String(input));
      const headers = new Headers(init?.headers);
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      const method = init?.method ?? 'GET';
      seen.push({ method, path: url.pathname, authorization: headers.get('authorization'), body });
      const answer = answers[`${method} ${url.pathname}`];
      if (!answer) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      const text = answer.body === undefined ? null : JSON.stringify(answer.body);
      return new Response(text, { status: answer.status ?? 200 });
    },
  });
  const paths = statePaths(cli.context);
  const token = await ensureAdminToken(paths);
  await registerGateway(
    paths,
    { pid: 4242, url: 'http://127.0.0.1:5000', startedAt: '2026-01-01T00:00:00Z' },
    () => true,
  );
  return { cli, token, seen };
}

const STATUS = {
  version: '1.2.3',
  startedAtMs: Date.UTC(2026, 0, 2, 3, 0, 0),
  url: 'http://127.0.0.1:5000',
  authMode: 'keys',
  isDraining: false,
  store: 'sqlite',
  defaultModel: 'demo/demo',
  liveTurns: 2,
  upstreams: [
    { name: 'demo', kind: 'demo', state: 'ok', models: 13 },
    { name: 'local', kind: 'openai-chat', state: 'failing', lastError: 'connection refused' },
  ],
};

const TURN = {
  turnId: 't1',
  startedAtMs: 1,
  front: 'openai-chat',
  model: 'm',
  stream: true,
  outcome: 'ok',
  attempts: 1,
  toolCalls: 0,
  passThrough: false,
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
};

describe('status', () => {
  const answers = {
    'GET /api/status': { body: STATUS },
    'GET /api/turns': { body: { live: [], recent: [TURN, { ...TURN, turnId: 't2', outcome: 'error' }] } },
  };

  it('shows the running gateway with its admin token', async () => {
    const { cli, token, seen } = await besideGateway(answers);
    const { code, output } = await cli.run('status');
    expect(code).toBe(0);
    expect(output).toBe(
      [
        'Crosspoint 1.2.3  http://127.0.0.1:5000  process 4242',
        '  Uptime     4 min 5 s',
        '  Turns      2 live; recently 2, 1 failed, 20 tokens in, 10 out',
        '  Keys       required',
        '  Store      sqlite',
        '  Default    demo/demo',
        '  Upstreams  demo  demo  ok  13 models',
        '             local  openai-chat  failing  connection refused',
        `  Admin      /api/… with the token ${token}`,
        '',
      ].join('\n'),
    );
    expect(seen.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(true);
  });

  it('prints JSON', async () => {
    const { cli } = await besideGateway(answers);
    const { output } = await cli.run('status', '--json');
    expect(JSON.parse(output)).toMatchObject({
      running: true,
      gateways: [{ pid: 4242, status: { version: '1.2.3', recent: { turns: 2, failed: 1 } } }],
    });
  });

  it('ends with 1 when none runs, and says how to start one', async () => {
    const { code, output } = await createTestCli().run('status');
    expect(code).toBe(1);
    expect(output).toContain('crosspoint serve');
    expect(JSON.parse((await createTestCli().run('status', '--json')).output)).toEqual({
      running: false,
      gateways: [],
      accounts: [],
    });
  });

  it('says so when the gateway is written down but does not answer', async () => {
    const { cli } = await besideGateway({});
    const { code, output } = await cli.run('status');
    expect(code).toBe(1);
    expect(output).toContain('(process 4242) does not answer: connect ECONNREFUSED.');
  });
});

describe('models', () => {
  it('asks the running gateway', async () => {
    const { cli } = await besideGateway({
      'GET /api/models': {
        body: {
          models: [
            { id: 'a/b', upstream: 'a', contextWindow: 5 },
            { id: 'fast', upstream: 'a' },
          ],
        },
      },
    });
    expect((await cli.run('models')).output).toBe(
      'MODEL  UPSTREAM  CONTEXT\na/b    a         5 tokens\nfast   a\n',
    );
    expect(JSON.parse((await cli.run('models', '--json')).output)).toHaveLength(2);
  });

  it('asks the upstreams themselves when none runs', async () => {
    const cli = createTestCli();
    writeFileSync(
      path.join(cli.folder, 'crosspoint.yaml'),
      'models: { mine: { upstream: demo, model: demo } }\n',
    );
    const { code, output } = await cli.run('models', '--json');
    const ids = JSON.parse(output).map(({ id }: { id: string }) => id);
    expect(code).toBe(0);
    expect(ids.slice(0, 2)).toEqual(['mine', 'demo/demo']);
  });

  it('names an upstream that does not answer', async () => {
    const cli = createTestCli();
    writeFileSync(
      path.join(cli.folder, 'crosspoint.yaml'),
      'upstreams: { dead: { kind: openai-chat, baseUrl: "http://127.0.0.1:1/v1", retries: 0 } }\n',
    );
    const { code, output, errors } = await cli.run('models');
    expect(code).toBe(0);
    expect(output).toContain('demo/demo');
    expect(errors).toMatch(/^! dead: /m);
  });
});

describe('keys', () => {
  const record = { id: 'key_1', name: 'laptop', prefix: 'xp_abc', createdAtMs: Date.UTC(2026, 0, 1) };

  it('go through the running gateway', async () => {
    const { cli, seen } = await besideGateway({
      'POST /api/keys': { status: 201, body: { key: record, secret: 'xp_abcsecret' } },
      'GET /api/keys': { body: { keys: [record, { ...record, id: 'key_2', revokedAtMs: 5 }] } },
      'DELETE /api/keys/key_1': { status: 204 },
      'DELETE /api/keys/nope': { status: 404, body: { error: { code: 'not-found', message: 'no' } } },
    });
    const created = await cli.run(
      'keys',
      'create',
      'laptop',
      '--models',
      'a/b, c',
      '--rpm',
      '5',
      '--expires',
      '1',
    );
    expect(created.output).toContain('xp_abcsecret');
    expect(seen.at(-1)?.body).toEqual({
      name: 'laptop',
      models: ['a/b', 'c'],
      requestsPerMinute: 5,
      expiresAtMs: Date.UTC(2026, 0, 3, 3, 4, 5),
    });
    const listed = await cli.run('keys', 'list');
    expect(listed.output).toMatch(/^key_1 +laptop +xp_abc… +active +2026-01-01 +never +all$/m);
    expect(listed.output).toMatch(/^key_2 .* revoked /m);
    expect(await cli.run('keys', 'revoke', 'key_1')).toMatchObject({ code: 0, output: 'Revoked key_1.\n' });
    const missing = await cli.run('keys', 'revoke', 'nope');
    expect(missing.code).toBe(1);
    expect(missing.errors).toContain('There is no key nope that works.');
  });

  it('go to the store itself when none runs', async () => {
    const cli = createTestCli();
    const created = JSON.parse((await cli.run('keys', 'create', 'ci', '--json')).output);
    expect(created).toMatchObject({ name: 'ci', key: expect.stringMatching(/^xp_\w{40}$/) });
    const list = await cli.run('keys', 'list', '--json');
    expect(list.output).not.toContain(created.key);
    expect(JSON.parse(list.output)).toMatchObject([{ id: created.id, name: 'ci' }]);
    expect((await cli.run('keys', 'revoke', created.id)).code).toBe(0);
    expect((await cli.run('keys', 'revoke', created.id)).code).toBe(1);
  });

  it('cannot be kept in memory by nobody', async () => {
    const { code, errors } = await createTestCli({ env: { CROSSPOINT_STORE_KIND: 'memory' } }).run(
      'keys',
      'list',
    );
    expect(code).toBe(1);
    expect(errors).toContain('keys live in a running gateway only');
  });
});
