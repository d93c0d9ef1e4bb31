import { mkdirSync, realpathSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShellAbortReason, TimeoutBehavior } from '../../../gen/agent/v1/exec_shell_pb.ts';
import { callOf, createBench, textIn } from '../fixtures/remote-bench.ts';
import { readTerminalFile } from './terminal-file.ts';

describe('commands at the client', () => {
  it('streams the output and gives the exit code', async () => {
    const { run, client, progress } = createBench();
    const result = await run('run_terminal_command', { command: 'echo out; echo err >&2; exit 3' });
    expect(textIn(result)).toMatch(/out/);
    expect(textIn(result)).toMatch(/err\n\[exit code 3\]$/);
    expect(result.isError).toBeUndefined();
    expect(progress).toContainEqual({ text: 'out\n', stream: 'stdout' });
    expect(progress).toContainEqual({ text: 'err\n', stream: 'stderr' });
    expect(client.deltas).toHaveLength(2);
    const { tool } = client.shown.at(-1)?.call ?? {};
    if (tool?.case !== 'shellToolCall') throw new Error('no shell call shown');
    expect(tool.value.result?.result).toMatchObject({
      case: 'failure',
      value: { exitCode: 3, stdout: 'out\n', stderr: 'err\n' },
    });
  });

  it('always names the workspace and says how the command parses', async () => {
    const { run, client, folder } = createBench();
    await run('Shell', { command: 'cat a.txt | grep "x y" > /dev/null' });
    const [exec] = client.execs;
    if (exec?.case !== 'shellStreamArgs') throw new Error('no shell exec');
    expect(exec.value).toMatchObject({
      workingDirectory: folder,
      timeout: 30_000,
      timeoutBehavior: TimeoutBehavior.BACKGROUND,
      closeStdin: true,
      simpleCommands: ['cat a.txt', 'grep "x y" > /dev/null'],
      hasOutputRedirect: true,
      parsingResult: {
        parsingFailed: false,
        hasRedirects: true,
        allRedirectsAreDevNull: true,
        executableCommands: [
          { name: 'cat', args: [{ type: 'word', value: 'a.txt' }] },
          { name: 'grep', args: [{ type: 'string', value: '"x y"' }] },
        ],
      },
    });
  });

  it('sends a parsing result for what does not parse, too', async () => {
    const { run, client } = createBench();
    await run('run_terminal_command', { command: 'if ( "' });
    const [exec] = client.execs;
    expect(exec?.case === 'shellStreamArgs' && exec.value.parsingResult?.parsingFailed).toBe(true);
  });

  it('follows a cd by entering the folder from the workspace, and starts over in a new session', async () => {
    const { run, client, folder } = createBench();
    const sub = path.join(realpathSync(folder), 'sub');
    mkdirSync(sub);
    expect(textIn(await run('run_terminal_command', { command: 'cd sub' }))).toContain('[now in ');
    expect(textIn(await run('run_terminal_command', { command: 'pwd' }))).toBe(sub);
    expect(textIn(await run('run_terminal_command', { command: 'pwd', new_session: true }))).toBe(
      realpathSync(folder),
    );
    expect(textIn(await run('run_terminal_command', { command: 'pwd', working_directory: 'sub' }))).toBe(sub);
    const places = client.execs.map((exec) => exec.case === 'shellStreamArgs' && exec.value.workingDirectory);
    expect(new Set(places)).toEqual(new Set([folder]));
  });

  it('never names a folder to the client that may not be there', async () => {
    const { run, client, folder } = createBench();
    const missing = await run('run_terminal_command', { command: 'echo ran', working_directory: 'no such' });
    expect(textIn(missing)).toMatch(/No such file.*\[exit code 1\]$/s);
    expect(textIn(missing)).not.toContain('ran');
    mkdirSync(path.join(folder, 'sub'));
    await run('run_terminal_command', { command: 'cd sub' });
    rmdirSync(path.join(folder, 'sub'));
    expect(textIn(await run('run_terminal_command', { command: 'echo ran' }))).toContain(
      'is gone; the next command',
    );
    expect(textIn(await run('run_terminal_command', { command: 'echo ran' }))).toBe('ran');
    for (const exec of client.execs)
      expect(exec.case === 'shellStreamArgs' && exec.value.workingDirectory).toBe(folder);
  });

  it('passes variables on and stops at the time limit', async () => {
    const { run } = createBench();
    expect(textIn(await run('bash', { command: 'echo $A', env: { A: "it's" } }))).toBe("it's");
    const late = await run('run_terminal_command', {
      command: 'echo begun; sleep 30',
      timeout_ms: 300,
      timeout_behavior: 'cancel',
    });
    expect(late.isError).toBe(true);
    expect(textIn(late)).toMatch(/^begun\n\[stopped: time limit/);
  });

  it('tells a user abort from a time-out whatever code comes with it', async () => {
    const { run } = createBench({
      onExec: () => ({
        case: 'shellStream',
        value: {
          event: {
            case: 'exit',
            value: { code: 0xffffffff, aborted: true, abortReason: ShellAbortReason.USER_ABORT },
          },
        },
      }),
    });
    expect(textIn(await run('run_terminal_command', { command: 'x' }))).toBe(
      '[stopped by the user before it ended]',
    );
  });

  it('does not take a killed command for a success', async () => {
    const { run } = createBench({
      onExec: () => ({
        case: 'shellStream',
        value: { event: { case: 'exit', value: { code: 0xffffffff } } },
      }),
    });
    expect(textIn(await run('run_terminal_command', { command: 'x' }))).toBe(
      '[killed; its exit code is not known]',
    );
  });

  it('says that the user refused and how to go on', async () => {
    const { run } = createBench({
      onExec: () => ({
        case: 'shellStream',
        value: { event: { case: 'rejected', value: { command: 'rm -rf /', reason: 'no deletions today' } } },
      }),
    });
    const result = await run('run_terminal_command', { command: 'rm -rf /' });
    expect(result.isError).toBe(true);
    expect(textIn(result)).toBe(
      'The user, or a rule of the user, refused this call: no deletions today. It did not run. Follow the reason where it names another way; else go on without it, or ask the user what to do instead. Do not look for a way round.',
    );
  });

  it('bounds what it keeps of an endless output', async () => {
    const { run } = createBench();
    const result = await run('run_terminal_command', {
      command: 'yes "0123456789 0123456789" | head -c 3000000',
    });
    expect(textIn(result).length).toBeLessThan(60_000);
    expect(textIn(result)).toContain('characters left out');
  });

  it('ends when the run is cancelled', async () => {
    const { tools, client } = createBench();
    const controller = new AbortController();
    const running = tools.run(callOf('run_terminal_command', { command: 'echo go; sleep 30' }), {
      mode: 'agent',
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(running).rejects.toThrow();
    expect(client.shown.map(({ state }) => state)).toEqual(['started', 'completed']);
  });
});

describe('commands in the background', () => {
  const spawned = {
    case: 'backgroundShellSpawnResult' as const,
    value: { result: { case: 'success' as const, value: { shellId: 7, command: 'serve', pid: 4242 } } },
  };

  it('are started with a parsing result and a folder, and read from the terminal file', async () => {
    const { run, client, folder } = createBench({
      onExec: (args) => (args.case === 'backgroundShellSpawnArgs' ? spawned : undefined),
    });
    const started = textIn(
      await run('run_terminal_command', { command: 'serve', is_background: true, stdin: 'pipe' }),
    );
    expect(started).toContain('with id 7, pid 4242');
    const [exec] = client.execs;
    if (exec?.case !== 'backgroundShellSpawnArgs') throw new Error('no spawn');
    expect(exec.value).toMatchObject({ workingDirectory: folder, enableWriteShellStdinTool: true });
    expect(exec.value.parsingResult?.executableCommands[0]?.name).toBe('serve');
    mkdirSync(path.join(folder, '.terminals'));
    const file = path.join(folder, '.terminals/7.txt');
    writeFileSync(file, '---\npid: 4242\ncwd: /w\n---\nlistening on 80\n');
    const looked = await run('await', { task_id: '7', pattern: 'listening on \\d+' });
    expect(textIn(looked)).toBe('listening on 80\n[matched: listening on 80]\n[still running]');
    writeFileSync(
      file,
      '---\npid: 4242\ncwd: /w\n---\nlistening on 80\nbye\n---\nexit_code: 0\nelapsed_ms: 9\n---\n',
    );
    expect(textIn(await run('await', { task_id: 'shell_7' }))).toBe('bye\n[ended with exit code 0]');
  });

  it('are waited for no longer than asked', async () => {
    let now = 0;
    const waits: number[] = [];
    const { run, folder } = createBench(
      { onExec: (args) => (args.case === 'backgroundShellSpawnArgs' ? spawned : undefined) },
      {
        nowMs: () => now,
        wait: async (ms) => {
          waits.push(ms);
          now += ms;
        },
      },
    );
    mkdirSync(path.join(folder, '.terminals'));
    writeFileSync(path.join(folder, '.terminals/7.txt'), 'working\n');
    await run('run_terminal_command', { command: 'serve', is_background: true });
    expect(textIn(await run('await', { task_id: '7', block_until_ms: 2_500 }))).toBe(
      'working\n[still running]',
    );
    expect(waits).toEqual([1_000, 1_000, 500]);
  });

  it('are ended by a signal to their process', async () => {
    const { run, client, folder } = createBench({
      onExec: (args) => {
        if (args.case === 'backgroundShellSpawnArgs') return spawned;
        if (args.case !== 'shellArgs') return undefined;
        return {
          case: 'shellResult',
          value: { result: { case: 'success', value: { command: args.value.command } } },
        };
      },
    });
    mkdirSync(path.join(folder, '.terminals'));
    writeFileSync(path.join(folder, '.terminals/7.txt'), 'x\n---\nexit_code: 143\n---\n');
    await run('run_terminal_command', { command: 'serve', is_background: true });
    expect(textIn(await run('await', { task_id: '7', stop: true }))).toContain('[ended with exit code 143]');
    const kill = client.execs.find((exec) => exec.case === 'shellArgs')?.value;
    expect(kill).toMatchObject({
      command: 'kill -TERM -- -4242 2>/dev/null || kill -TERM 4242',
      workingDirectory: folder,
    });
    expect(kill).toHaveProperty('parsingResult.executableCommands');
  });

  it('take input, and unknown ids are named', async () => {
    const { run } = createBench({
      onExec: (args) =>
        args.case === 'writeShellStdinArgs'
          ? {
              case: 'writeShellStdinResult',
              value:
                args.value.shellId === 7
                  ? { result: { case: 'success', value: { shellId: 7 } } }
                  : { result: { case: 'error', value: { error: 'no shell 8' } } },
            }
          : undefined,
    });
    expect((await run('write_shell_stdin', { shell_id: '7', chars: 'y\n' })).isError).toBeUndefined();
    expect(textIn(await run('write_shell_stdin', { shell_id: '8', chars: 'y\n' }))).toBe('no shell 8');
    expect(textIn(await run('write_shell_stdin', { shell_id: 'x!', chars: '' }))).toContain('is not the id');
    expect(textIn(await run('await', { task_id: '9' }))).toContain('No command is in the background');
  });
});

describe('a terminal file', () => {
  it('is read without its head and foot', () => {
    expect(readTerminalFile('plain\n')).toEqual({ output: 'plain\n', isEnded: false });
    expect(readTerminalFile('a\n---\nb: c\n')).toEqual({ output: 'a\n---\nb: c\n', isEnded: false });
    const head = '---\npid: 1\ncwd: "/w"\nrunning_for_ms: 5        \n---\n';
    const foot = (code: string) =>
      `\n---\nexit_code: ${code}\nelapsed_ms: 9\nended_at: 2026-11-15T15:49:50.889Z\n---\n`;
    expect(readTerminalFile(`${head}out\n${foot('-1')}`)).toEqual({
      output: 'out\n',
      isEnded: true,
      exitCode: -1,
    });
    expect(readTerminalFile(`${head}out\n${foot('unknown')}`)).toEqual({ output: 'out\n', isEnded: true });
    expect(readTerminalFile(`${head}${foot('0')}`.replace('---\n\n---', '---\n---'))).toMatchObject({
      output: '',
      exitCode: 0,
    });
  });
});
