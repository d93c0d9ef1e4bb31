// The reference MCP servers as their authors publish them, unmodified, through the MCP client: over stdio, streamable
// HTTP and the old SSE transport. They are installed once, like the clients of this suite.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type McpHub, type McpHubOptions, mcpSchema, memoryStore, openMcpHub } from '../../src/mcp/index.ts';
import type { ToolOutcome } from '../../src/tools/tool-outcome.ts';
import { cacheFolder } from './support/install-packages.ts';
import { runProcess, signalGroup } from './support/run-process.ts';

const VERSION = '2026.8.31';
const SERVERS = ['everything', 'filesystem', 'memory'] as const;
type Server = (typeof SERVERS)[number];

const cache = join(cacheFolder(), `mcp-reference-${VERSION}`);
const { signal } = new AbortController();
let problem: string | undefined;
let folder = '';
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  problem = await install();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'crosspoint-mcp-')));
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function install(): Promise<string | undefined> {
  const stamp = join(cache, 'installed');
  if (existsSync(stamp)) return undefined;
  await rm(cache, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, 'package.json'), '{ "private": true }\n');
  const packages = SERVERS.map((name) => `@modelcontextprotocol/server-${name}@${VERSION}`);
  const flags = ['--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const run = await runProcess(['npm', 'install', ...flags, ...packages], {
    cwd: cache,
    env: process.env,
    timeoutMs: 5 * 60_000,
  });
  if (run.code !== 0) return `npm install failed: ${run.stderr.slice(0, 300)}`;
  await writeFile(stamp, `${packages.join('\n')}\n`);
  return undefined;
}

const programOf = (name: Server) => join(cache, 'node_modules/.bin', `mcp-server-${name}`);

async function connect(config: object, options: Partial<McpHubOptions> = {}): Promise<McpHub> {
  const { servers } = mcpSchema.parse({ servers: { ref: config } });
  const hub = await openMcpHub({
    definitions: Object.entries(servers).map(([name, server]) => ({
      name,
      config: server,
      origin: 'config',
      isFromWorkspace: false,
    })),
    pins: memoryStore(),
    tokens: memoryStore(),
    baseEnv: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder },
    cwd: folder,
    graceMs: 500,
    ...options,
  });
  endings.push(() => hub.close());
  return hub;
}

async function call(hub: McpHub, tool: string, args = {}): Promise<ToolOutcome> {
  return hub.call({ server: 'ref', tool, args, signal });
}

async function ask(hub: McpHub, tool: string, args = {}): Promise<string> {
  const outcome = await call(hub, tool, args);
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return outcome.content;
}

/** The server `everything` on a free port. */
async function serveEverything(transport: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const child = spawn(programOf('everything'), [transport], {
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  endings.push(async () => {
    signalGroup(child.pid, 'SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
      if (/port \d+/i.test(stderr)) resolve();
    });
    child.on('exit', () => reject(new Error(`the server ended:\n${stderr}`)));
  });
  return `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

describe.each(['stdio', 'streamableHttp', 'sse'] as const)('server-everything over %s', (transport) => {
  it('gives tools, structured content, pictures, progress, resources and prompts', async ({ skip }) => {
    if (problem !== undefined) return skip(problem);
    const hub = await connect(
      transport === 'stdio'
        ? { command: programOf('everything'), args: ['stdio'] }
        : { url: await serveEverything(transport) },
    );
    const { tools, problems } = await hub.tools(signal);
    expect(problems).toEqual([]);
    expect(tools.length).toBeGreaterThan(8);

    expect(await ask(hub, 'mcp__ref__echo', { message: 'hello' })).toContain('hello');
    expect(await ask(hub, 'get-sum', { a: 2, b: 40 })).toContain('42');
    expect(await call(hub, 'get-sum', { a: 'two', b: 1 })).toMatchObject({ error: { code: 'EINVAL' } });
    expect(await call(hub, 'get-tiny-image')).toMatchObject({ parts: [{ type: 'image' }] });
    expect(await call(hub, 'get-structured-content', { location: 'Chicago' })).toMatchObject({
      data: { structured_content: { temperature: expect.any(Number) } },
    });

    const seen: (number | undefined)[] = [];
    const outcome = await hub.call({
      server: 'ref',
      tool: 'trigger-long-running-operation',
      args: { duration: 1, steps: 4 },
      signal,
      progress: ({ fraction }) => seen.push(fraction),
    });
    expect(outcome).toMatchObject({ ok: true });
    // A last report that comes together with the result may be passed over.
    expect(seen).toEqual(expect.arrayContaining([0.25, 0.5, 0.75]));

    const { resources } = await hub.resources(signal);
    const document = resources.find(({ isTemplate }) => !isTemplate);
    expect(await hub.readResource('ref', document?.uri ?? '', signal)).toMatchObject({ ok: true });
    const { prompts } = await hub.prompts(signal);
    expect(prompts.length).toBeGreaterThan(0);
  });
});

describe('server-filesystem', () => {
  it('works in the folder it is given as a root, and stays in it', async ({ skip }) => {
    if (problem !== undefined) return skip(problem);
    const hub = await connect({ command: programOf('filesystem'), args: [folder] }, { roots: [folder] });
    const file = join(folder, 'note.txt');
    await ask(hub, 'write_file', { path: file, content: 'from the server' });
    expect(await readFile(file, 'utf8')).toBe('from the server');
    expect(await ask(hub, 'read_text_file', { path: file })).toContain('from the server');
    expect(await call(hub, 'read_text_file', { path: '/etc/hostname' })).toMatchObject({
      error: { code: 'FAILED' },
    });
  });
});

describe('server-memory', () => {
  it('remembers from one connection to the next', async ({ skip }) => {
    if (problem !== undefined) return skip(problem);
    const config = { command: programOf('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
    await ask(await connect(config), 'create_entities', { entities });
    expect(await ask(await connect(config), 'search_nodes', { query: 'engines' })).toContain('Ada');
  });
});
