// The gateway inside a program of your own: no process to start, no configuration file.
// Run it with: npx tsx examples/embedded-gateway.ts
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfig, makeUpstream, startGateway, statePaths } from '../src/index.ts';

const home = await mkdtemp(join(tmpdir(), 'crosspoint-example-'));
const defaults = defaultConfig();
const gateway = await startGateway({
  config: {
    ...defaults,
    server: { ...defaults.server, port: 0 },
    upstreams: { demo: makeUpstream({ kind: 'demo' }) },
    default: 'demo/demo',
    store: { kind: 'memory' },
    log: { level: 'silent' },
  },
  paths: statePaths({ env: { CROSSPOINT_HOME: home }, home }),
  adminToken: 'choose-your-own',
  version: 'example',
});

const answer = await fetch(`${gateway.url}/v1/messages`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'demo/demo',
    max_tokens: 200,
    messages: [{ role: 'user', content: 'what is 6*7?' }],
  }),
});
console.log(JSON.stringify(await answer.json()));
await gateway.close();
