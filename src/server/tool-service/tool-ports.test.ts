import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { sandboxStatus } from '../../tools/sandbox/index.ts';
import { ServiceBench } from './fixtures/service-bench.ts';
import { checkToolSections } from './read-tool-sections.ts';

let bench: ServiceBench;

beforeEach(() => {
  bench = new ServiceBench();
});
afterEach(() => bench.dispose());

describe('the user of a hosted runtime', () => {
  const question = {
    questions: [
      {
        id: 'db',
        prompt: 'Which database?',
        options: [
          { id: 'pg', label: 'Postgres' },
          { id: 'my', label: 'MySQL' },
        ],
      },
      { id: 'why', prompt: 'Why?' },
    ],
  };
  const gates = { gates: { ask_question_all_modes: true } };

  it('is asked questions by way of approvals, and answers by id, label or own words', async () => {
    await bench.open({ tools: gates });
    const outcome = await bench.call('ask_question', question, () => ({
      type: 'reply',
      content: { db: 'postgres', why: 'we know it' },
    }));
    expect(bench.asked).toMatchObject([{ kind: 'question', callId: 'call_1', form: { type: 'questions' } }]);
    expect(outcome).toMatchObject({
      ok: true,
      content: 'Which database?\n→ Postgres\n\nWhy?\n→ "we know it"',
    });
    expect(await bench.service.approvals.list()).toEqual([]);
  });

  it.each([
    [{}, 'answer at least one of db, why'],
    [{ dbx: 'pg' }, 'there is no question "dbx"; did you mean "db"?'],
    [{ db: ['pg', 'my'] }, '"db" takes one option, not 2'],
    [{ db: { a: 1 } }, '"db" must be the id of an option'],
  ])('is told what is wrong with the reply %j', async (content, problem) => {
    await bench.open({ tools: gates });
    const { approvals, runtime } = bench.service;
    const outcome = runtime.call({ id: 'q', name: 'ask_question', args: question });
    await expect.poll(() => approvals.list('pending')).toHaveLength(1);
    const [{ id } = { id: '' }] = await approvals.list('pending');
    await expect(approvals.answer(id, { type: 'reply', content })).rejects.toThrow(problem);
    await expect(approvals.answer(id, { type: 'once' })).rejects.toThrow('answer at least one');
    await approvals.answer(id, { type: 'deny', feedback: 'decide yourself' });
    expect(await outcome).toMatchObject({ error: { message: expect.stringContaining('decide yourself') } });
  });

  it('agrees to another mode, which then holds', async () => {
    await bench.open();
    await bench.call('switch_mode', { target_mode_id: 'plan', explanation: 'Think first.' }, () => ({
      type: 'deny',
    }));
    expect(bench.service.runtime.mode).toBe('agent');
    await bench.call('switch_mode', { target_mode_id: 'plan', explanation: 'Think first.' });
    expect(bench.asked).toMatchObject([{ preview: 'Switch from mode agent to plan?\nThink first.' }]);
    expect(bench.service.runtime.mode).toBe('plan');
    expect(await bench.call('run_terminal_cmd', { command: 'ls' })).toMatchObject({
      error: { code: 'WRONG_MODE' },
    });
  });

  it('takes a plan as it is, or gives it back changed', async () => {
    await bench.open();
    bench.service.runtime.switchMode('plan');
    const plan = { name: 'Pears', plan: '# Pears\n\nCount them.' };
    expect(await bench.call('create_plan', plan)).toMatchObject({
      content: expect.stringContaining('The user accepted the plan'),
    });
    const changed = await bench.call('create_plan', plan, () => ({
      type: 'reply',
      content: { text: '# Pears\n\nEat them.' },
    }));
    expect(changed).toMatchObject({ ok: true, content: expect.stringContaining('Eat them.') });
  });

  it('is told things by the progress of the call', async () => {
    await bench.open();
    const told: unknown[] = [];
    bench.service.runtime.subscribe((event) => {
      if (event.type === 'progress') told.push(event.progress.text);
    });
    await bench.call('send_to_user', { message: 'Half done.' });
    expect(told).toEqual(['Half done.']);
  });
});

const sandbox = await sandboxStatus({ searchPath: process.env.PATH ?? '' });
const skipped = sandbox.isAvailable ? '' : ` (skipped: ${sandbox.reason})`;

describe.runIf(sandbox.isAvailable)(`the sandbox of the configuration${skipped}`, () => {
  it('holds commands, and opens the folders it names', async () => {
    const outside = path.join(bench.homeFolder, 'out.txt');
    const command = { command: `echo x > ${outside}; echo y > in.txt` };
    await bench.open({ tools: { sandbox: { enabled: true } } });
    await bench.call('run_terminal_cmd', command);
    expect(existsSync(outside)).toBe(false);
    expect(existsSync(path.join(bench.workspace, 'in.txt'))).toBe(true);
    await bench.open({ tools: { sandbox: { enabled: true, writable: [bench.homeFolder] } } });
    await bench.call('run_terminal_cmd', command);
    expect(existsSync(outside)).toBe(true);
  });

  it('hides the folder where tokens and rules are', async () => {
    await bench.open({ tools: { sandbox: { enabled: true } } });
    writeFileSync(path.join(bench.stateHome, 'admin-token'), 'the-token');
    const command = `cat ${path.join(bench.stateHome, 'admin-token')} || echo hidden`;
    const outcome = await bench.call('run_terminal_cmd', { command }, () => ({ type: 'once' }));
    expect(JSON.stringify(outcome)).not.toContain('the-token');
    expect(JSON.stringify(outcome)).toContain('hidden');
  });
});

describe('services of the configuration', () => {
  it('are what the tools use, and their limits hold', async () => {
    const search = createServer((_request, response) =>
      response.end(
        JSON.stringify({ results: [{ title: 'Pears', url: 'https://p.test', content: 'seventeen' }] }),
      ),
    );
    await new Promise<void>((done) => search.listen(0, '127.0.0.1', done));
    const webSearch = { provider: 'searxng', baseUrl: `http://127.0.0.1:${portOf(search)}` };
    await bench.open({ tools: { webSearch, limits: { maxContentCharacters: 1_000 } } });
    expect(await bench.call('web_search', { search_term: 'pears' })).toMatchObject({
      ok: true,
      content: expect.stringContaining('seventeen'),
    });
    expect(bench.asked).toMatchObject([{ rule: 'protection:private-host' }]);
    bench.put('long.txt', 'word '.repeat(2_000));
    const long = await bench.call('read_file_v2', { path: 'long.txt' });
    expect(long.ok ? long.content.length : 0).toBeLessThan(1_500);
    search.close();
  });

  it('are missed in clear words', async () => {
    await bench.open();
    const missing: readonly (readonly [string, JsonObject, string])[] = [
      ['web_search', { search_term: 'x' }, 'tools.webSearch'],
      ['generate_image', { description: 'x' }, 'tools.images'],
      ['computer_use', { actions: [{ type: 'screenshot' }] }, 'tools.screen'],
      ['record_screen', { mode: 'start' }, 'section mcp'],
    ];
    for (const [name, args, words] of missing)
      expect(await bench.call(name, args)).toMatchObject({
        error: { message: expect.stringContaining(words) },
      });
  });

  it.each([
    ['tools', { webSerch: {} }, 'tools.webSerch is not a known key. Did you mean webSearch?'],
    ['mcp', { servers: { 'a:b': { command: 'x' } } }, 'a server name has no colon'],
    [
      'mcp',
      { servers: { a: { comand: 'x' } } },
      'mcp.servers.a.comand is not a known key. Did you mean command?',
    ],
    [
      'policy',
      { setting: 'yolo' },
      'policy.setting must be always-ask, auto-accept or run-everything, not "yolo"',
    ],
  ])('are refused when the section %s is %j', async (name, section, message) => {
    await expect(bench.open({ [name]: section })).rejects.toThrow(message);
    await expect(checkToolSections({ [name]: section })).rejects.toThrow(message);
  });
});

describe('the model', () => {
  it('is reminded of its to-dos by the calls that follow', async () => {
    await bench.open();
    bench.put('a.txt', 'a\n');
    await bench.call('todo_write', { todos: [{ id: '1', content: 'edit', status: 'in_progress' }] });
    const edit = await bench.call('edit_file_v2', { path: 'b.txt', contents: 'b\n' });
    expect(edit.attachments?.todo_reminder).toMatchObject({ type: 'AFTER_EDIT' });
    const read = () => bench.call('read_file_v2', { path: 'a.txt' });
    for (let index = 0; index < 8; index++)
      expect((await read()).attachments).not.toHaveProperty('todo_reminder');
    expect((await read()).attachments?.todo_reminder).toMatchObject({ type: 'EVERY_10_CALLS' });
  });

  it('follows a redirect to another host only where the policy allows that host', async () => {
    const target = createServer((_request, response) => response.end('the other host'));
    const first = createServer((_request, response) =>
      response.writeHead(302, { location: `http://localhost:${portOf(target)}/` }).end(),
    );
    for (const server of [first, target])
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${portOf(first)}/`;
    const tools = { web: { privateHosts: ['127.0.0.1', 'localhost'] } };
    await bench.open({ tools });
    expect(await bench.call('web_fetch', { url })).toMatchObject({
      error: { code: 'DENIED', message: expect.stringContaining('redirects to another host') },
    });
    await bench.open({
      tools,
      policy: { rules: [{ decision: 'allow', host: `localhost:${portOf(target)}` }] },
    });
    expect(await bench.call('web_fetch', { url })).toMatchObject({
      ok: true,
      content: expect.stringContaining('the other host'),
    });
    for (const server of [first, target]) server.close();
  });

  it('hands work to sub-agents where somebody runs them', async () => {
    await bench.open();
    const task = { description: 'Count', prompt: 'Count the pears.', subagent_type: 'explore' };
    expect(await bench.call('task', task)).toMatchObject({ ok: false });
    await bench.open({
      subAgents: { run: async ({ prompt }) => ({ isSuccess: true, text: `Did: ${prompt}` }) },
    });
    expect(await bench.call('task', task)).toMatchObject({
      ok: true,
      content: expect.stringContaining('Did: Count the pears.'),
    });
  });
});

function portOf(server: ReturnType<typeof createServer>): number {
  return (server.address() as AddressInfo).port; // a TCP listener has one
}
