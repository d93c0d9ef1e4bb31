// The operator's own sections bind and serve native clients: `policy` forbids what their users could otherwise allow, and
// `tools` does for them what they cannot.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/index.ts';
import type { DeclaredTool } from '../support/native-client/index.ts';
import { openStage, readTree, type Stage } from '../support/native-client/open-stage.ts';
import type { ScriptedCall } from '../support/native-client/scripted-model.ts';

let stage: Stage | undefined;
let server: Server | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
  server?.close();
  server = undefined;
});

const POLICY = {
  setting: 'run-everything',
  rules: [
    { id: 'secrets', decision: 'deny', path: 'secrets/**', reason: 'Secrets stay where they are.' },
    { id: 'frozen', decision: 'deny', path: 'vendor/**', access: ['write', 'delete'] },
    { id: 'push', decision: 'deny', command: 'git push', reason: 'Only people push.' },
    { id: 'host', decision: 'deny', host: '*.bad.example' },
    { id: 'ledger', decision: 'deny', mcp: 'ledger:erase' },
    { id: 'docs', decision: 'ask', path: 'docs/**' },
  ],
};
const withPolicy = (config: Config): Config => ({ ...config, policy: POLICY });

const FILES = { 'a.txt': 'one\n', 'secrets/key.txt': 'sesame\n', 'vendor/lib.txt': 'one\n' };

function declare(name: string, ran: string[]): DeclaredTool {
  return {
    server: 'ledger',
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    execute: () => {
      ran.push(name);
      return `did ${name}`;
    },
  };
}

async function play(rounds: readonly (readonly ScriptedCall[])[], carrier: 'http1' | 'http2' = 'http2') {
  const ran: string[] = [];
  stage = await openStage({ rounds, config: withPolicy });
  const { agent, workspace } = await stage.agent(carrier, {
    files: FILES,
    tools: [declare('erase', ran), declare('note', ran)],
  });
  const { record, end } = await agent.send('Do it.');
  expect(end, record.outline.join(' ')).toEqual({ kind: 'done' });
  expect(record.violations).toEqual([]);
  return { record, workspace, ran, results: stage.model?.results() ?? [], model: stage.model };
}

describe('what the operator forbids', () => {
  it.each(['http1', 'http2'] as const)('never reaches the client, over %s', async (carrier) => {
    const denied: readonly (readonly [ScriptedCall, string])[] = [
      [{ name: 'read_file', args: { path: 'secrets/key.txt' } }, 'secrets'],
      [{ name: 'Read', args: { path: 'x/../secrets/key.txt' } }, 'secrets'],
      [
        { name: 'search_replace', args: { path: 'vendor/lib.txt', old_string: 'one', new_string: 'two' } },
        'frozen',
      ],
      [{ name: 'delete_file', args: { path: 'vendor/lib.txt' } }, 'frozen'],
      [{ name: 'run_terminal_command', args: { command: 'true; git push' } }, 'push'],
      [{ name: 'run_terminal_command', args: { command: 'cat secrets/key.txt' } }, 'secrets'],
      [{ name: 'web_fetch', args: { url: 'https://www.bad.example/' } }, 'host'],
      [{ name: 'mcp_ledger_erase', args: {} }, 'ledger'],
      [{ name: 'call_mcp_tool', args: { server: 'ledger', toolName: 'erase', arguments: {} } }, 'ledger'],
    ];
    const { results, workspace, ran, record } = await play(
      denied.map(([call]) => [call]),
      carrier,
    );
    expect(results).toHaveLength(denied.length);
    for (const [index, [, rule]] of denied.entries()) {
      expect(results[index]).toContain('The operator of this gateway forbids this call');
      expect(results[index]).toContain(`(rule ${rule})`);
    }
    expect(results[0]).toContain('Secrets stay where they are');
    expect(results.join()).not.toContain('sesame');
    expect(workspace.executions).toEqual([]);
    expect(record.queries).toEqual([]);
    expect(ran).toEqual([]);
    expect(await readTree(workspace.folder)).toEqual(FILES);
    expect(record.completedCalls).toHaveLength(denied.length);
  });

  it('is all that binds: the rest is the client’s to ask its user', async () => {
    const { results, workspace, ran } = await play([
      [{ name: 'read_file', args: { path: 'vendor/lib.txt' } }],
      [{ name: 'write', args: { path: 'docs/new.txt', contents: 'new\n' } }],
      [{ name: 'search_replace', args: { path: 'a.txt', old_string: 'one', new_string: 'two' } }],
      [{ name: 'run_terminal_command', args: { command: 'cat vendor/lib.txt' } }],
      [{ name: 'mcp_ledger_note', args: {} }],
    ]);
    expect(results.join()).not.toContain('forbids');
    expect(await readTree(workspace.folder)).toEqual({ ...FILES, 'a.txt': 'two\n', 'docs/new.txt': 'new\n' });
    expect(ran).toEqual(['note']);
  });

  it('leaves every file of a patch alone when one of them is forbidden', async () => {
    const patch = [
      '*** Begin Patch',
      '*** Update File: a.txt',
      '-one',
      '+two',
      '*** Update File: vendor/lib.txt',
      '-one',
      '+two',
      '*** End Patch',
    ].join('\n');
    const { results, workspace } = await play([[{ name: 'apply_patch', args: { patch } }]]);
    expect(results[0]).toContain('(rule frozen)');
    expect(await readTree(workspace.folder)).toEqual(FILES);
  });

  it('binds sub-agents as it binds whoever starts them', async () => {
    // The model says the same in every conversation, so each agent starts the next until the bound is reached.
    const { workspace, model } = await play([
      [
        { name: 'read_file', args: { path: 'secrets/key.txt' } },
        { name: 'task', args: { description: 'Get it', prompt: 'Read secrets/key.txt and tell me.' } },
      ],
    ]);
    const told = (model?.conversations() ?? []).flatMap((messages) =>
      messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)),
    );
    const inner = (model?.conversations() ?? []).filter((messages) =>
      messages.some(({ role, content }) => role === 'user' && String(content).includes('tell me')),
    );
    expect(inner.length).toBeGreaterThan(0);
    expect(told.filter((text) => text.includes('(rule secrets)')).length).toBeGreaterThan(1);
    expect(told.join()).not.toContain('sesame');
    expect(workspace.executions).toEqual([]);
  });
});

describe('what the operator’s services do', () => {
  it('is offered to clients, and asked of their user first', async () => {
    server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          results: [{ title: 'Beans', url: 'https://beans.example/', content: 'All of them.' }],
        }),
      );
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server always has one
    stage = await openStage({
      rounds: [[{ name: 'web_search', args: { search_term: 'beans' } }]],
      config: (config) => ({
        ...config,
        tools: { webSearch: { provider: 'searxng', baseUrl: `http://127.0.0.1:${port}` } },
      }),
    });
    const { agent } = await stage.agent('http2');
    const { record, end } = await agent.send('Search.');
    expect(end).toEqual({ kind: 'done' });
    expect(record.queries.map(({ query }) => query.case)).toEqual(['webSearchRequestQuery']);
    expect(stage.model?.results()[0]).toContain('https://beans.example/');
    expect(stage.model?.toolNames()).toContain('web_search');
    expect(stage.model?.toolNames()).not.toContain('generate_image');
  });

  it('is not offered where none is configured', async () => {
    stage = await openStage({ rounds: [] });
    const { agent } = await stage.agent('http1');
    await agent.send('What is there?');
    expect(stage.model?.toolNames()).toContain('read_file');
    expect(stage.model?.toolNames()).not.toContain('web_search');
  });
});
