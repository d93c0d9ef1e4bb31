import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureAdminToken, registerGateway, statePaths } from '../../config/index.ts';
import { createTestCli } from '../fixtures/test-context.ts';

const question = {
  id: 'approval_2',
  kind: 'question',
  tool: 'db-server',
  risk: 'interact',
  preview: 'How many?\n  count (integer)\n  names (array)',
  reason: 'The MCP server db-server asks.',
  rule: 'mcp:elicitation',
  form: {
    type: 'fields',
    schema: {
      properties: { count: { type: 'integer' }, sure: { type: 'boolean' }, names: { type: 'array' } },
    },
  },
};

const waiting = {
  id: 'approval_1',
  tool: 'run_terminal_command',
  risk: 'execute',
  preview: 'npm test\nmore',
  reason: 'setting',
};

async function besideGateway() {
  const seen: { method: string; path: string; body: unknown }[] = [];
  const cli = createTestCli({
    fetch: async (input, init) => {
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
      seen.push({ method: init?.method ?? 'GET', path: new URL(String(input)).pathname, body });
      return new Response(JSON.stringify({ approvals: [waiting, question] }));
    },
  });
  const paths = statePaths(cli.context);
  await ensureAdminToken(paths);
  const entry = { pid: process.pid, url: 'http://127.0.0.1:18741', startedAt: '2026-01-01T00:00:00.000Z' };
  await registerGateway(paths, entry, () => true);
  return { cli, seen };
}

describe('approvals', () => {
  it('lists what waits', async () => {
    const { cli } = await besideGateway();
    const { code, output } = await cli.run('approvals', 'list');
    expect(code).toBe(0);
    expect(output).toContain('approval_1');
    expect(output).toContain('npm test');
    expect(output).not.toContain('more');
  });

  it('answers in each way', async () => {
    const { cli, seen } = await besideGateway();
    await cli.run('approvals', 'allow', 'approval_1');
    await cli.run('approvals', 'allow', 'approval_1', '--always');
    await cli.run('approvals', 'deny', 'approval_1', '--feedback', 'use npm test');
    expect(seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/api/approvals/approval_1', { type: 'once' }],
      ['POST', '/api/approvals/approval_1', { type: 'always' }],
      ['POST', '/api/approvals/approval_1', { type: 'deny', feedback: 'use npm test' }],
    ]);
  });

  it('shows one whole, with how to answer it', async () => {
    const { cli } = await besideGateway();
    expect((await cli.run('approvals', 'show', 'approval_1')).output).toContain('npm test\nmore');
    const { output } = await cli.run('approvals', 'show', 'approval_2');
    expect(output).toContain('count (integer)');
    expect(output).toContain('crosspoint approvals reply approval_2 FIELD=VALUE');
  });

  it('replies in the types that the question asks for', async () => {
    const { cli, seen } = await besideGateway();
    writeFileSync(path.join(cli.folder, 'why.txt'), 'a=b');
    await cli.run(
      'approvals',
      'reply',
      'approval_2',
      'count=3',
      'sure=true',
      'names=a',
      'names=b',
      'why=@why.txt',
    );
    await cli.run('approvals', 'reply', 'approval_2', '{"count": 4}');
    const replies = seen.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(replies).toEqual([
      { type: 'reply', content: { count: 3, sure: true, names: ['a', 'b'], why: 'a=b' } },
      { type: 'reply', content: { count: 4 } },
    ]);
    const wrong = await cli.run('approvals', 'reply', 'approval_2', 'three');
    expect(wrong).toMatchObject({ code: 2, errors: expect.stringContaining('write it as name=value') });
    const unknown = await cli.run('approvals', 'reply', 'approval_9', 'a=b');
    expect(unknown.errors).toContain('Nothing waits under approval_9');
  });

  it('says how to start a gateway when none runs', async () => {
    const { code, errors } = await createTestCli({}).run('approvals');
    expect(code).toBe(1);
    expect(errors).toContain('crosspoint serve');
  });
});
