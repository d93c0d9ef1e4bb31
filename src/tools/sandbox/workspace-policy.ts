import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { SandboxPolicy, SandboxSettings } from './sandbox-policy.ts';

/** Written from inside, these would run outside the sandbox later, or loosen what the next call may do. */
const GUARDED = [
  '.git/hooks',
  '.git/config',
  '.cursor',
  '.vscode',
  '.idea',
  '.husky',
  '.mcp.json',
  'crosspoint.yaml',
  'crosspoint.json',
];

/** Where keys usually are, below the home folder. */
const KEY_FOLDERS = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh'];

export interface PolicyPlaces {
  readonly workspaceRoot: string;
  readonly stateFolder: string;
  readonly homeFolder?: string;
}

/** The policy for commands of a workspace. Only places that exist can be guarded. */
export async function workspacePolicy(
  places: PolicyPlaces,
  settings: SandboxSettings,
): Promise<SandboxPolicy> {
  const home = places.homeFolder ?? homedir();
  const root = await realpath(places.workspaceRoot);
  const extra = await Promise.all((settings.extraWritable ?? []).map((folder) => realpath(folder)));
  const keys = KEY_FOLDERS.map((folder) => path.join(home, folder));
  return {
    writable: [root, ...extra],
    readOnly: GUARDED.map((name) => path.join(root, name)).filter((place) => existsSync(place)),
    hidden: [...keys, places.stateFolder, ...(settings.hidden ?? [])].filter((place) => existsSync(place)),
    allowsNetwork: settings.allowsNetwork ?? false,
  };
}
