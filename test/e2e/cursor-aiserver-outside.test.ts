// Nothing of unified chat leaves loopback: every connection and every look-up of a name of this process, gateway and client
// alike, is noted before it is made.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARRIERS, IdempotentTurn, openStage, type Stage } from '../support/aiserver-client/index.ts';
import { ROOT } from '../support/program.ts';

let home: string;
let noted: string;
let stage: Stage;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'crosspoint-outside-'));
  noted = join(home, 'connections');
  await writeFile(noted, '');
  vi.stubEnv('CONNECTIONS_FILE', noted);
  // By its path: it is plain JavaScript without types, made to be loaded in front of programs.
  await import(join(ROOT, 'test/support/native-client/record-connections.mjs'));
  stage = await openStage();
});
afterAll(async () => {
  await stage?.stop();
  vi.unstubAllEnvs();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

describe('unified chat', () => {
  it.each(CARRIERS)('over %s reaches nobody beyond loopback', async (carrier) => {
    const client = await stage.client(carrier, { files: { 'a.txt': 'alpha\n' } });
    expect((await client.ask('read a.txt')).record.text).toContain('alpha');
    expect((await new IdempotentTurn(client).ask('run echo quiet')).record.text).toContain('quiet');
    expect((await client.ai.availableModels({})).modelNames).toContain('demo/demo');
    expect((await client.chat.getConversationSummary(client.request('hello'))).summary).not.toBe('');
    const modelDetails = { modelName: 'm', apiKey: 'k', openaiApiBaseUrl: 'https://192.0.2.1/v1' };
    expect((await client.ask('hello', { request: { modelDetails } })).end.kind).toBe('failed');
    expect(await readFile(noted, 'utf8')).toBe('');
  });

  it('would be noticed if it did', async () => {
    net
      .connect({ host: '192.0.2.1', port: 443 })
      .on('error', () => {})
      .destroy();
    expect(await readFile(noted, 'utf8')).toContain('connect 192.0.2.1');
  });
});
