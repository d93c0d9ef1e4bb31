// One tool call over the admin API, in the client's own envelope: life-cycle events, approvals, results, effects on disk.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

let workspace: string;
let gateway: TestGateway;

beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'crosspoint-tools-'));
  writeFileSync(join(workspace, 'notes.txt'), 'seventeen pears\n');
  gateway = await startTestGateway({ workspace });
});
afterEach(async () => {
  await gateway.stop();
  rmSync(workspace, { recursive: true, force: true });
});

interface ToolEvent {
  readonly type?: string;
  readonly approvalId?: string;
  readonly tool_result?: {
    readonly value: { readonly content?: string; readonly error?: { readonly code: string } };
  };
}

function call(id: string, name: string, value: object): Promise<Response> {
  const envelope = { id, type: 'builtin_tool_call', builtin_tool_call: { case: name, value } };
  return gateway.admin('POST', '/api/tools/call', envelope);
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
});
