import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { defineResource } from '../resources.ts';
import { SANDBOX_EXEC } from './seatbelt.ts';

export type SandboxStatus =
  | { readonly isAvailable: true; readonly kind: 'bubblewrap' | 'seatbelt'; readonly program: string }
  | { readonly isAvailable: false; readonly reason: string };

export interface StatusOptions {
  readonly platform?: NodeJS.Platform;
  /** Where to look for `bwrap`: the PATH that processes get. */
  readonly searchPath: string;
  /** Whether a program runs to a good end; the probe, replaceable in tests. */
  readonly tryProgram?: (file: string, args: readonly string[]) => Promise<string | undefined>;
}

/** What this machine can do, tried and not guessed: inside many containers bwrap is there but may do nothing. */
export async function sandboxStatus(options: StatusOptions): Promise<SandboxStatus> {
  const platform = options.platform ?? process.platform;
  const tryProgram = options.tryProgram ?? runOnce;
  if (platform === 'darwin') {
    const problem = await tryProgram(SANDBOX_EXEC, ['-p', '(version 1)(allow default)', '/usr/bin/true']);
    if (problem === undefined) return { isAvailable: true, kind: 'seatbelt', program: SANDBOX_EXEC };
    return unavailable(`${SANDBOX_EXEC} does not work here: ${problem}.`);
  }
  if (platform !== 'linux') return unavailable(`There is no sandbox for ${platform}.`);
  const program = findProgram('bwrap', options.searchPath);
  if (program === undefined)
    return unavailable('bwrap is not on PATH. Install bubblewrap, e.g. `apt install bubblewrap`.');
  const problem = await tryProgram(program, ['--ro-bind', '/', '/', '--unshare-all', '--', '/bin/true']);
  if (problem === undefined) return { isAvailable: true, kind: 'bubblewrap', program };
  return unavailable(
    `${program} cannot make a sandbox here: ${problem}. Containers and some systems forbid user namespaces; allow them or turn the sandbox off.`,
  );
}

/** Asks the machine once per search path. */
class SandboxProbe {
  readonly #known = new Map<string, Promise<SandboxStatus>>();

  status(searchPath: string): Promise<SandboxStatus> {
    const known = this.#known.get(searchPath) ?? sandboxStatus({ searchPath });
    this.#known.set(searchPath, known);
    return known;
  }
}

export const sandboxProbe = defineResource({ name: 'sandbox-probe', create: () => new SandboxProbe() });

function unavailable(reason: string): SandboxStatus {
  return { isAvailable: false, reason };
}

function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function runOnce(file: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(file, [...args], { timeout: 5_000 }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else resolve(stderr.trim().split('\n')[0] || String(error.code ?? error.message));
    });
  });
}
