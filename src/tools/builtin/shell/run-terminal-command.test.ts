import { existsSync, readFileSync, realpathSync, statSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sandboxSettings } from '../../sandbox/index.ts';
import { ShellBench } from './fixtures/shell-bench.ts';
import { runTerminalCommand } from './run-terminal-command.ts';

describe('run_terminal_command', () => {
  let bench: ShellBench;
  beforeEach(() => {
    bench = new ShellBench();
  });
  afterEach(() => bench.dispose());

  const run = (args: object) => bench.succeed(runTerminalCommand, args);

  it('answers with the output, the exit code, the pid and the time it took', async () => {
    const { content, attachments, data } = await run({ command: 'echo hello; echo problem >&2' });
    expect(content.split('\n').sort()).toEqual(['hello', 'problem']);
    expect(attachments).toMatchObject({ exit_code: 0, cwd: bench.root, size_bytes: 14 });
    expect(attachments?.pid).toBeGreaterThan(1);
    expect(attachments?.duration_ms).toBeGreaterThan(0);
    expect(data).toMatchObject({ stdout: 'hello\n', stderr: 'problem\n', is_running_in_background: false });
    expect(attachments).not.toHaveProperty('output_location');
  });

  it('says so when there is no output', async () => {
    expect((await run({ command: 'true' })).content).toBe('(no output)');
  });

  it('reports a failing command as a result with its exit code', async () => {
    const { content, attachments } = await run({ command: 'echo before; exit 3' });
    expect(content).toBe('before\n[exit code 3]');
    expect(attachments?.exit_code).toBe(3);
  });

  it('gives 128 + n for a command that a signal has ended', async () => {
    const { content, attachments } = await run({ command: 'kill -SEGV $$' });
    expect(attachments?.exit_code).toBe(139);
    expect(content).toContain('SIGSEGV');
  });

  it('keeps line numbers of the shell’s own messages', async () => {
    const { content } = await run({ command: 'true\nno-such-program-at-all' });
    expect(content).toMatch(/line 2: no-such-program-at-all/);
    expect(content).toContain('[exit code 127]');
    expect((await run({ command: 'echo "unfinished' })).attachments?.exit_code).toBe(2);
  });

  it('keeps what is written one after the other in order', async () => {
    // Each step is written after the one before has been seen.
    const command = 'for i in 1 2 3 4; do echo out$i; read -r; echo err$i >&2; read -r; done';
    const context = bench.context({
      progress: ({ output }) =>
        void (
          output &&
          bench.jobs
            .find(1)
            .write('\n')
            .catch(() => undefined)
        ),
    });
    const { content } = await bench.succeed(runTerminalCommand, { command, stdin: 'pipe' }, context);
    expect(content).toBe([1, 2, 3, 4].flatMap((i) => [`out${i}`, `err${i}`]).join('\n'));
  });

  it('streams output as progress while it runs', async () => {
    await run({ command: 'echo one; echo two >&2' });
    const shown = bench.progress.flatMap(({ output }) => (output ? [output] : []));
    expect(
      shown
        .filter(({ stream }) => stream === 'stdout')
        .map(({ text }) => text)
        .join(''),
    ).toBe('one\n');
    expect(
      shown
        .filter(({ stream }) => stream === 'stderr')
        .map(({ text }) => text)
        .join(''),
    ).toBe('two\n');
  });

  it('remembers where a cd led but not a working_directory, and starts over with new_session', async () => {
    bench.put('sub/file', '');
    const moved = await run({ command: 'cd sub; false' });
    expect(moved.content).toBe('[exit code 1]\n[now in sub]');
    expect(moved.data?.resulting_working_directory).toBe(path.join(bench.root, 'sub'));
    expect((await run({ command: 'pwd' })).content).toBe(path.join(bench.root, 'sub'));
    expect((await run({ command: 'pwd', working_directory: '.' })).content).toBe(bench.root);
    expect((await run({ command: 'pwd' })).content).toBe(path.join(bench.root, 'sub'));
    expect((await run({ command: 'pwd', new_session: true })).content).toBe(bench.root);
    expect((await run({ command: 'pwd', working_directory: 'sub' })).content).toBe(
      path.join(bench.root, 'sub'),
    );
  });

  it('does not mix up its own descriptor with one the command opens', async () => {
    await run({ command: 'exec 3>mine; echo text >&3; cd /' });
    expect(readFileSync(path.join(bench.root, 'mine'), 'utf8')).toBe('text\n');
    expect(bench.jobs.folderOf(bench.root)).toBe('/');
  });

  it('goes back to the workspace root when the last folder is gone', async () => {
    await run({ command: 'mkdir gone; cd gone; rmdir ../gone' });
    expect((await run({ command: 'pwd' })).content).toBe(bench.root);
  });

  it('gives the command the scrubbed environment and the added variables, without a terminal or pager', async () => {
    const context = bench.context({ env: { PATH: '/usr/bin:/bin', KEPT: 'yes', PAGER: 'less' } });
    const args = { command: 'env', env: { ADDED: 'a b' } };
    const { content } = await bench.succeed(runTerminalCommand, args, context);
    expect(content.split('\n')).toEqual(
      expect.arrayContaining(['KEPT=yes', 'ADDED=a b', 'PAGER=cat', 'TERM=dumb']),
    );
    expect(content).not.toMatch(/^(?:HOME|USER|VITEST\w*)=/m);
  });

  it('has nothing on its standard input unless asked', async () => {
    expect((await run({ command: 'cat; readlink /proc/self/fd/0' })).content).toBe('/dev/null');
  });

  it('shows output as a screen would', async () => {
    const { content } = await run({
      command: String.raw`printf '\033[31mred\033[0m\n10%%\r50%%\r100%%\nend\r\n'`,
    });
    expect(content).toBe('red\n100%\nend');
  });

  it('stops at the time limit with exit code 124 and keeps what was printed', async () => {
    const outcome = await bench.fail(runTerminalCommand, {
      command: 'echo started; sleep 61.5',
      timeout_ms: 800,
      timeout_behavior: 'cancel',
    });
    expect(outcome.error.code).toBe('ETIMEDOUT');
    expect(outcome.error.message).toMatch(/^started\n\[stopped after .* s: time limit; exit code 124\]$/);
    expect(outcome.attachments?.exit_code).toBe(124);
    expect(outcome.data).toMatchObject({ timed_out: true });
  });

  it('stops when the call is cancelled', async () => {
    const abort = new AbortController();
    const context = bench.context({
      signal: abort.signal,
      progress: () => abort.abort(),
    });
    const outcome = await bench.fail(runTerminalCommand, { command: 'echo go; sleep 62.5' }, context);
    expect(outcome.error.code).toBe('ECANCELED');
    expect(bench.jobs.list()).toEqual([]);
  });

  it('does not start when it is cancelled already', async () => {
    const context = bench.context({ signal: AbortSignal.abort() });
    expect((await bench.fail(runTerminalCommand, { command: 'touch made' }, context)).error.code).toBe(
      'ECANCELED',
    );
    expect(existsSync(path.join(bench.root, 'made'))).toBe(false);
  });

  it('trims a long output and puts all of it into a file that only its owner reads', async () => {
    const { content, attachments, data } = await run({ command: 'seq 1 200000' });
    expect(content.length).toBeLessThan(41_000);
    expect(content).toMatch(/^1\n2\n/);
    expect(content).toMatch(/199999\n200000$/);
    const file = String(attachments?.output_location);
    expect(content).toContain(`the whole output is in ${file}`);
    const whole = readFileSync(file, 'utf8');
    expect(whole.split('\n')).toHaveLength(200_001);
    expect(whole.endsWith('199999\n200000\n')).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(data?.output_location).toEqual({ file_path: file, size_bytes: whole.length, line_count: 200_000 });
  });

  it('keeps an endless printer bounded in memory, on disk and in time', async () => {
    await bench.dispose();
    bench = new ShellBench({ maxOutputBytes: 64 * 2 ** 20, maxFileBytes: 2 ** 20 });
    const before = process.memoryUsage().rss;
    const outcome = await bench.fail(runTerminalCommand, { command: 'yes' });
    expect(outcome.error.code).toBe('EFBIG');
    expect(outcome.error.message).toMatch(/^y\n/);
    expect(outcome.error.message.length).toBeLessThan(41_000);
    expect(statSync(String(outcome.attachments?.output_location)).size).toBe(2 ** 20);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 2 ** 20);
  });

  it('names the command, its folder and the added variables before it runs', async () => {
    bench.put('sub/file', '');
    const args = { command: 'make all', cwd: 'sub', env: { LD_PRELOAD: "it's.so" } };
    expect(await bench.touches(runTerminalCommand, args)).toEqual([
      { type: 'command', command: `LD_PRELOAD='it'\\''s.so'\nmake all`, cwd: path.join(bench.root, 'sub') },
    ]);
  });

  it('refuses a folder that was swapped after it was named', async () => {
    bench.put('sub/file', '');
    const context = bench.context();
    const args = runTerminalCommand.args.parse({ command: 'pwd', cwd: 'link' });
    symlinkSync(path.join(bench.root, 'sub'), path.join(bench.root, 'link'));
    await runTerminalCommand.touches(args, context);
    unlinkSync(path.join(bench.root, 'link'));
    symlinkSync(bench.outside, path.join(bench.root, 'link'));
    expect(await runTerminalCommand.run(args, context)).toMatchObject({
      ok: false,
      error: { code: 'DENIED' },
    });
  });

  it('runs outside the workspace only where its touches said so', async () => {
    const args = runTerminalCommand.args.parse({ command: 'pwd', cwd: bench.outside });
    expect(await runTerminalCommand.run(args, bench.context())).toMatchObject({
      ok: false,
      error: { code: 'DENIED' },
    });
    expect((await run({ command: 'pwd', cwd: bench.outside })).content).toBe(realpathSync(bench.outside));
  });

  it.each([
    ['nowhere', 'ENOENT'],
    ['file', 'ENOTDIR'],
  ])('says what is wrong with the folder %s', async (cwd, code) => {
    bench.put('file', '');
    const { error } = await bench.fail(runTerminalCommand, { command: 'pwd', cwd });
    expect(error.code).toBe(code);
    expect(error.message).toContain(cwd);
  });

  it('says what to do with a command that is too long for the system', async () => {
    const { error } = await bench.fail(runTerminalCommand, { command: `: ${'x'.repeat(3_000_000)}` });
    expect(error.code).toBe('EFBIG');
    expect(error.message).toMatch(/script file/);
  });

  it('says how much of a very long output is in the file', async () => {
    await bench.dispose();
    bench = new ShellBench({ maxFileBytes: 100_000, maxKeptBytes: 50_000, maxContentCharacters: 10_000 });
    const { content } = await run({ command: 'seq 1 100000' });
    expect(content).toMatch(
      /^1\n2\n[\s\S]*\[… about \d+ characters left out; the first 100000 bytes are in /,
    );
    expect(content).toMatch(/\n100000$/);
  });

  it('does not run at all when a sandbox is wanted and there is none', async () => {
    bench.resources.set(sandboxSettings, { isOn: true });
    const context = bench.context({ env: { PATH: bench.root } });
    const { error } = await bench.fail(runTerminalCommand, { command: 'touch made' }, context);
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(error.message).toMatch(/sandbox.*bwrap is not on PATH/);
    expect(existsSync(path.join(bench.root, 'made'))).toBe(false);
  });

  it.each([
    [
      { command: 'ls', is_background: false, explanation: 'x' },
      { command: 'ls', is_background: false },
    ],
    [
      { command: 'ls', working_directory: '/w', block_until_ms: 0 },
      { command: 'ls', working_directory: '/w', timeout_ms: 0 },
    ],
    [
      { command: 'ls', timeout: 90, run_in_background: true },
      { command: 'ls', timeout_ms: 90_000, is_background: true },
    ],
    [
      { command: 'ls', timeout: 5000 },
      { command: 'ls', timeout_ms: 5000 },
    ],
    [
      {
        command: 'ls',
        cwd: '',
        timeout: 0,
        timeout_behavior: 2,
        hard_timeout: 86_400_000,
        close_stdin: true,
      },
      { command: 'ls', timeout_behavior: 'background', hard_timeout_ms: 86_400_000 },
    ],
    [
      {
        command: 'ls',
        timeout_behavior: 'TIMEOUT_BEHAVIOR_CANCEL',
        options: { command_run_timeout_ms: 7000 },
      },
      { command: 'ls', timeout_behavior: 'cancel', timeout_ms: 7000 },
    ],
    [
      { command: ['bash', '-lc', 'ls | wc'], workdir: 'a' },
      { command: 'ls | wc', working_directory: 'a' },
    ],
    [{ command: ['git', 'log', "it's"] }, { command: `git log 'it'\\''s'` }],
    [
      { cmd: 'python3', tty: true, yield_time_ms: 500 },
      { command: 'python3', stdin: 'pty', timeout_ms: 500 },
    ],
    [
      { command: 'cat', enable_write_shell_stdin_tool: true },
      { command: 'cat', stdin: 'pipe' },
    ],
  ])('understands %j', (given, canonical) => {
    expect(runTerminalCommand.args.parse(given)).toEqual(canonical);
  });

  it.each([
    {},
    { command: '' },
    { command: 'ls', env: { 'A B': 'x' } },
    { command: 'ls', unheard_of: 1 },
    { command: 'a\0b' },
  ])('refuses %j', (given) => {
    expect(runTerminalCommand.args.safeParse(given).success).toBe(false);
  });

  it('shows models the canonical arguments alone', () => {
    const schema = z.toJSONSchema(runTerminalCommand.args, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual([
      'command',
      'working_directory',
      'timeout_ms',
      'timeout_behavior',
      'is_background',
      'stdin',
      'env',
      'hard_timeout_ms',
      'new_session',
      'description',
    ]);
    expect(schema.required).toEqual(['command']);
  });
});
