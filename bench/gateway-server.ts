// Crosspoint in front of the bench upstream, as `serve` would run it, with its log thrown away.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfig, makeUpstream, statePaths } from '../src/config/index.ts';
import { createLog } from '../src/observe/index.ts';
import { startGateway } from '../src/server/start-gateway.ts';

const home = mkdtempSync(join(tmpdir(), 'crosspoint-bench-'));
const base = defaultConfig();
const gateway = await startGateway({
  config: {
    ...base,
    server: { ...base.server, port: 0 },
    upstreams: { up: makeUpstream({ kind: 'openai-chat', baseUrl: `${process.argv[2]}/v1` }) },
    default: 'up/m',
    store: { kind: 'sqlite', path: join(home, 'bench.db') },
  },
  paths: statePaths({ env: { CROSSPOINT_HOME: home }, home }),
  adminToken: 'bench',
  version: 'bench',
  log: createLog({ level: 'info', format: 'json', destination: { write: () => {} } }),
});
process.send?.(gateway.url);
process.once('SIGINT', () => process.exit(0));
