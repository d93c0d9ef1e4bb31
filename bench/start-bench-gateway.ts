import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfig, makeUpstream, statePaths } from '../src/config/index.ts';
import { createLog } from '../src/observe/index.ts';
import { startGateway } from '../src/server/start-gateway.ts';

/** A gateway as `serve` would run it, SQLite included, with its log thrown away; tells its URL to the parent. */
export async function startBenchGateway(
  upstreams: Readonly<Record<string, Parameters<typeof makeUpstream>[0]>>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'crosspoint-bench-'));
  const base = defaultConfig();
  const made = Object.entries(upstreams).map(([name, one]) => [name, makeUpstream(one)] as const);
  const gateway = await startGateway({
    config: {
      ...base,
      server: { ...base.server, port: 0 },
      upstreams: Object.fromEntries(made),
      default: `${made[0]?.[0]}/m`,
      store: { kind: 'sqlite', path: join(home, 'bench.db') },
    },
    paths: statePaths({ env: { CROSSPOINT_HOME: home }, home }),
    adminToken: 'bench',
    version: 'bench',
    log: createLog({ level: 'info', format: 'json', destination: { write: () => {} } }),
  });
  process.send?.(gateway.url);
  process.once('SIGINT', () => process.exit(0));
}
