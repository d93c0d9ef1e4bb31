// What the user has set up: upstreams, keys, and what others could reach or read.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type Config,
  errnoOf,
  findPlainSecrets,
  isLoopbackHost,
  type StatePaths,
  storePath,
} from '../../config/index.ts';
import { type ErrorCode, GatewayError } from '../../core/index.ts';
import { mcpFiles } from '../../server/tool-service/mcp-files.ts';
import { policyFiles } from '../../tools/policy/policy-files.ts';
import type { CliContext } from '../context.ts';
import { openKeyDesk } from '../key-desk.ts';
import type { Settings } from '../load-settings.ts';
import { listUpstreamModels } from '../open-upstreams.ts';
import { withoutCredentials } from '../serve-banner.ts';
import { type Check, failure, ok, warning } from './check.ts';

const TIMEOUT_MS = 5_000;

const UPSTREAM_REMEDY: Readonly<Partial<Record<ErrorCode, string>>> = {
  'upstream-rejected': 'Check the key (apiKey) and that baseUrl ends where the API begins, usually in /v1.',
  'upstream-unavailable': 'Start the server, or correct baseUrl.',
  'upstream-malformed': 'Check baseUrl: what answers there is no server of this kind.',
  'deadline-exceeded': 'The server is too slow or cannot be reached from here; check baseUrl and proxy.',
  cancelled: 'The server is too slow or cannot be reached from here; check baseUrl and proxy.',
};

export async function checkUpstreams(context: CliContext, config: Config): Promise<Check[]> {
  const lists = await listUpstreamModels(context, config, TIMEOUT_MS);
  return lists.map(({ name, kind, models, error }) => {
    const label = `upstream ${name}`;
    const { baseUrl } = config.upstreams[name] ?? {};
    const where = baseUrl === undefined ? kind : `${kind}, ${withoutCredentials(baseUrl)}`;
    if (error)
      return failure(label, `${where}: ${error.message}`, UPSTREAM_REMEDY[error.code] ?? 'See the message.');
    if (models.length > 0)
      return ok(label, `${where}: ${models.length} ${models.length === 1 ? 'model' : 'models'}`);
    return warning(label, `${where}: lists no models.`, 'Name them under `models:` of the upstream.');
  });
}

export async function checkKeys(context: CliContext, config: Config): Promise<Check> {
  if (config.server.auth === 'none') return ok('keys', 'not required (server.auth is none, loopback only)');
  try {
    const desk = await openKeyDesk(context);
    const records = await desk.list().finally(() => desk.close());
    const isActive = ({ revokedAtMs, expiresAtMs = Number.POSITIVE_INFINITY }: (typeof records)[number]) =>
      revokedAtMs === undefined && expiresAtMs > context.nowMs();
    const active = records.filter(isActive).length;
    if (active > 0) return ok('keys', `required; ${active} active`);
    return warning('keys', 'required, and there is none yet.', 'crosspoint keys create NAME');
  } catch (thrown) {
    return failure('keys', GatewayError.from(thrown).message, 'Mend the store, or start the gateway.');
  }
}

export function checkBind(config: Config): Check {
  const { host, tls } = config.server;
  if (isLoopbackHost(host)) return ok('network', `${host}: this machine only`);
  if (tls) return ok('network', `${host}: other machines, with TLS and keys`);
  return warning(
    'network',
    `${host} can be reached from other machines without TLS: keys and prompts cross the network in clear.`,
    'Set server.tls, or put a TLS proxy in front and bind to 127.0.0.1.',
  );
}

/** The closer look of `--security`. */
export async function checkSecurity(settings: Settings): Promise<Check[]> {
  const { config, file, paths } = settings;
  const checks = await Promise.all([
    checkPrivateFile('admin token', paths.adminToken),
    checkPrivateFile('database', storePath(config, paths)),
    checkPrivateFile('MCP sign-ins', mcpFiles(paths.home).tokens),
    checkPrivateFile('MCP consent', mcpFiles(paths.home).pins),
    checkPrivateFile('answers of "always"', policyFiles(paths.home).rules),
    checkPrivateFile('trusted workspaces', policyFiles(paths.home).trust),
    checkConfigFile(file),
  ]);
  return [...checks, ...checkOrigins(config), ...checkCleartextKeys(config)];
}

/** Before anything reads the file: whoever reads it closes it, and then nobody learns that it was open. */
export function checkLogins(paths: StatePaths): Promise<Check> {
  return checkPrivateFile('logins', path.join(paths.home, 'credentials.json'));
}

async function checkPrivateFile(name: string, file: string): Promise<Check> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) === 0) return ok(name, `${file} is yours only`);
    return failure(name, `${file} can be read by other users.`, `chmod 600 ${file}`);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return ok(name, `${file} (not there yet)`);
    return failure(name, `${file}: ${errnoOf(error) ?? 'unreadable'}`, 'Make the file yours.');
  }
}

async function checkConfigFile(file: string | undefined): Promise<Check> {
  const name = 'secrets in the configuration';
  if (file === undefined) return ok(name, 'no configuration file');
  const plain = await findPlainSecrets(file);
  if (plain.length === 0) return ok(name, 'none in plain text');
  const list = plain.join(', ');
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0)
    return warning(name, `${list} in plain text.`, `Put them into the environment and write \${NAME}.`);
  return failure(
    name,
    `${list} in plain text, and other users can read ${file}.`,
    `chmod 600 ${file}, put them into the environment and write \${NAME}.`,
  );
}

function checkOrigins({ server }: Config): Check[] {
  if (!server.allowedOrigins.includes('*')) return [ok('origins', 'foreign web pages are refused')];
  const message = 'server.allowedOrigins holds *: any web page may use the gateway from a browser here.';
  return [warning('origins', message, 'Name the origins you mean.')];
}

function checkCleartextKeys({ upstreams }: Config): Check[] {
  return Object.entries(upstreams).flatMap(([name, { baseUrl, apiKey, accessToken }]) => {
    if (baseUrl === undefined || (apiKey ?? accessToken) === undefined) return [];
    const { protocol, hostname } = new URL(baseUrl);
    if (protocol === 'https:' || isLoopbackHost(hostname)) return [];
    const message = `the key is sent to ${hostname} without TLS.`;
    return [warning(`upstream ${name}`, message, 'Use https:// in baseUrl.')];
  });
}
