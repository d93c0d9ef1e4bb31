// Execs of commands, answered as the official SDK answers them; a command without `parsing_result` is refused as there.
import { type ChildProcess, spawn } from 'node:child_process';
import type {
  BackgroundShellSpawnArgs,
  ShellArgs,
  WriteShellStdinArgs,
} from '../../../../src/gen/agent/v1/exec_shell_pb.ts';
import { ShellAbortReason } from '../../../../src/gen/agent/v1/exec_shell_pb.ts';
import type { ExecAnswer, ExecSetting } from './execution.ts';

interface Ending {
  readonly code: number;
  readonly abortReason?: ShellAbortReason;
}

/** One shell_result. */
export async function shellExec(args: ShellArgs, setting: ExecSetting): Promise<void> {
  const { command, workingDirectory } = args;
  if (args.parsingResult === undefined) {
    const value = { command, workingDirectory, error: 'Parsing result is required' };
    return setting.emit({ case: 'shellResult', value: { result: { case: 'spawnError', value } } });
  }
  let stdout = '';
  let stderr = '';
  const ending = await run(args, setting, (stream, data) => {
    if (stream === 'stdout') stdout += data;
    else stderr += data;
  });
  const value = { command, workingDirectory, exitCode: ending.code, stdout, stderr };
  setting.emit({
    case: 'shellResult',
    value: {
      result: { case: ending.code === 0 && ending.abortReason === undefined ? 'success' : 'failure', value },
    },
  });
}

/** start, output, exit. */
export async function shellStreamExec(args: ShellArgs, setting: ExecSetting): Promise<void> {
  const emit = (event: NonNullable<Extract<ExecAnswer, { case: 'shellStream' }>['value']['event']>) =>
    setting.emit({ case: 'shellStream', value: { event } });
  emit({ case: 'start', value: {} });
  const ending = await run(args, setting, (stream, data) => emit({ case: stream, value: { data } }));
  const aborted = ending.abortReason === undefined ? {} : { aborted: true, abortReason: ending.abortReason };
  emit({ case: 'exit', value: { code: ending.code, cwd: workingDirectoryOf(args, setting), ...aborted } });
}

function run(
  args: ShellArgs,
  setting: ExecSetting,
  onData: (stream: 'stdout' | 'stderr', data: string) => void,
): Promise<Ending> {
  return new Promise((resolve) => {
    const child = start(args.command, workingDirectoryOf(args, setting));
    let abortReason: ShellAbortReason | undefined;
    const stop = (reason: ShellAbortReason) => {
      abortReason = reason;
      killGroup(child);
    };
    const onAbort = () => stop(ShellAbortReason.USER_ABORT);
    setting.signal.addEventListener('abort', onAbort, { once: true });
    const timer =
      args.timeout > 0 ? setTimeout(() => stop(ShellAbortReason.TIMEOUT), args.timeout) : undefined;
    child.stdout?.setEncoding('utf8').on('data', (data: string) => onData('stdout', data));
    child.stderr?.setEncoding('utf8').on('data', (data: string) => onData('stderr', data));
    child.on('close', (code) => {
      clearTimeout(timer);
      setting.signal.removeEventListener('abort', onAbort);
      // On an abort 1.0.18 says 0, 1.0.32 says 2^32 - 1.
      resolve(abortReason === undefined ? { code: code ?? 1 } : { code: 0xff_ff_ff_ff, abortReason });
    });
  });
}

/** Commands that run on after their exec has been answered. */
export class BackgroundShells {
  readonly #shells = new Map<number, { child: ChildProcess; output: string }>();

  spawn(args: BackgroundShellSpawnArgs, folder: string): ExecAnswer {
    const { command } = args;
    const workingDirectory = args.workingDirectory || folder;
    if (args.parsingResult === undefined) {
      const value = { command, workingDirectory, error: 'Parsing result is required' };
      return { case: 'backgroundShellSpawnResult', value: { result: { case: 'error', value } } };
    }
    const shellId = this.#shells.size + 1;
    const shell = { child: start(command, workingDirectory, 'pipe'), output: '' };
    shell.child.stdout?.setEncoding('utf8').on('data', (data: string) => {
      shell.output += data;
    });
    this.#shells.set(shellId, shell);
    const pid = shell.child.pid === undefined ? {} : { pid: shell.child.pid };
    const value = { shellId, command, workingDirectory, ...pid };
    return { case: 'backgroundShellSpawnResult', value: { result: { case: 'success', value } } };
  }

  write(args: WriteShellStdinArgs): ExecAnswer {
    const shell = this.#shells.get(args.shellId);
    if (shell === undefined) {
      const value = { error: `Shell ${args.shellId} not found` };
      return { case: 'writeShellStdinResult', value: { result: { case: 'error', value } } };
    }
    shell.child.stdin?.write(args.chars);
    const value = { shellId: args.shellId, terminalFileLengthBeforeInputWritten: shell.output.length };
    return { case: 'writeShellStdinResult', value: { result: { case: 'success', value } } };
  }

  get outputs(): readonly string[] {
    return [...this.#shells.values()].map(({ output }) => output);
  }

  stop(): void {
    for (const { child } of this.#shells.values()) killGroup(child);
  }
}

function start(command: string, cwd: string, stdin: 'pipe' | 'ignore' = 'ignore'): ChildProcess {
  return spawn('bash', ['-c', command], { cwd, stdio: [stdin, 'pipe', 'pipe'], detached: true });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

const workingDirectoryOf = (args: ShellArgs, { folder }: ExecSetting) => args.workingDirectory || folder;
