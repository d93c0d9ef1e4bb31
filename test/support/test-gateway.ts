// A whole gateway on an ephemeral port, for tests: real sockets, memory store, its log kept for inspection.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Config,
  collectSecrets,
  defaultConfig,
  makeUpstream,
  statePaths,
} from '../../src/config/index.ts';
import { createLog } from '../../src/observe/index.ts';
import { startGateway } from '../../src/server/start-gateway.ts';

export interface TestGateway {
  readonly url: string;
  readonly adminToken: string;
  /** Every line that was logged. */
  readonly logLines: string[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  admin(method: string, path: string, body?: unknown): Promise<Response>;
  stop(): Promise<void>;
}

export interface TestGatewayOptions {
  /** Chat upstreams by name. */
  readonly upstreams?: Readonly<Record<string, Parameters<typeof makeUpstream>[0]>>;
  readonly config?: (config: Config) => Config;
  /** A folder for tools to work on. */
  readonly workspace?: string;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const home = await mkdtemp(join(tmpdir(), 'crosspoint-test-'));
  const base = defaultConfig();
  const upstreams: Config['upstreams'] = { demo: makeUpstream({ kind: 'demo' }) };
  for (const [name, upstream] of Object.entries(options.upstreams ?? {}))
    upstreams[name] = makeUpstream(upstream);
  const plain: Config = {
    ...base,
    server: { ...base.server, port: 0 },
    upstreams,
    default: 'demo/demo',
    store: { kind: 'memory' },
    log: { level: 'info', format: 'json' },
  };
  const config = options.config?.(plain) ?? plain;
  const logLines: string[] = [];
  const adminToken = 'test-admin-token';
  const gateway = await startGateway({
    config,
    paths: statePaths({ env: { CROSSPOINT_HOME: home }, home }),
    adminToken,
    version: '0.0.0-test',
    ...(options.workspace === undefined
      ? {}
      : { workspace: options.workspace, env: { PATH: process.env.PATH } }),
    log: createLog({
      level: config.log.level,
      format: 'json',
      secrets: [...collectSecrets(config), adminToken],
      destination: { write: (line) => void logLines.push(line) },
    }),
  });
  return {
    url: gateway.url,
    adminToken,
    logLines,
    post: (path, body, headers = {}) =>
      fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    admin: (method, path, body) =>
      fetch(gateway.url + path, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    stop: async () => {
      await gateway.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
