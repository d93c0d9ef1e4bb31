import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awaitJob } from './await.ts';
import { ShellBench } from './fixtures/shell-bench.ts';
import { runTerminalCommand } from './run-terminal-command.ts';
import { writeShellStdin } from './write-shell-stdin.ts';

const hasPty = await import('@lydell/node-pty').then(
  () => true,
  () => false,
);

describe('write_shell_stdin', () => {
  let bench: ShellBench;
  beforeEach(() => {
    bench = new ShellBench({ killGraceMs: 300 });
  });
  afterEach(() => bench.dispose());

  const start = (command: string, stdin?: string) =>
    bench.succeed(runTerminalCommand, { command, is_background: true, ...(stdin ? { stdin } : {}) });
  const write = (chars: string, shellId: string | number = 1) =>
    bench.succeed(writeShellStdin, { shell_id: shellId, chars, wait_ms: 5_000 });
  /** The answer may come in more than one piece. */
  const writeToEnd = async (chars: string) => {
    const answer = await write(chars);
    const rest = await bench.succeed(awaitJob, { task_id: '1' });
    return { text: `${answer.content}\n${rest.content}`, exitCode: rest.attachments?.exit_code };
  };

  it('sends characters as they are and gives the answer', async () => {
    await start('while read -r line; do echo "<$line>"; done', 'pipe');
    const first = await write('one two\\n "x"\n');
    expect(first.content).toBe('<one two\\n "x">');
    expect(first.data).toEqual({ success: { shell_id: 1, terminal_file_length_before_input_written: 0 } });
    const second = await write('more\n');
    expect(second.content).toBe('<more>');
    expect(second.data).toMatchObject({ success: { terminal_file_length_before_input_written: 16 } });
  });

  it('ends the input with Ctrl-D', async () => {
    await start('cat; echo done', 'pipe');
    const { text, exitCode } = await writeToEnd('text\n\u0004');
    expect(text).toMatch(/^text\n(?:.*\n)*?done\n/);
    expect(exitCode).toBe(0);
  });

  it('interrupts with Ctrl-C, also a command without input', async () => {
    await start('trap "echo caught; exit 5" INT; echo set; sleep 81.5');
    await bench.succeed(awaitJob, { task_id: '1', pattern: 'set' });
    const { text, exitCode } = await writeToEnd('\u0003');
    expect(text).toMatch(/^caught/);
    expect(exitCode).toBe(5);
  });

  it('says how to get an input when there is none, and when the command has ended', async () => {
    await start('sleep 82.5');
    const closed = await bench.fail(writeShellStdin, { shell_id: '1', chars: 'x' });
    expect(closed.error.message).toMatch(/stdin "pipe" or "pty"/);
    await bench.succeed(awaitJob, { task_id: '1', stop: true });
    const ended = await bench.fail(writeShellStdin, { shell_id: '1', chars: 'x' });
    expect(ended.error.message).toMatch(/has ended with exit code 143/);
    const unknown = await bench.fail(writeShellStdin, { shell_id: '9', chars: 'x' });
    expect(unknown.error.code).toBe('ENOENT');
  });

  it('is judged as the command that reads it', async () => {
    await start('cd / && bash', 'pipe');
    expect(await bench.touches(writeShellStdin, { shell_id: 1, chars: "rm -rf 'x'\n" })).toEqual([
      {
        type: 'command',
        command: `printf %s 'rm -rf '\\''x'\\''\n' | {\ncd / && bash\n}`,
        cwd: bench.root,
      },
    ]);
    expect(await bench.touches(writeShellStdin, { shell_id: 2, chars: 'ls' })).toEqual([
      { type: 'command', command: 'printf %s ls | "$UNKNOWN_COMMAND"', cwd: bench.root },
    ]);
  });

  it.runIf(hasPty)('talks to a program that wants a terminal', async () => {
    await start('test -t 0 && test -t 1 && echo terminal; read -r line; echo "got $line"', 'pty');
    await bench.succeed(awaitJob, { task_id: '1', pattern: 'terminal' });
    const { text, exitCode } = await writeToEnd('hi\n');
    expect(text).toMatch(/^hi\n(?:.*\n)*?got hi\n/);
    expect(exitCode).toBe(0);
  });

  it.runIf(hasPty)('lets the terminal turn Ctrl-C into an interrupt', async () => {
    await start('echo up; sleep 83.5', 'pty');
    await bench.succeed(awaitJob, { task_id: '1', pattern: 'up' });
    expect((await writeToEnd('\u0003')).exitCode).toBe(130);
  });
});
