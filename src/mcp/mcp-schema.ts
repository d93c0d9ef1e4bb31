// The section `mcp` of the configuration. A server is either a program (stdio) or an address (streamable HTTP, with
// the older SSE transport as fallback).
import { z } from 'zod';
import { readSection } from '../config/read-section.ts';
import { isJsonObject, type JsonValue } from '../core/index.ts';

const text = (wish: string) => z.string({ error: wish }).min(1, { error: wish });

const milliseconds = (byDefault: number) => {
  const error = 'must be a whole number of milliseconds from 1 to 86400000';
  return z.number({ error }).int({ error }).min(1, { error }).max(86_400_000, { error }).default(byDefault);
};

function isHttpAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

const textMap = z.record(z.string(), z.string({ error: 'must be a string' }), {
  error: 'must be a mapping of names to strings',
});

export const timeLimitsSchema = z.strictObject({
  /** `npx` may have to fetch a package first. */
  connectMs: milliseconds(60_000),
  /** Without an answer or a sign of progress. */
  callMs: milliseconds(60_000),
  /** In all, whatever progress is reported. */
  totalMs: milliseconds(600_000),
});

export const serverSchema = z
  .strictObject({
    command: text('must be the program to start').optional(),
    args: z.array(z.string({ error: 'must be a string' }), { error: 'must be a list' }).default([]),
    env: textMap.default({}),
    cwd: text('must be a folder').optional(),
    url: z
      .string({ error: 'must be an http:// or https:// address' })
      .refine(isHttpAddress, { error: 'must be an http:// or https:// address' })
      .optional(),
    headers: textMap.default({}),
    /** Left out: a program speaks stdio, an address streamable HTTP and, where that is refused, SSE. */
    transport: z.enum(['stdio', 'http', 'sse'], { error: 'must be stdio, http or sse' }).optional(),
    disabled: z.boolean({ error: 'must be true or false' }).default(false),
    oauth: z
      .strictObject({
        clientId: text('must be the id of a registered client'),
        clientSecret: text('must be a non-empty string').optional(),
        scope: text('must be scopes with spaces between them').optional(),
      })
      .optional(),
    timeouts: timeLimitsSchema.prefault({}),
  })
  .superRefine((server, context) => {
    const complain = (message: string) => context.addIssue({ code: 'custom', message });
    if (server.command === undefined && server.url === undefined)
      complain('needs command (a program to start) or url (an address to call)');
    if (server.command !== undefined && server.url !== undefined)
      complain('has command and url; keep one of them');
    if (server.transport === 'stdio' && server.command === undefined) complain('is stdio and needs command');
    if (server.transport !== undefined && server.transport !== 'stdio' && server.url === undefined)
      complain(`is ${server.transport} and needs url`);
  });

/** Rules for allowing servers and tools are written as `server:tool`, so neither sign can be part of a name. */
const serverName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^:*\p{Cc}]+$/u, { error: 'a server name has no colon, star or control character' });

/** How the transport is named in the files of other clients, where the key is often `type`. */
const TRANSPORTS: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamablehttp: 'http',
  sse: 'sse',
};

export function readTransport(name: JsonValue | undefined): JsonValue | undefined {
  return typeof name === 'string' ? (TRANSPORTS[name.toLowerCase()] ?? name) : name;
}

/** `PORT: 8080` and `DEBUG: true` are common; a process only knows text. null removes a variable in VS Code. */
export function stringValues(map: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(map)) return map;
  const entries = Object.entries(map).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'object' ? value : String(value)]),
  );
}

/** A server pasted from an mcp.json file means here what it means there. */
function fromUsualForm(given: unknown): unknown {
  if (!isJsonObject(given)) return given;
  const { type, enabled, env, headers, transport, ...rest } = given;
  const kind = readTransport(transport ?? type);
  return {
    ...rest,
    ...(kind === undefined ? {} : { transport: kind }),
    ...(env === undefined ? {} : { env: stringValues(env) }),
    ...(headers === undefined ? {} : { headers: stringValues(headers) }),
    ...(enabled === false ? { disabled: true } : {}),
  };
}

export const mcpSchema = z.strictObject({
  servers: z
    .record(serverName, z.preprocess(fromUsualForm, serverSchema), {
      error: (issue) => (issue.code === 'invalid_key' ? undefined : 'must be a mapping of names'),
    })
    .default({}),
  /** Also use the servers of other clients' mcp.json files; those of the workspace only when it is trusted. */
  readClientFiles: z.boolean({ error: 'must be true or false' }).default(true),
  /**
   * A tool that differs from what was agreed to is always asked for. `first-use` also asks for every tool that nobody
   * has agreed to yet, whatever the rules allow.
   */
  consent: z.enum(['changes', 'first-use'], { error: 'must be changes or first-use' }).default('changes'),
});

export type McpConfig = z.output<typeof mcpSchema>;
export type ServerConfig = z.output<typeof serverSchema>;
export type TimeLimits = z.output<typeof timeLimitsSchema>;

/** The section as the hub wants it; throws one error that lists every problem. `source` is the file it stands in. */
export function readMcpSection(section: unknown, source?: string): McpConfig {
  return readSection('mcp', mcpSchema, section, source);
}

export function isServerName(name: string): boolean {
  return serverName.safeParse(name).success;
}
