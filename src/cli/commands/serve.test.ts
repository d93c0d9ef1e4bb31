import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listGateways, readAdminToken, statePaths } from '../../config/index.ts';
import { GatewayError } from '../../core/index.ts';
import type { CliContext, StartedGateway, StartGatewayOptions } from '../context.ts';
import { createTestCli, type TestCli } from '../fixtures/test-context.ts';

interface Fake {
  readonly cli: TestCli;
  readonly started: Promise<StartGatewayOptions>;
  readonly closes: () => number;
  readonly exits: number[];
}

/** A gateway that only notes what it was started with; the first close ends it. */
function fakeServe(overrides: Partial<CliContext> = {}, gateway: Partial<StartedGateway> = {}): Fake {
  let closes = 0;
  let resolveClosed: () => void = () => {};
  let resolveStarted: (options: StartGatewayOptions) => void = () => {};
  const exits: number[] = [];
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  const started = new Promise<StartGatewayOptions>((resolve) => {
    resolveStarted = resolve;
  });
  const cli = createTestCli({
    startGateway: async (options) => {
      resolveStarted(options);
      return {
        url: `http://127.0.0.1:${options.config.server.port}`,
        port: options.config.server.port,
        models: async () =>
          Object.keys(options.config.upstreams).map((upstream) => ({ id: `${upstream}/m`, upstream })),
        close: async () => {
          closes++;
          resolveClosed();
        },
        closed,
        ...gateway,
      };
    },
    exitNow: (code) => void exits.push(code),
    ...overrides,
  });
  return { cli, started, closes: () => closes, exits };
}

/** Waits until the condition holds; each round lets pending file operations go on. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs `serve` and sends signals until it is over; those that come before it listens reach nobody. */
async function serveAndStop({ cli }: Fake, ...argv: string[]) {
  let isOver = false;
  const running = cli.run('serve', ...argv).finally(() => {
    isOver = true;
  });
  await until(async () => {
    cli.signal('SIGTERM');
    return isOver;
  });
  return running;
}

describe('serve', () => {
  it('starts with the configuration, the admin token and the secrets, and prints a banner', async () => {
    const fake = fakeServe({ env: { OPENAI_API_KEY: 'sk-from-the-env', CURSOR_API_KEY: 'other-secret' } });
    const { code, output } = await serveAndStop(fake);
    const options = await fake.started;
    expect(code).toBe(0);
    expect(Object.keys(options.config.upstreams)).toEqual(['demo', 'openai', 'cursor']);
    expect(options.adminToken).toBe(await readAdminToken(options.paths));
    expect(options.secrets).toEqual(expect.arrayContaining(['sk-from-the-env', options.adminToken]));
    expect(output).toContain('Crosspoint 9.9.9  http://127.0.0.1:18741\n');
    expect(output).toContain('openai  openai-chat  https://api.openai.com/v1');
    expect(output).toContain('Models     demo/m, openai/m');
    expect(output).toContain('curl http://127.0.0.1:18741/v1/chat/completions');
    expect(output).not.toContain('sk-from-the-env');
    expect(output).not.toContain(options.adminToken);
  });

  it('takes flags over everything else', async () => {
    const fake = fakeServe({ env: { CROSSPOINT_SERVER_PORT: '1', CROSSPOINT_DEFAULT: 'a/b' } });
    writeFileSync(path.join(fake.cli.folder, 'crosspoint.yaml'), 'server: { port: 2, auth: keys }\n');
    const { output } = await serveAndStop(
      fake,
      ...['--port', '3', '--host', 'localhost', '--no-auth', '--default', 'c/d', '--log-level', 'warn'],
      ...['-u', 'x:openai-chat=http://x.test/v1', '-u', 'y:demo'],
    );
    const { config } = await fake.started;
    expect(config.server).toMatchObject({ port: 3, host: 'localhost', auth: 'none' });
    expect(config.default).toBe('c/d');
    expect(config.log.level).toBe('warn');
    expect(config.upstreams).toMatchObject({ x: { baseUrl: 'http://x.test/v1' }, y: { kind: 'demo' } });
    expect(output).toContain(path.join(fake.cli.folder, 'crosspoint.yaml'));
  });

  it('shows how to send a key when keys are required', async () => {
    const fake = fakeServe({ env: { CROSSPOINT_SERVER_AUTH: 'keys' } });
    const { output } = await serveAndStop(fake);
    expect(output).toContain('required; make one with `crosspoint keys create NAME`');
    expect(output).toContain('authorization: Bearer $CROSSPOINT_API_KEY');
  });

  it('hides credentials in addresses', async () => {
    const fake = fakeServe();
    const { output } = await serveAndStop(fake, '-u', 'x:openai-chat=http://user:hunter22@x.test/v1');
    expect(output).toContain('http://x.test/v1');
    expect(output).not.toContain('hunter22');
  });

  it('is written down while it runs, and struck out afterwards', async () => {
    const fake = fakeServe();
    const paths = statePaths(fake.cli.context);
    const running = fake.cli.run('serve');
    await until(async () => (await listGateways(paths)).length === 1);
    expect(await listGateways(paths)).toEqual([
      { pid: process.pid, url: 'http://127.0.0.1:18741', startedAt: '2026-01-02T03:04:05.000Z' },
    ]);
    await until(async () => {
      fake.cli.signal('SIGINT');
      return fake.closes() > 0;
    });
    expect((await running).code).toBe(0);
    expect(await listGateways(paths)).toEqual([]);
  });

  it('closes gently on the first signal and leaves at once on the second', async () => {
    let finishClose: () => void = () => {};
    const closing = new Promise<void>((resolve) => {
      finishClose = resolve;
    });
    const fake = fakeServe({}, { close: () => closing, closed: new Promise(() => {}) });
    const paths = statePaths(fake.cli.context);
    const running = fake.cli.run('serve');
    await until(async () => (await listGateways(paths)).length === 1);
    await until(async () => {
      fake.cli.signal('SIGINT');
      return fake.exits.length > 0;
    });
    expect(fake.exits[0]).toBe(130);
    finishClose();
    expect(await running).toMatchObject({ code: 0, errors: expect.stringContaining('Press Ctrl-C again') });
  });

  it('reports a failure to close instead of waiting for ever', async () => {
    const fake = fakeServe(
      {},
      { close: () => Promise.reject(new Error('disk is full')), closed: new Promise(() => {}) },
    );
    const { code, errors } = await serveAndStop(fake);
    expect(code).toBe(1);
    expect(errors).toContain('disk is full');
  });

  it.each([[['--host', '0.0.0.0']], [['--no-auth', '--host', '192.168.1.5']]])(
    'refuses to be open to the network without keys: %j',
    async (argv) => {
      const fake = fakeServe();
      const { code, errors } = await fake.cli.run('serve', ...argv);
      expect(code).toBe(2);
      expect(errors).toContain('can be reached from other machines');
      expect(errors).toContain('crosspoint keys create');
    },
  );

  it('says who holds the port', async () => {
    const taken = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
    const startGateway = () => Promise.reject(new GatewayError('conflict', 'taken', { cause: taken }));
    const stranger = await createTestCli({ startGateway }).run('serve');
    expect(stranger.code).toBe(1);
    expect(stranger.errors).toContain('Port 18741 on 127.0.0.1 is taken: another program listens there.');
    expect(stranger.errors).toContain('--port');

    const fake = fakeServe();
    const running = fake.cli.run('serve');
    const paths = statePaths(fake.cli.context);
    await until(async () => (await listGateways(paths)).length === 1);
    const second = createTestCli({ startGateway, env: { CROSSPOINT_HOME: paths.home } });
    expect((await second.run('serve')).errors).toContain(
      `another Crosspoint runs there (process ${process.pid}`,
    );
    await until(async () => {
      fake.cli.signal('SIGTERM');
      return fake.closes() > 0;
    });
    await running;
  });
});
