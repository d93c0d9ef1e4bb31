// One wish from the command line, in a process of its own: `main.ts URL http1|http2 WISH` prints what the model said.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeClient, Workspace } from './index.ts';

const [url = '', carrier, wish = ''] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'crosspoint-native-'));
try {
  const client = new NativeClient({ url, apiKey: 'any', carrier: carrier === 'http1' ? 'http1' : 'http2' });
  const agent = client.openAgent({ workspace: new Workspace({ folder }), model: 'demo/demo' });
  const { record, end } = await agent.send(wish);
  if (end.kind !== 'done')
    throw new Error(`the turn ended as ${end.kind}`, { cause: 'error' in end && end.error });
  process.stdout.write(`${record.text}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
