// A strict client of the agent protocol against a whole gateway, over both transports. `record.violations` holds every
// rule of the protocol that the server broke; see test/support/native-client/judge.ts.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentMode } from '../../src/gen/agent/v1/user_message_pb.ts';
import type { CarrierKind, Turn } from '../support/native-client/index.ts';
import { openStage, type Stage } from '../support/native-client/open-stage.ts';

const CARRIERS: readonly CarrierKind[] = ['http1', 'http2'];

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

function expectDone({ end, record }: Turn): void {
  expect(end, record.outline.join(' ')).toEqual({ kind: 'done' });
  expect(record.violations).toEqual([]);
}

describe.each(CARRIERS)('the agent protocol over %s', (carrier) => {
  it('streams text, then a checkpoint, then the end with its usage', async () => {
    const { agent } = await stage.agent(carrier);
    const turn = await agent.send('what is 6*7');
    expectDone(turn);
    expect(turn.record.text).toContain('6*7 = 42');
    expect(turn.record.outline[0]).toBe('exec:requestContextArgs');
    expect(turn.record.outline.slice(-2)).toEqual(['checkpoint', 'turnEnded']);
    expect(turn.record.usage?.inputTokens).toBeGreaterThan(0n);
    expect(turn.record.usage?.outputTokens).toBeGreaterThan(0n);
  });

  it('streams thinking apart from text and says when it is over', async () => {
    const { agent } = await stage.agent(carrier, { model: 'demo/reasoning' });
    const turn = await agent.send('what is 6*7');
    expectDone(turn);
    expect(turn.record.thinking).toContain('My rules are fixed');
    expect(turn.record.text).not.toContain('My rules are fixed');
    expect(turn.record.updates('thinkingCompleted')).toHaveLength(1);
  });

  it('remembers what was said and done in a second send', async () => {
    const { agent } = await stage.agent(carrier, { files: { 'a.txt': 'alpha\n' } });
    expectDone(await agent.send('read a.txt'));
    const echo = stage.client(carrier).openAgent({
      workspace: (await stage.agent(carrier)).workspace,
      model: 'demo/echo',
      conversationId: agent.conversationId,
      memory: agent.memory,
    });
    const turn = await echo.send('and now?');
    expectDone(turn);
    const { messages } = JSON.parse(turn.record.text) as { messages: { role: string }[] }; // demo/echo writes it
    const roles = messages.map(({ role }) => role).filter((role) => role !== 'system');
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('takes images along', async () => {
    const { agent } = await stage.agent(carrier, { model: 'demo/echo' });
    const turn = await agent.send('look', {
      images: [{ mimeType: 'image/png', data: new Uint8Array([1, 2, 3]) }],
    });
    expectDone(turn);
    expect(turn.record.text).toContain('"type": "image"');
  });

  it('offers only tools that change nothing when the user asks in plan mode', async () => {
    const { agent, workspace } = await stage.agent(carrier);
    const turn = await agent.send('create x.txt with hello', { mode: AgentMode.PLAN });
    expectDone(turn);
    expect(workspace.executions.filter(({ kind }) => kind === 'writeArgs')).toEqual([]);
    expect(workspace.executions.filter(({ kind }) => /shell/i.test(kind))).toEqual([]);
  });

  it('sends text as it comes and not at the end', async () => {
    const { agent } = await stage.agent(carrier, { model: 'demo/slow' });
    const turn = await agent.send('what is 6*7');
    expectDone(turn);
    const { record } = turn;
    const deltas = record.outline.flatMap((name, index) =>
      name === 'textDelta' ? [record.times[index] ?? 0] : [],
    );
    expect((deltas.at(-1) ?? 0) - (deltas[0] ?? 0)).toBeGreaterThan(100);
  });
});

describe('the calls around a run', () => {
  it('exchange a key for a token and list the models by the names that runs take', async () => {
    const client = stage.client('http1');
    expect(await client.exchange()).toEqual(expect.any(String));
    const models = await client.listModels();
    expect(models).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'demo/demo', displayName: expect.any(String) })]),
    );
  });
});

describe('the agent protocol with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  let secure: Stage;

  beforeAll(async () => {
    const request =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1';
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    secure = await openStage({
      ca: readFileSync(cert, 'utf8'),
      config: (config) => ({ ...config, server: { ...config.server, tls: { cert, key } } }),
    });
  });
  afterAll(async () => {
    await secure?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(CARRIERS)('runs a tool over %s', async (carrier) => {
    expect(secure.gateway.url).toMatch(/^https:/);
    const { agent } = await secure.agent(carrier);
    const turn = await agent.send('run echo sealed');
    expectDone(turn);
    expect(turn.record.text).toContain('sealed');
  });
});
