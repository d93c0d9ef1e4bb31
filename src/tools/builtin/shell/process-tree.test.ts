import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listProcesses, readProcessVariable } from './process-table.ts';
import { findTree, JOB_VARIABLE, stopTree } from './process-tree.ts';

const mark = randomUUID();

async function start(command: string) {
  const env = { PATH: '/usr/bin:/bin', [JOB_VARIABLE]: mark };
  const child = spawn('bash', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, exited };
}

afterEach(async () => {
  expect(await stopTree(() => ({ ownsMark: (found) => found === mark }), 0)).toBe(true);
});

describe.runIf(process.platform === 'linux')('process trees', () => {
  it('know their own process among all others', async () => {
    const own = (await listProcesses()).find(({ pid }) => pid === process.pid);
    expect(own).toMatchObject({ parentPid: process.ppid });
    expect(own?.startTime).toMatch(/^\d+$/);
    expect(await readProcessVariable(process.pid, 'PATH')).toBe(process.env.PATH);
    expect(await readProcessVariable(process.pid, 'NO_SUCH_VARIABLE')).toBeUndefined();
  });

  it('hold the group, its descendants in other sessions, and whoever carries the mark', async () => {
    const { pid } = await start('sleep 95.5 & setsid sleep 95.5 & echo ready; wait');
    const byPid = await vi.waitFor(async () => {
      const tree = await findTree({ pid, ownsMark: () => false });
      expect(tree.map(({ name }) => name).sort()).toEqual(['bash', 'sleep', 'sleep']);
      return tree;
    }, 5_000);
    const byMark = await findTree({ ownsMark: (found) => found === mark });
    expect(byMark.map((entry) => entry.pid).sort()).toEqual(byPid.map((entry) => entry.pid).sort());
    expect(await findTree({ ownsMark: () => false })).toEqual([]);
  });

  it('never take a stranger for a process they knew, although it has the same number', async () => {
    const { pid } = await start('echo ready; sleep 96.5');
    const [known] = await findTree({ pid, ownsMark: () => false });
    if (known === undefined) throw new Error('The process was not found.');
    expect(await findTree({ known: [known], ownsMark: () => false })).not.toEqual([]);
    const stranger = { ...known, startTime: '1' };
    expect(await findTree({ known: [stranger], ownsMark: () => false })).toEqual([]);
  });

  it('end gently when they can, and by force when they do not listen', async () => {
    const gentle = await start('trap "exit 7" TERM; echo ready; while true; do sleep 0.02; done');
    const deaf = await start('trap "" TERM; echo ready; while true; do sleep 0.02; done');
    const root = (pid: number) => () => ({ pid, ownsMark: () => false });
    expect(await stopTree(root(gentle.pid), 5_000)).toBe(true);
    expect(await gentle.exited).toEqual([7, null]);
    expect(await stopTree(root(deaf.pid), 100)).toBe(true);
    expect(await deaf.exited).toEqual([null, 'SIGKILL']);
  });
});
