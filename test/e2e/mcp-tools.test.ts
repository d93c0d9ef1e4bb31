// MCP servers behind the hosted tool runtime: real programs and addresses, found, asked for, called and put away.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, serveHttp } from '../../src/mcp/fixtures/hub-bench.ts';
import { toolListSchema } from '../../src/server/admin/tool-routes-schema.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

const PROGRAM = resolve(import.meta.dirname, '../../src/mcp/fixtures/serve-stdio.mjs');
const STDIO = { command: process.execPath, args: [PROGRAM], env: { SECRET_KEY: 'a-key-of-the-server' } };

let workspace: string;
let gateway: TestGateway;

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-mcp-')));
  writeFileSync(join(workspace, 'notes.txt'), 'seventeen pears\n');
});
afterEach(async () => {
  await gateway.stop();
  rmSync(workspace, { recursive: true, force: true });
});

async function start(servers: object, more: object = {}): Promise<void> {
  gateway = await startTestGateway({
    workspace,
    config: (config) => ({ ...config, mcp: { readClientFiles: false, servers, ...more } }),
  });
}

interface Shown {
  readonly id: string;
  readonly kind?: string;
  readonly preview: string;
  readonly reason: string;
  readonly rule: string;
  readonly form?: { readonly type: string; readonly url?: string };
}

interface ToolEvent {
  readonly type?: string;
  readonly approvalId?: string;
  readonly tool_result?: {
    readonly case: string;
    readonly value: { readonly content?: string; readonly error?: { code: string; message: string } };
  };
}

type Answer = (approval: Shown) => object | undefined | Promise<object | undefined>;

let count = 0;

/** Runs one call, answers what it asks, and gives its result with everything that was asked. */
async function call(name: string, value: object, answer: Answer = () => ({ type: 'once' })) {
  const envelope = { id: `c${++count}`, builtin_tool_call: { case: name, value } };
  const response = await gateway.admin('POST', '/api/tools/call', envelope);
  const asked: Shown[] = [];
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = JSON.parse(text.slice(6, end)) as ToolEvent; // our own frames
      text = text.slice(end + 2);
      if (event.tool_result) return { ...event.tool_result, asked };
      if (event.type !== 'awaiting-approval') continue;
      const approval = (await pending()).find(({ id }) => id === event.approvalId);
      if (!approval) throw new Error('what is asked is not listed');
      asked.push(approval);
      const given = await answer(approval);
      if (given) await gateway.admin('POST', `/api/approvals/${approval.id}`, given);
    }
  }
  throw new Error('no result came');
}

async function pending(): Promise<readonly Shown[]> {
  const body = await (await gateway.admin('GET', '/api/approvals')).json();
  return (body as { approvals: readonly Shown[] }).approvals; // our own answer
}

async function list() {
  return toolListSchema.parse(await (await gateway.admin('GET', '/api/tools')).json());
}

function echoOf({ mcp }: Awaited<ReturnType<typeof list>>) {
  return mcp.tools.find(({ name }) => name === 'echo');
}

describe('a server of the configuration', () => {
  it('is started when a call names it, asked for, called, and gone with the gateway', async () => {
    await start({ test: STDIO });
    const { value, case: kind, asked } = await call('mcp__test__echo', { text: 'hello' });
    expect(kind).toBe('call_mcp_tool_result');
    expect(value.content).toContain('hello');
    expect(asked).toMatchObject([{ rule: 'protection:mcp-tools' }]);
    const where = await call('call_mcp_tool', { server: 'test', toolName: 'where', arguments: {} });
    const { pid, cwd, roots } = JSON.parse(where.value.content ?? '');
    expect({ cwd, roots }).toEqual({ cwd: workspace, roots: [{ uri: `file://${workspace}` }] });
    expect(isRunning(pid)).toBe(true);
    await gateway.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('is declared and listed with the consent that each tool has', async () => {
    await start({ test: STDIO });
    const before = await list();
    expect(before.mcp.servers).toMatchObject([{ name: 'test', origin: 'config', state: 'ready' }]);
    expect(before.declaration.mcpTools).toMatchObject([{ server_name: 'test' }]);
    expect(echoOf(before)).toMatchObject({ server: 'test', modelName: 'mcp__test__echo', consent: 'none' });
    await call('mcp_test_echo', { text: 'hello' });
    expect(echoOf(await list())).toMatchObject({ consent: 'given' });
  });

  it('that changes a tool is shown with the difference, and not offered before somebody agrees', async () => {
    await start({ test: STDIO });
    await call('mcp__test__echo', { text: 'hello' });
    await call('mcp__test__morph', {});
    await expect
      .poll(async () => echoOf(await list()))
      .toMatchObject({ consent: 'changed', change: expect.stringContaining('id_rsa') });
    const [declared] = (await list()).declaration.mcpTools;
    expect(declared?.tools.map(({ name }) => name)).not.toContain('echo');

    const refused = await call('mcp__test__echo', { text: 'x' }, () => ({ type: 'deny' }));
    expect(refused.asked).toMatchObject([
      { rule: 'protection:mcp-changed', preview: expect.stringContaining('+Repeats a text. Also send') },
    ]);
    expect(refused.value.error?.code).toBe('DENIED');
    expect((await call('mcp__test__echo', { text: 'agreed' })).value.content).toContain('agreed');
    expect((await call('mcp__test__echo', { text: 'x' })).asked).toMatchObject([
      { rule: 'protection:mcp-tools' },
    ]);
  });

  it('may ask the user something in the middle of a call', async () => {
    await start({ test: STDIO });
    let wrong: Response | undefined;
    const { value, asked } = await call('mcp__test__ask', {}, async (approval) => {
      if (approval.kind === undefined) return { type: 'once' };
      wrong = await gateway.admin('POST', `/api/approvals/${approval.id}`, { type: 'once' });
      return { type: 'reply', content: { colour: 'green' } };
    });
    expect(asked[1]).toMatchObject({
      kind: 'question',
      rule: 'mcp:elicitation',
      form: { type: 'fields' },
      preview: 'Which colour?\n  colour (string)',
    });
    expect(wrong?.status).toBe(400);
    expect(JSON.parse(value.content ?? '')).toEqual({ action: 'accept', content: { colour: 'green' } });
    const declined = await call('mcp__test__ask', {}, ({ kind }) => ({
      type: kind === undefined ? 'once' : 'deny',
    }));
    expect(declined.value.content).toContain('decline');
    expect(await pending()).toEqual([]);
  });

  it('that cannot be started is named with the reason, and the others still serve', async () => {
    await start({ broken: { command: 'no-such-program' }, test: STDIO });
    const { mcp } = await list();
    expect(mcp.problems).toEqual([
      expect.stringContaining('The program of the MCP server broken was not found'),
    ]);
    expect(mcp.tools.length).toBeGreaterThan(3);
    expect((await call('mcp__broken__thing', {})).value.error?.message).toContain('broken');
  });

  it('is asked for at every first use where the user wants that, whatever the rules allow', async () => {
    gateway = await startTestGateway({
      workspace,
      config: (config) => ({
        ...config,
        policy: { rules: [{ decision: 'allow', mcp: 'test:*' }] },
        mcp: { readClientFiles: false, servers: { test: STDIO }, consent: 'first-use' },
      }),
    });
    expect((await call('mcp__test__echo', { text: 'x' })).asked).toMatchObject([
      { rule: 'protection:mcp-new' },
    ]);
    expect((await call('mcp__test__echo', { text: 'x' })).asked).toEqual([]);
  });
});

describe('a server behind a sign-in', () => {
  it('shows the address among the approvals, takes the browser back, and keeps the token to itself', async () => {
    const server = await serveHttp('oauth');
    await start({ remote: { url: `${server.url}/mcp` } });
    const refused = await call('mcp__remote__echo', { text: 'hi' });
    expect(refused.value.error?.message).toContain('mcp_auth');
    const signIn = await call('mcp_auth', { server_identifier: 'remote' }, async (approval) => {
      if (approval.kind === undefined) return { type: 'once' };
      const page = await fetch(approval.form?.url ?? ''); // as a browser would, redirects included
      expect(await page.text()).toContain('You can close this page.');
      return undefined;
    });
    expect(signIn.asked[1]).toMatchObject({ kind: 'sign-in', form: { type: 'address' } });
    expect(signIn.value.content).toContain('Signed in to remote');
    expect((await call('mcp__remote__echo', { text: 'hi' })).value.content).toContain('hi');
    expect(await pending()).toEqual([]);
    expect(gateway.logLines.join('')).not.toContain('very-secret-token');
    await server.stop();
  });

  it('takes the address a browser on another machine was sent to, and a refusal', async () => {
    const server = await serveHttp('oauth');
    await start({ remote: { url: `${server.url}/mcp` } });
    const denied = await call('mcp_auth', { server_identifier: 'remote' }, ({ kind }) =>
      kind === undefined ? { type: 'once' } : { type: 'deny', feedback: 'not today' },
    );
    expect(denied.value.error).toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('not today'),
    });
    const signIn = await call('mcp_auth', { server_identifier: 'remote' }, async ({ kind, form }) => {
      if (kind === undefined) return { type: 'once' };
      const page = await fetch(form?.url ?? '', { redirect: 'manual' });
      return { type: 'reply', content: { address: page.headers.get('location') } };
    });
    expect(signIn.value.content).toContain('Signed in to remote');
    await server.stop();
  });
});
