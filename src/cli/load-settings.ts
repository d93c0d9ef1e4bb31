import {
  type Config,
  completeConfig,
  credentialName,
  listGateways,
  loadConfig,
  type Override,
  type Probe,
  type StatePaths,
  statePaths,
} from '../config/index.ts';
import { omitUndefined } from '../core/index.ts';
import { CURSOR_BASE_URL } from '../dialects/cursor-agent/account/index.ts';
import { openVault } from './account-desk.ts';
import type { CliContext } from './context.ts';

const askNobody: Probe = async () => undefined;

export interface Settings {
  readonly config: Config;
  readonly file?: string;
  readonly paths: StatePaths;
  readonly secrets: readonly string[];
  readonly notices: readonly string[];
  readonly isDiscovered: boolean;
  readonly kinds: readonly string[];
}

export interface SettingsOptions {
  readonly configFile?: string | undefined;
  readonly flags?: readonly Override[];
  /** False when the caller does not care for upstreams: no port is asked then. */
  readonly probesPorts?: boolean;
}

/** The configuration as `serve` would use it: read, checked and filled up with what discovery finds. */
export async function loadSettings(context: CliContext, options: SettingsOptions = {}): Promise<Settings> {
  const { env, cwd, home, isAlive } = context;
  const kinds = (await context.dialects()).kinds.map(({ kind }) => kind);
  const paths = statePaths({ env, home });
  const { configFile, flags = [] } = options;
  const loaded = await loadConfig({ env, cwd, home, kinds, configFile, flags });
  const ownPorts = (await listGateways(paths, isAlive)).map(({ url }) => Number(new URL(url).port));
  const hasCursorLogin = (await openVault(context).read(credentialName(CURSOR_BASE_URL))) !== undefined;
  const probe = options.probesPorts === false ? askNobody : context.probe;
  const complete = await completeConfig(
    loaded.config,
    omitUndefined({ env, kinds, ownPorts, probe, hasCursorLogin }),
  );
  const { config, notices, isDiscovered } = complete;
  const secrets = [...new Set([...loaded.secrets, ...complete.secrets])];
  return omitUndefined({ config, file: loaded.file, paths, secrets, notices, isDiscovered, kinds });
}
