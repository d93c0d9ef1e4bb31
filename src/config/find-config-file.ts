import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { GatewayError } from '../core/index.ts';
import type { Env } from './expand-env.ts';

const FILE_NAMES = ['crosspoint.yaml', 'crosspoint.yml', 'crosspoint.json', 'crosspoint.jsonc'] as const;

export interface Surroundings {
  readonly env: Env;
  readonly cwd: string;
  readonly home: string;
}

/** Every place a configuration may stand, in the order in which they are tried. */
export function configCandidates({ env, cwd, home }: Surroundings): string[] {
  const userFolder = path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'crosspoint');
  return [cwd, userFolder].flatMap((folder) => FILE_NAMES.map((name) => path.join(folder, name)));
}

/** The file to read, or undefined when there is none. A file that was named must exist. */
export function findConfigFile(surroundings: Surroundings, named?: string): string | undefined {
  if (named === undefined) return configCandidates(surroundings).find((candidate) => existsSync(candidate));
  const file = path.resolve(surroundings.cwd, named);
  if (existsSync(file)) return file;
  throw new GatewayError(
    'invalid-request',
    `There is no configuration file ${file}. Check the path after --config.`,
    {
      detail: { reason: 'config_not_found' },
    },
  );
}

/** `~/x` is the user's home, anything else is relative to the folder. */
export function resolvePath(written: string, folder: string, home: string = homedir()): string {
  if (written === '~' || written.startsWith('~/')) return path.join(home, written.slice(1));
  return path.resolve(folder, written);
}
