import { spawn } from 'node:child_process';

/** Reads the whole output and throws it away, as any caller would; settles when the program has ended. */
export function runProgram(argv: readonly string[], cwd: string): Promise<void> {
  const [file = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    child.once('error', reject).once('close', () => resolve());
  });
}
