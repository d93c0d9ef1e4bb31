// The shape of crosspoint.yaml. Every leaf says in plain words what it wants; `load.ts` adds where the value stands.
import { z } from 'zod';
import {
  amount,
  choice,
  DAY_MS,
  flag,
  httpUrl,
  milliseconds,
  section,
  text,
  textList,
  wholeNumber,
} from './schema-parts.ts';

export { isHttpUrl, joinOr } from './schema-parts.ts';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 18741;
export const DEFAULT_TIMEOUTS = { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000 } as const;

/** Sections that later versions will have; refused by name, so that nobody believes they are in force. */
export const RESERVED_SECTIONS = ['auth', 'recorder'] as const;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

const MEBIBYTE = 1024 * 1024;

const timeoutsSchema = section({
  connectMs: milliseconds(DAY_MS).default(DEFAULT_TIMEOUTS.connectMs),
  firstByteMs: milliseconds(DAY_MS).default(DEFAULT_TIMEOUTS.firstByteMs),
  idleMs: milliseconds(DAY_MS).default(DEFAULT_TIMEOUTS.idleMs),
});

export const upstreamSchema = section({
  kind: text('must be the kind of the upstream, e.g. openai-chat'),
  baseUrl: httpUrl('must be an http:// or https:// address').optional(),
  apiKey: text('must be a non-empty string').optional(),
  accessToken: text('must be a non-empty string').optional(),
  headers: z
    .record(z.string(), z.string({ error: 'must be a string' }), { error: 'must be a mapping of keys' })
    .default({}),
  models: textList('must be a model name').optional(),
  timeouts: timeoutsSchema.prefault({}),
  retries: wholeNumber(0, 10).default(2),
  capabilities: textList('must be the name of a capability').default([]),
  contextWindow: wholeNumber(1, 1_000_000_000, 'tokens').optional(),
  proxy: httpUrl('must be the http:// or https:// address of a proxy').optional(),
});

const modelSchema = section({
  upstream: text('must be the name of an upstream').optional(),
  model: text("must be the upstream's own name of the model").optional(),
  targets: textList('must be written as upstream/model').optional(),
  reasoningEffort: text('must be an effort such as low, medium or high').optional(),
  contextWindow: wholeNumber(1, 1_000_000_000, 'tokens').optional(),
  /** For a million tokens each, in whatever currency agent.maxSpend is meant. */
  prices: section({
    input: amount(),
    output: amount(),
    cacheRead: amount().optional(),
    cacheWrite: amount().optional(),
  }).optional(),
});

const serverSchema = section({
  host: text('must be a host name or address').default(DEFAULT_HOST),
  port: wholeNumber(0, 65_535).default(DEFAULT_PORT),
  tls: section({
    cert: text('must be the path of a PEM certificate'),
    key: text('must be the path of a PEM key'),
  }).optional(),
  auth: choice(['none', 'keys']).default('none'),
  allowedHosts: textList('must be a host name').default([]),
  allowedOrigins: textList('must be an origin such as https://example.org').default([]),
  keepAliveMs: milliseconds(DAY_MS).default(15_000),
  shutdownGraceMs: wholeNumber(0, DAY_MS, 'milliseconds').default(10_000),
});

const limitsSchema = section({
  maxRequestBytes: wholeNumber(1024, 4096 * MEBIBYTE, 'bytes').default(64 * MEBIBYTE),
  maxResponseBytes: wholeNumber(1024, 4096 * MEBIBYTE, 'bytes').default(64 * MEBIBYTE),
  maxConcurrentTurns: wholeNumber(1, 1_000_000).default(256),
  maxQueuedTurns: wholeNumber(0, 1_000_000).default(512),
  queueTimeoutMs: milliseconds(DAY_MS).default(30_000),
});

const byokSchema = section({
  dialect: choice(['openai', 'cursor', 'both']).default('openai'),
  strictProto: flag().default(false),
  showThinking: choice(['off', 'details', 'think']).default('off'),
  reasoningCacheEntries: wholeNumber(0, 1_000_000).default(2_000),
});

const promptText = () => text('must be the text of a prompt').optional();

const agentSchema = section({
  clientUpstreams: flag().default(false),
  http2: choice(['auto', 'off']).default('auto'),
  maxSteps: wholeNumber(1, 1_000_000).default(200),
  maxMs: milliseconds(30 * DAY_MS).optional(),
  maxTokens: wholeNumber(1, 1_000_000_000_000, 'tokens').optional(),
  maxSpend: amount().optional(),
  maxDepth: wholeNumber(0, 10).default(2),
  prompts: section({
    base: promptText(),
    agent: promptText(),
    chat: promptText(),
    plan: promptText(),
    debug: promptText(),
    search: promptText(),
    compaction: promptText(),
  }).prefault({}),
});

/** The tool runtime and the MCP client know the shape; they check it with `readSection` when the gateway starts. */
function opaqueSection() {
  return z.record(z.string(), z.unknown(), { error: 'must be a mapping of keys' }).optional();
}

export const configSchema = section({
  server: serverSchema.prefault({}),
  upstreams: z.record(z.string(), upstreamSchema, { error: 'must be a mapping of names' }).default({}),
  models: z.record(z.string(), modelSchema, { error: 'must be a mapping of names' }).default({}),
  default: text('must be the name of a model').optional(),
  store: section({
    kind: choice(['memory', 'sqlite', 'redis']).default('sqlite'),
    path: text('must be the path of a file').optional(),
    url: text('must be an address such as redis://127.0.0.1:6379').optional(),
  }).prefault({}),
  byok: byokSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  log: section({
    level: choice(LOG_LEVELS).default('info'),
    /** Left out: pretty on a terminal, else json. */
    format: choice(['json', 'pretty']).optional(),
  }).prefault({}),
  agent: agentSchema.prefault({}),
  policy: opaqueSection(),
  tools: opaqueSection(),
  mcp: opaqueSection(),
});

export type Config = z.output<typeof configSchema>;
export type UpstreamConfig = Config['upstreams'][string];
export type ModelConfig = Config['models'][string];

/** An upstream with every default in place; for upstreams that come from flags or discovery, not from a file. */
export function makeUpstream(values: z.input<typeof upstreamSchema>): UpstreamConfig {
  return upstreamSchema.parse(values);
}

/** The configuration of an empty file. */
export function defaultConfig(): Config {
  return configSchema.parse({});
}
