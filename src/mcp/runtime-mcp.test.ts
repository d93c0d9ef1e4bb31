import { afterEach, expect, it, vi } from 'vitest';
import { countingIds } from '../core/index.ts';
import { Resources } from '../tools/resources.ts';
import type { McpPort, McpTarget } from '../tools/runtime/mcp-port.ts';
import type { ToolContext } from '../tools/tool-context.ts';
import { Workspace } from '../tools/workspace.ts';
import { openHub, programServer } from './fixtures/hub-bench.ts';
import type { McpHub } from './mcp-hub.ts';
import { runtimeMcp } from './runtime-mcp.ts';

const { signal } = new AbortController();
let hub: McpHub | undefined;

afterEach(() => hub?.close());

const context: ToolContext = {
  callId: 'call-1',
  workspace: new Workspace(import.meta.dirname),
  mode: 'agent',
  signal,
  resources: new Resources(),
  nowMs: () => 0,
  newId: countingIds(),
  stateFolder: import.meta.dirname,
  env: {},
  progress: () => undefined,
};

async function find(mcp: McpPort, name: string): Promise<McpTarget> {
  const target = await mcp.resolve(name, signal);
  if ('ok' in target) throw new Error(target.error.message);
  return target;
}

it('finds, declares and calls tools, connecting where needed', async () => {
  hub = await openHub([programServer('test')]);
  const mcp = runtimeMcp(hub);
  expect(mcp.list()).toEqual([]);
  expect(await mcp.resolve('mcp_test_nothing', signal)).toMatchObject({ error: { code: 'UNKNOWN_TOOL' } });
  const target = await find(mcp, 'mcp_test_echo');
  expect(target).toMatchObject({ server: 'test', tool: 'echo' });
  expect(mcp.list()).toMatchObject([{ server: 'test' }]);
  expect(mcp.list()[0]?.tools).toContainEqual(
    expect.objectContaining({ name: 'echo', description: 'Repeats a text.', isReadOnly: false }),
  );
  expect(mcp.facts({ server: 'test', tool: 'resources/read' })).toMatchObject({ isReadOnly: true });
  expect(await mcp.call(target, { text: 'hi' }, context)).toMatchObject({ ok: true, content: 'hi' });
});

it('lets an approved call agree to a changed tool, but only to the state that was judged', async () => {
  hub = await openHub([programServer('test')]);
  const mcp = runtimeMcp(hub);
  await hub.tools(signal);
  const before = await find(mcp, 'echo');
  await hub.call({ server: 'test', tool: 'morph', args: {}, signal });
  await vi.waitFor(async () => expect((await hub?.tools(signal))?.withheld).toHaveLength(1));
  expect(mcp.list()[0]?.tools.map(({ name }) => name)).not.toContain('echo');

  // Judged before it changed: the approval was about another tool.
  expect(await mcp.call(before, { text: 'hi' }, context)).toMatchObject({ error: { code: 'DENIED' } });
  const after = await find(mcp, 'echo');
  expect(mcp.change?.(after)).toContain('id_rsa');
  // The policy has not looked at it, so nobody can have been asked.
  expect(await mcp.call(after, { text: 'hi' }, context)).toMatchObject({ error: { code: 'DENIED' } });
  expect(mcp.facts(after)).toMatchObject({ isChanged: true });
  expect(await mcp.call(after, { text: 'hi' }, context)).toMatchObject({ ok: true, content: 'hi' });
  expect(mcp.facts(after)).toMatchObject({ isChanged: false });
});

it('tells which tools nobody has agreed to yet, where that is wanted', async () => {
  hub = await openHub([programServer('test')]);
  const mcp = runtimeMcp(hub, { asksForNew: true });
  const target = await find(mcp, 'mcp_test_echo');
  expect(mcp.facts(target)).toMatchObject({ isNew: true });
  await mcp.call(target, { text: 'hi' }, context);
  await hub.tools(signal);
  expect(mcp.facts(target)).toMatchObject({ isNew: false });
});
