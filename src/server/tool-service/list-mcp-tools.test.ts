import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openHub, programServer } from '../../mcp/fixtures/hub-bench.ts';
import type { McpHub } from '../../mcp/index.ts';
import { NO_MCP } from '../../tools/mcp-port.ts';
import { listMcpTools } from './list-mcp-tools.ts';

let hub: McpHub | undefined;
beforeEach(() => {
  hub = undefined;
});
afterEach(async () => {
  vi.useRealTimers();
  await hub?.close();
});

it('lists what servers offer and names those that cannot be asked', async () => {
  hub = await openHub([programServer('good'), programServer('bad', { command: 'no-such-program' })]);
  const { tools, problems } = await listMcpTools(hub, 30_000);
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(['good']));
  expect(problems).toEqual([expect.stringContaining('bad')]);
});

it('does not wait for a server that is slow to start', async () => {
  vi.useFakeTimers();
  const slow = {
    ...NO_MCP,
    tools: (signal: AbortSignal) =>
      new Promise<Awaited<ReturnType<typeof NO_MCP.tools>>>((resolve) =>
        signal.addEventListener('abort', () =>
          resolve({
            tools: [],
            withheld: [],
            problems: [{ server: 'slow', message: signal.reason.message }],
          }),
        ),
      ),
  };
  const listing = listMcpTools(slow, 8_000);
  await vi.advanceTimersByTimeAsync(8_000);
  expect((await listing).problems).toEqual(['slow: no answer within 8000 ms; try again in a moment.']);
});
