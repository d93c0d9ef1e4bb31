import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { BASE_ENV, isRunning } from './fixtures/hub-bench.ts';
import { StdioTransport } from './stdio-transport.ts';

function start(command: string, args: readonly string[]): StdioTransport {
  return new StdioTransport({
    command,
    args,
    env: { ...BASE_ENV, PATH: '/usr/bin:/bin' },
    cwd: '/',
    graceMs: 100,
  });
}

it('ends a server that ignores every request to end, and its children with it', async () => {
  const script = path.join(import.meta.dirname, 'fixtures/serve-stdio.mjs');
  const transport = start(process.execPath, [script, 'stubborn']);
  await transport.start();
  const child = await vi.waitFor(() => {
    const [, pid] = /child (\d+)/.exec(transport.report.stderr) ?? [];
    expect(pid).toBeDefined();
    return Number(pid);
  });
  const { pid = 0 } = transport;
  expect([isRunning(pid), isRunning(child)]).toEqual([true, true]);
  await transport.close();
  await vi.waitFor(() => expect([isRunning(pid), isRunning(child)]).toEqual([false, false]));
});

it('ends what a server leaves behind when it goes by itself', async () => {
  const transport = start('sh', ['-c', 'sleep 1000 & echo "child $!" >&2']);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await closed;
  const child = Number(/child (\d+)/.exec(transport.report.stderr)?.[1]);
  expect(child).toBeGreaterThan(0);
  await vi.waitFor(() => expect(isRunning(child)).toBe(false));
  expect(transport.report.exit).toBe('exit code 0');
});

it('keeps only the last of an endless stderr', async () => {
  const transport = start('sh', ['-c', 'head -c 300000 /dev/zero | tr "\\0" x >&2; echo done >&2; cat']);
  await transport.start();
  await vi.waitFor(() => expect(transport.report.stderr.endsWith('done')).toBe(true));
  expect(transport.report.stderr.length).toBeLessThanOrEqual(4_000);
  await transport.close();
});

it('refuses to write to a server that has ended', async () => {
  const transport = start('true', []);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start();
  await closed;
  await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' })).rejects.toThrow('has ended');
});
