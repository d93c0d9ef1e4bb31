import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { GatewayError } from '../core/index.ts';
import type { Env } from './expand-env.ts';
import type { Config } from './schema.ts';

/** Where the program keeps what it must remember. */
export interface StatePaths {
  readonly home: string;
  readonly adminToken: string;
  /** The list of running gateways. */
  readonly gateways: string;
  readonly database: string;
}

export function statePaths({ env, home }: { readonly env: Env; readonly home: string }): StatePaths {
  const folder =
    env.CROSSPOINT_HOME || path.join(env.XDG_DATA_HOME || path.join(home, '.local', 'share'), 'crosspoint');
  const root = path.resolve(folder);
  return {
    home: root,
    adminToken: path.join(root, 'admin-token'),
    gateways: path.join(root, 'gateway.json'),
    database: path.join(root, 'crosspoint.db'),
  };
}

/** The database file a configuration means. */
export function storePath(config: Config, paths: StatePaths): string {
  return config.store.path ?? paths.database;
}

/** Creates the state folder, for its owner only; a folder that others can read is closed. */
export async function ensureStateHome(paths: StatePaths): Promise<void> {
  try {
    await mkdir(paths.home, { recursive: true, mode: 0o700 });
    const { mode } = await stat(paths.home);
    if ((mode & 0o077) !== 0) await chmod(paths.home, 0o700);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GatewayError(
      'internal',
      `The state folder ${paths.home} cannot be used: ${why}. Make it writable, or set CROSSPOINT_HOME to another folder.`,
      { cause: error },
    );
  }
}
