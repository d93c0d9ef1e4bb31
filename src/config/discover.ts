import { omitUndefined } from '../core/index.ts';
import type { Env } from './expand-env.ts';
import { isLoopbackHost } from './loopback.ts';
import { type Probe, probeModels } from './probe-models.ts';
import { HOSTED_PROFILES, type HostedProfile, LOCAL_PROFILES } from './provider-profiles.ts';
import { type Config, isHttpUrl, makeUpstream, type UpstreamConfig } from './schema.ts';
import { collectSecrets } from './secrets.ts';

/** Loopback answers at once or not at all; nobody should wait for a start because of ports nobody listens on. */
const PROBE_TIMEOUT_MS = 400;

export interface DiscoveryOptions {
  readonly env: Env;
  readonly kinds: readonly string[];
  readonly probe?: Probe;
  /** Ports of this and other gateways of ours: finding those would send turns in a circle. */
  readonly ownPorts?: readonly number[];
  /** A Cursor login is kept on this machine. */
  readonly hasCursorLogin?: boolean;
}

export interface Discovery {
  readonly upstreams: Readonly<Record<string, UpstreamConfig>>;
  /** What a user should know about what was not taken. */
  readonly notices: readonly string[];
}

/** Upstreams whose keys are in the environment, then local servers that answer. */
export async function discoverUpstreams(options: DiscoveryOptions): Promise<Discovery> {
  const hosted = HOSTED_PROFILES.map((profile) => discoverHosted(profile, options));
  const local = await discoverLocal(options);
  const byLogin: Entry[] =
    options.hasCursorLogin && options.kinds.includes('cursor-agent')
      ? [['cursor', makeUpstream({ kind: 'cursor-agent' })]]
      : [];
  // A key in the environment was given for this very run, so it wins over a login.
  return {
    upstreams: Object.fromEntries([
      ...byLogin,
      ...hosted.flatMap(({ found }) => (found ? [found] : [])),
      ...local,
    ]),
    notices: hosted.flatMap(({ notice }) => notice ?? []),
  };
}

type Entry = readonly [name: string, upstream: UpstreamConfig];

function discoverHosted(
  profile: HostedProfile,
  options: DiscoveryOptions,
): { found?: Entry; notice?: string } {
  const { env, kinds, ownPorts = [] } = options;
  const { name, kind, keyVariable, baseUrlVariable } = profile;
  const apiKey = env[keyVariable];
  if (!apiKey) return {};
  if (!kinds.includes(kind)) {
    return {
      notice: `${keyVariable} is set, but this version has no upstream of the kind ${kind} yet; it is not used.`,
    };
  }
  const custom = baseUrlVariable === undefined ? undefined : env[baseUrlVariable] || undefined;
  if (custom !== undefined && !isHttpUrl(custom)) {
    return {
      notice: `${baseUrlVariable} is not an http:// or https:// address; the upstream ${name} is left out.`,
    };
  }
  // Clients are pointed at the gateway with the same variable; seen from here that would be a circle.
  if (custom !== undefined && isOwnAddress(custom, ownPorts)) {
    return { notice: `${baseUrlVariable} is this gateway's own address; the upstream ${name} is left out.` };
  }
  const baseUrl = (custom ?? profile.baseUrl)?.replace(/\/+$/, '');
  return { found: [name, makeUpstream(omitUndefined({ kind, baseUrl, apiKey }))] };
}

function isOwnAddress(url: string, ownPorts: readonly number[]): boolean {
  const { hostname, port, protocol } = new URL(url);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  return isLoopbackHost(hostname) && ownPorts.includes(number);
}

async function discoverLocal({
  env,
  kinds,
  probe = probeModels,
  ownPorts = [],
}: DiscoveryOptions): Promise<Entry[]> {
  if (env.CROSSPOINT_DISCOVER?.toLowerCase() === 'off' || !kinds.includes('openai-chat')) return [];
  const candidates = LOCAL_PROFILES.filter(({ port }) => !ownPorts.includes(port));
  const found = await Promise.all(
    candidates.map(async ({ name, port }): Promise<Entry[]> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      const models = await probe(baseUrl, PROBE_TIMEOUT_MS);
      return models ? [[name, makeUpstream({ kind: 'openai-chat', baseUrl })]] : [];
    }),
  );
  return found.flat();
}

export interface CompleteConfig {
  readonly config: Config;
  readonly notices: readonly string[];
  readonly secrets: readonly string[];
  /** True when the upstreams were found, not configured. */
  readonly isDiscovered: boolean;
}

/** Fills in what a configuration leaves open: found upstreams when it names none, and always the demo model. */
export async function completeConfig(config: Config, options: DiscoveryOptions): Promise<CompleteConfig> {
  const isDiscovered = Object.keys(config.upstreams).length === 0;
  const nothing: Discovery = { upstreams: {}, notices: [] };
  const ownPorts = [config.server.port, ...(options.ownPorts ?? [])];
  const { upstreams, notices } = isDiscovered ? await discoverUpstreams({ ...options, ownPorts }) : nothing;
  const demo = options.kinds.includes('demo') ? { demo: makeUpstream({ kind: 'demo' }) } : {};
  const complete: Config = {
    ...config,
    upstreams: { ...demo, ...upstreams, ...config.upstreams },
    default: config.default ?? 'demo/demo',
  };
  return { config: complete, notices, secrets: collectSecrets(complete), isDiscovered };
}
