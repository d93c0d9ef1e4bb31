// One tool call over the admin API, in the client's own envelope: life-cycle events, approvals, results, effects on disk.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toolListSchema } from '../../src/server/admin/tool-routes-schema.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let workspace: string;
let gateway: TestGateway;

beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'crosspoint-tools-'));
  writeFileSync(join(workspace, 'notes.txt'), 'seventeen pears\n');
  gateway = await startTestGateway({
    workspace,
    config: (config) => ({ ...config, mcp: { readClientFiles: false } }),
  });
});
afterEach(async () => {
  await gateway.stop();
  rmSync(workspace, { recursive: true, force: true });
});

interface ToolEvent {
  readonly type?: string;
  readonly approvalId?: string;
  readonly tool_result?: {
    readonly value: {
      readonly tool_call_id?: string;
      readonly content?: string;
      readonly error?: { readonly code: string };
    };
  };
}

function envelopeOf(id: string, name: string, value: object): object {
  return { id, type: 'builtin_tool_call', builtin_tool_call: { case: name, value } };
}

function call(id: string, name: string, value: object): Promise<Response> {
  return gateway.admin('POST', '/api/tools/call', envelopeOf(id, name, value));
}

/** The same in a conversation of its own. */
function callIn(session: string, id: string, name: string, value: object): Promise<Response> {
  return gateway.post('/api/tools/call', envelopeOf(id, name, value), {
    authorization: `Bearer ${gateway.adminToken}`,
    'x-crosspoint-session': session,
  });
}

async function* eventsOf(response: Response): AsyncGenerator<ToolEvent> {
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      yield JSON.parse(text.slice(6, end)) as ToolEvent; // our own frames
      text = text.slice(end + 2);
    }
  }
}

/** Answers whatever is asked and gives the result. */
async function settle(response: Response, answer: object): Promise<ToolEvent['tool_result']> {
  for await (const event of eventsOf(response)) {
    if (event.type === 'awaiting-approval') {
      await gateway.admin('POST', `/api/approvals/${event.approvalId}`, answer);
    }
    if (event.tool_result) return event.tool_result;
  }
  throw new Error('no result came');
}

describe('POST /api/tools/call', () => {
  it('is closed without the admin token', async () => {
    expect((await gateway.post('/api/tools/call', {})).status).toBe(401);
    expect((await fetch(`${gateway.url}/api/approvals`)).status).toBe(401);
  });

  it('runs an approved call and shows its life', async () => {
    const response = await call('c1', 'read_file_v2', { path: 'notes.txt' });
    const result = await settle(response, { type: 'once' });
    expect(result?.value.content).toContain('seventeen pears');
  });

  it('does nothing when the answer is no, and tells the model why', async () => {
    const response = await call('c2', 'run_terminal_command_v2', { command: 'touch made.txt' });
    const result = await settle(response, { type: 'deny', feedback: 'not now' });
    expect(result?.value.error?.code).toBe('DENIED');
    expect(existsSync(join(workspace, 'made.txt'))).toBe(false);
  });

  it('lists what waits, and forgets it when the client leaves', async () => {
    const first = await call('c3', 'edit_file_v2', { path: 'new.txt', contents: 'hello\n' });
    const events = eventsOf(first);
    let approvalId: string | undefined;
    // Leaving a `for await` loop would close the connection, and with it the call.
    while (approvalId === undefined) approvalId = (await events.next()).value?.approvalId;
    const pending = await (await gateway.admin('GET', '/api/approvals')).json();
    expect(pending).toMatchObject({ approvals: [{ id: approvalId, callId: 'c3', state: 'pending' }] });
    await events.return(undefined); // the client leaves
    await expect
      .poll(async () => (await gateway.admin('GET', '/api/approvals')).json())
      .toEqual({ approvals: [] });
  });

  it('names the field of a bad envelope', async () => {
    const bad = await gateway.admin('POST', '/api/tools/call', { id: 'x' });
    expect(bad.status).toBe(400);
    expect(await bad.json()).toMatchObject({ error: { param: 'builtin_tool_call' } });
    const odd = await gateway.admin('POST', '/api/approvals/nothing', { type: 'maybe' });
    expect(odd.status).toBe(400);
  });

  it('writes a file when allowed', async () => {
    const response = await call('c4', 'edit_file_v2', { path: 'new.txt', contents: 'hello\n' });
    await settle(response, { type: 'once' });
    expect(readFileSync(join(workspace, 'new.txt'), 'utf8')).toBe('hello\n');
  });

  it('runs the same call once, however often it is sent, and asks once', async () => {
    const command = { command: 'echo run >> runs.txt' };
    const first = settle(await call('c5', 'run_terminal_command_v2', command), { type: 'once' });
    const again = settle(await call('c5', 'run_terminal_command_v2', command), { type: 'deny' });
    expect(await again).toEqual(await first);
    const later = await settle(await call('c5', 'run_terminal_command_v2', command), { type: 'deny' });
    expect(later).toEqual(await first);
    expect(readFileSync(join(workspace, 'runs.txt'), 'utf8')).toBe('run\n');
  });

  it('tells calls of one id apart by the conversation they name', async () => {
    const write = (session: string, contents: string) =>
      callIn(session, 'call_1', 'edit_file_v2', { path: `${session}.txt`, contents });
    for (const session of ['one', 'two']) {
      const result = await settle(await write(session, session), { type: 'once' });
      expect(result?.value).toMatchObject({ tool_call_id: 'call_1' });
      expect(result?.value).not.toHaveProperty('error');
      expect(readFileSync(join(workspace, `${session}.txt`), 'utf8')).toBe(session);
    }
    const reused = await settle(await write('one', 'other'), { type: 'once' });
    expect(reused?.value.error?.code).toBe('EINVAL');
  });

  it('lists what is declared, without any MCP server as with some', async () => {
    const body = await (await gateway.admin('GET', '/api/tools')).json();
    expect(body).toMatchObject({ mode: 'agent', mcp: { tools: [] } });
    expect(toolListSchema.parse(body).declaration.supportedTools.length).toBeGreaterThan(20);
  });

  it('does not start with a wrong section, and names the key', async () => {
    const start = startTestGateway({
      workspace,
      config: (config) => ({ ...config, tools: { webSearch: { provider: 'bing' } } }),
    });
    await expect(start).rejects.toThrow(
      'tools.webSearch.provider must be searxng, brave or tavily, not "bing"',
    );
  });

  it('keeps the secrets of the sections out of answers and log', async () => {
    const other = await startTestGateway({
      workspace,
      config: (config) => ({
        ...config,
        tools: { forges: [{ kind: 'github', host: 'github.com', token: 'forge-token-0123' }] },
        mcp: {
          readClientFiles: false,
          servers: { x: { command: 'false', env: { API_KEY: 'mcp-key-0123' } } },
        },
      }),
    });
    const answer = await (await other.admin('GET', '/api/tools')).text();
    await other.stop();
    for (const secret of ['forge-token-0123', 'mcp-key-0123'])
      expect(answer + other.logLines.join('')).not.toContain(secret);
  });
});

describe('tools that start agents', () => {
  it('lets an agent on the gateway’s own model do the task with the same tools', async () => {
    const response = await call('t1', 'task_v2', {
      description: 'read the notes',
      prompt: 'read notes.txt',
      readonly: true,
    });
    const result = await settle(response, { type: 'once' });
    expect(result?.value.content).toContain('seventeen pears');
  });

  it('asks for what the agent wants to change, and an agent that may only look cannot', async () => {
    const wish = { description: 'make a file', prompt: 'create made.txt with hello' };
    const allowed = await settle(await call('t2', 'task_v2', wish), { type: 'once' });
    expect(allowed?.value.error).toBeUndefined();
    expect(readFileSync(join(workspace, 'made.txt'), 'utf8')).toContain('hello');
    rmSync(join(workspace, 'made.txt'));
    await settle(await call('t3', 'task_v2', { ...wish, readonly: true }), { type: 'once' });
    expect(existsSync(join(workspace, 'made.txt'))).toBe(false);
  });

  it('answers a broad question about the code by a search agent', async () => {
    const response = await call('t4', 'deep_search', { query: 'read notes.txt' });
    const result = await settle(response, { type: 'once' });
    expect(result?.value.content).toContain('pears');
  });
});
