import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { awaitJob } from './await.ts';
import { processesWith, ShellBench } from './fixtures/shell-bench.ts';
import { runTerminalCommand } from './run-terminal-command.ts';

const isLinux = process.platform === 'linux';

describe('commands in the background', () => {
  let bench: ShellBench;
  beforeEach(() => {
    bench = new ShellBench({ killGraceMs: 300 });
  });
  afterEach(() => bench.dispose());

  const start = (command: string, more: object = {}) =>
    bench.succeed(runTerminalCommand, { command, is_background: true, ...more });
  const look = (args: object) => bench.succeed(awaitJob, args);

  it('return at once with an id and a file, and go on', async () => {
    const { content, attachments, data } = await start('echo ready; sleep 71.5');
    expect(content).toMatch(/running in the background with id 1, pid \d+/);
    expect(attachments).toMatchObject({ shell_id: 1 });
    expect(attachments).not.toHaveProperty('exit_code');
    expect(data).toMatchObject({ is_running_in_background: true, background_shell_id: 1 });
    await look({ task_id: '1', pattern: 'ready' });
    expect(readFileSync(String(attachments?.output_location), 'utf8')).toBe('ready\n');
    expect(bench.jobs.list()).toMatchObject([{ id: 1, isInBackground: true, outputBytes: 6 }]);
  });

  it('take over when the foreground time is up', async () => {
    const args = { command: 'echo one; sleep 72.5', timeout_ms: 800 };
    const { content, data } = await bench.succeed(runTerminalCommand, args);
    expect(content).toMatch(/^one\n\[not done after [\d.]+ s; it goes on in the background with id 1/);
    expect(data).toMatchObject({ popped_out_into_background: true });
    expect((await look({ task_id: '1', block_until_ms: 0 })).content).toMatch(
      /^\(no new output\)\n\[still running/,
    );
  });

  it('do not move the folder of later commands', async () => {
    await start('cd /; sleep 0.01');
    await look({ task_id: '1' });
    expect((await bench.succeed(runTerminalCommand, { command: 'pwd' })).content).toBe(bench.root);
  });

  it('give new output once, until the end with its exit code', async () => {
    const command = 'echo first; read line; echo "second $line"; exit 4';
    const started = await start(command, { stdin: 'pipe' });
    const matched = await look({ task_id: '1', pattern: 'first' });
    expect(matched.content).toContain('[matched: first]');
    // It may have been fast enough to be in the first answer.
    expect(`${started.content}\n${matched.content}`.match(/^first$/gm)).toHaveLength(1);
    await bench.jobs.find(1).write('word\n');
    const ended = await look({ task_id: 1 });
    expect(ended.content).toMatch(/^second word\n\[ended after .* s with exit code 4\]/);
    expect(ended.attachments?.exit_code).toBe(4);
    expect(ended.data).toMatchObject({ complete: { exit_code: 4, output_length: 18 } });
    expect((await look({ task_id: 'shell_1' })).content).toMatch(/^\(no new output\)/);
  });

  it('are awaited no longer than asked, and a cancelled wait leaves them running', async () => {
    await start('sleep 73.5');
    expect((await look({ task_id: '1', block_until_ms: 30 })).data).toHaveProperty('still_running');
    const context = bench.context({ signal: AbortSignal.abort() });
    expect((await bench.fail(awaitJob, { task_id: '1' }, context)).error.code).toBe('ECANCELED');
    expect(bench.jobs.list()[0]?.end).toBeUndefined();
  });

  it('can be stopped, with everything they started', async () => {
    await start('trap "" TERM; sleep 74.25 & echo deaf; sleep 74.25; wait');
    await look({ task_id: '1', pattern: 'deaf' });
    const { content } = await look({ task_id: '1', stop: true });
    expect(content).toMatch(/\[stopped after .* s; exit code 137\]/);
    if (isLinux) expect(await processesWith('74.25')).toEqual([]);
  });

  it('end at their hard time limit', async () => {
    await start('echo up; sleep 75.5', { hard_timeout_ms: 150 });
    expect((await look({ task_id: '1' })).content).toMatch(/time limit; exit code 124/);
  });

  it('are no more than the limit at once', async () => {
    await bench.dispose();
    bench = new ShellBench({ maxLiveJobs: 2 });
    await start('sleep 76.5');
    await start('sleep 76.5');
    const third = await bench.fail(runTerminalCommand, { command: 'echo third' });
    expect(third.error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(third.error.message).toMatch(/2 commands are running already.*\(1, 2\)/);
    await look({ task_id: '2', stop: true });
    expect((await bench.succeed(runTerminalCommand, { command: 'echo third' })).content).toBe('third');
  });

  it('are forgotten when they ended long ago', async () => {
    await bench.dispose();
    bench = new ShellBench({ maxEndedJobs: 1 });
    for (const name of ['a', 'b', 'c']) {
      await start(`echo ${name}`);
      await look({ task_id: String(bench.jobs.list().at(-1)?.id) });
    }
    expect(bench.jobs.list().map((job) => job.id)).toEqual([3]);
    const { error } = await bench.fail(awaitJob, { task_id: '1' });
    expect(error.message).toBe('There is no command with id 1. Known ones: 3.');
  });

  it('that a command left behind are told of, and can be ended', async () => {
    const { content, attachments } = await bench.succeed(runTerminalCommand, {
      command: 'sleep 77.25 & echo started',
    });
    expect(content).toMatch(/^started\n\[1 of its processes still run; end them with await/);
    expect(attachments).toMatchObject({ exit_code: 0, shell_id: 1 });
    await look({ task_id: '1', stop: true });
    if (isLinux) expect(await processesWith('77.25')).toEqual([]);
  });

  it.runIf(isLinux)('leave no process behind when the runtime closes', async () => {
    // In the group, in a session of its own, without our mark, as a daemon, stopped, and deaf to SIGTERM.
    await start('sleep 78.25 & setsid sleep 78.25 & env -i /bin/sleep 78.25 & wait');
    await bench.succeed(runTerminalCommand, {
      command: '(setsid sleep 78.25 >/dev/null 2>&1 &) ; env -i /bin/sleep 78.25 >/dev/null 2>&1 &',
    });
    await start(
      'sleep 78.25 & kill -STOP $!; trap "" TERM HUP INT; echo deaf; while true; do sleep 78.25; done',
    );
    await look({ task_id: '3', pattern: 'deaf' });
    // Six sleep; the stopped one may not have come so far.
    await vi.waitFor(async () => {
      expect((await processesWith('sleep\u000078.25')).length).toBeGreaterThanOrEqual(6);
    }, 5_000);
    await bench.resources.dispose();
    expect(await processesWith('78.25')).toEqual([]);
  });

  it('do not start any more once the runtime is closed', async () => {
    const { jobs } = bench;
    await jobs.dispose();
    const { error } = await bench.fail(runTerminalCommand, { command: 'touch made' });
    expect(error.code).toBe('UNAVAILABLE');
    expect(existsSync(path.join(bench.root, 'made'))).toBe(false);
  });
});

describe('await', () => {
  let bench: ShellBench;
  beforeEach(() => {
    bench = new ShellBench();
  });
  afterEach(() => bench.dispose());

  it('is a plain wait without a task, and ends when it is cancelled', async () => {
    const { content } = await bench.succeed(awaitJob, { block_until_ms: 20 });
    expect(content).toMatch(/^Waited 0(?:\.\d)? s\.$/);
    const context = bench.context({ signal: AbortSignal.abort() });
    expect((await bench.fail(awaitJob, {}, context)).error.code).toBe('ECANCELED');
  });

  it.each([{ block_until_ms: 0 }, { pattern: 'x' }, { stop: true }])('needs a task for %j', async (args) => {
    expect((await bench.fail(awaitJob, args)).error).toMatchObject({ code: 'EINVAL' });
  });

  it.each(['7', 'nonsense'])('says that there is no command %s', async (id) => {
    const { error } = await bench.fail(awaitJob, { task_id: id });
    expect(error.code).toBe('ENOENT');
    expect(error.message).toContain(id);
  });

  it('refuses a pattern that is none, and one that would never come to an end', async () => {
    const command = `printf '%0.sa' {1..60}; echo b; sleep 79.5`;
    await bench.succeed(runTerminalCommand, { command, is_background: true });
    await bench.succeed(awaitJob, { task_id: '1', pattern: 'b$' });
    const broken = await bench.fail(awaitJob, { task_id: '1', pattern: '(' });
    expect(broken.error).toMatchObject({ code: 'EINVAL' });
    const endless = await bench.fail(awaitJob, { task_id: '1', pattern: '^(a+)+$' });
    expect(endless.error.message).toMatch(/takes too long/);
  });

  it('finds a pattern in what was printed before', async () => {
    await bench.succeed(runTerminalCommand, { command: 'echo listening on 80', is_background: true });
    await bench.succeed(awaitJob, { task_id: '1' });
    const { data } = await bench.succeed(awaitJob, { task_id: '1', pattern: String.raw`on \d+$` });
    expect(data).toMatchObject({ complete: { regex_match: 'on 80' } });
  });

  it('touches nothing', async () => {
    expect(await bench.touches(awaitJob, { task_id: '1', stop: true })).toEqual([]);
  });
});
