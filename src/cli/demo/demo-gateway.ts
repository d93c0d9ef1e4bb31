import { randomBytes } from 'node:crypto';
import { type Config, defaultConfig, makeUpstream, statePaths } from '../../config/index.ts';
import { createLog } from '../../observe/log.ts';
import type { CliContext, StartedGateway } from '../context.ts';

/** A gateway for the length of a demo: a free port, nothing kept, the demo model and whatever else is named. */
export function startDemoGateway(
  context: CliContext,
  stateHome: string,
  upstreams: Config['upstreams'] = {},
): Promise<StartedGateway> {
  const base = defaultConfig();
  const config: Config = {
    ...base,
    server: { ...base.server, port: 0, shutdownGraceMs: 100 },
    upstreams: { demo: makeUpstream({ kind: 'demo' }), ...upstreams },
    default: 'demo/demo',
    store: { kind: 'memory' },
    log: { level: 'silent' },
  };
  return context.startGateway({
    config,
    paths: statePaths({ env: { CROSSPOINT_HOME: stateHome }, home: stateHome }),
    adminToken: randomBytes(32).toString('base64url'),
    version: context.version,
    log: createLog({ level: 'silent' }),
  });
}
