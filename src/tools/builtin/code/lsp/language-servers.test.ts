import { chmodSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../../search/fixtures/temp-workspace.ts';
import { findSearchRoot, type SearchRoot } from '../../search/search-root.ts';
import { LanguageServer } from './language-server.ts';
import { LanguageServers } from './language-servers.ts';
import { readDiagnostics, readLocations } from './protocol-types.ts';
import { findServer, type ServerSpec } from './server-spec.ts';

/** Answers initialize, then behaves as its first argument says. */
const FAKE_SERVER = `
const how = process.argv[2];
let buffer = Buffer.alloc(0);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body);
};
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const head = buffer.indexOf('\\r\\n\\r\\n');
    if (head === -1) return;
    const length = Number(/Content-Length: (\\d+)/.exec(buffer.subarray(0, head).toString())[1]);
    if (buffer.length < head + 4 + length) return;
    const message = JSON.parse(buffer.subarray(head + 4, head + 4 + length).toString());
    buffer = buffer.subarray(head + 4 + length);
    if (how === 'mute') continue;
    if (message.method === 'initialize') send({ id: message.id, result: { capabilities: {} } });
    else if (message.method === 'crash') process.exit(3);
    else if (message.method === 'pid') send({ id: message.id, result: process.pid });
    else if (message.method === 'shutdown' && how !== 'stubborn') send({ id: message.id, result: null });
  }
});
if (how === 'stubborn') { process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); }
`;

let space: TempWorkspace;
afterEach(async () => {
  vi.useRealTimers();
  await space.dispose();
});

async function prepare(how: string): Promise<{ spec: ServerSpec; root: SearchRoot }> {
  space = tempWorkspace({ 'server.cjs': FAKE_SERVER });
  chmodSync(path.join(space.root, 'server.cjs'), 0o755);
  const root = await findSearchRoot('.', space.context);
  if (!root.ok) throw new Error('no root');
  const args = [path.join(space.root, 'server.cjs'), how];
  return { spec: { id: 'fake', command: process.execPath, args, isOwn: true, fileGlob: '*.x' }, root };
}

const isAlive = (pid: number | undefined) => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a language server', () => {
  it.each(['polite', 'stubborn'])('that is %s answers requests and is gone after dispose', async (how) => {
    const { spec, root } = await prepare(how);
    const server = await LanguageServer.start({ spec, root: root.workspaceRoot, env: space.context.env });
    expect(await server.request('pid', {}, space.context.signal, 5_000)).toBe(server.pid);
    await server.dispose();
    expect(isAlive(server.pid)).toBe(false);
    expect(server.isClosed).toBe(true);
  });

  it('turns a crash, a silence and a missing program into errors', async () => {
    const { spec, root } = await prepare('polite');
    const server = await LanguageServer.start({ spec, root: root.workspaceRoot, env: space.context.env });
    await expect(server.request('silence', {}, space.context.signal, 20)).rejects.toThrow(
      /did not answer silence/,
    );
    await expect(server.request('crash', {}, space.context.signal, 5_000)).rejects.toThrow();
    await server.dispose();
    await expect(server.request('pid', {}, space.context.signal, 5_000)).rejects.toThrow(/has ended/);
    const absent = { ...spec, command: path.join(space.root, 'absent') };
    await expect(LanguageServer.start({ spec: absent, root: root.workspaceRoot, env: {} })).rejects.toThrow();
  });
});

describe('language servers', () => {
  it('share one process per workspace, start a new one after a crash, and end idle ones', async () => {
    const { spec, root } = await prepare('polite');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const servers = new LanguageServers(1_000);
    const first = await servers.get(spec, root, space.context);
    expect(await servers.get(spec, root, space.context)).toBe(first);
    await first.request('crash', {}, space.context.signal, 5_000).catch(() => undefined);
    await vi.waitUntil(() => first.isClosed);
    const second = await servers.get(spec, root, space.context);
    expect(second).not.toBe(first);
    vi.advanceTimersByTime(1_001);
    expect(servers.count).toBe(0);
    await servers.dispose();
    expect(isAlive(second.pid)).toBe(false);
  });

  it('prefer TypeScript of this package and run nothing else where commands may not run', async () => {
    space = tempWorkspace({ 'a.go': '' }, { mode: 'plan' });
    expect(await findServer('typescript', space.root, space.context)).toMatchObject({
      id: 'typescript',
      isOwn: true,
    });
    expect(await findServer('go', space.root, space.context)).toBeUndefined();
  });

  it('never take a server from inside the workspace', async () => {
    space = tempWorkspace({ 'bin/gopls': '#!/bin/sh\n' });
    chmodSync(path.join(space.root, 'bin/gopls'), 0o755);
    const context = { ...space.context, env: { PATH: `${space.root}/bin:bin:.` } };
    expect(await findServer('go', space.root, context)).toBeUndefined();
  });
});

describe('messages of a language server', () => {
  const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 3 } };

  it('come in several shapes', async () => {
    space = tempWorkspace({});
    expect(readLocations(null)).toEqual([]);
    expect(readLocations({ uri: 'file:///a%20b.ts', range })).toEqual([{ path: '/a b.ts', range }]);
    expect(
      readLocations([{ targetUri: 'file:///c.ts', targetSelectionRange: range, targetRange: range }]),
    ).toEqual([{ path: '/c.ts', range }]);
    expect(readLocations([{ uri: 'bundled:///lib.d.ts', range }, 3])).toEqual([]);
  });

  it('are dropped one by one when they do not fit', async () => {
    space = tempWorkspace({});
    expect(readDiagnostics([{ range, message: 'm' }, { message: 'no range' }])).toEqual([
      { range, message: 'm', severity: 1 },
    ]);
    expect(readDiagnostics('nonsense')).toEqual([]);
  });
});
