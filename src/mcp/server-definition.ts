import { createHash } from 'node:crypto';
import type { ServerConfig } from './mcp-schema.ts';

/** One server as it will be started or called, every variable filled in. */
export interface ServerDefinition {
  readonly name: string;
  readonly config: ServerConfig;
  /** `config`, or the path of the file it stands in. */
  readonly origin: string;
  /** From a file that anybody who changes the repository can change. */
  readonly isFromWorkspace: boolean;
  /** Why it cannot be used: a variable that is not set, a wrong value. */
  readonly problem?: string;
}

export function transportOf({ transport, command }: ServerConfig): 'stdio' | 'http' | 'sse' {
  return transport ?? (command === undefined ? 'http' : 'stdio');
}

/**
 * A definition as text for people to compare. Values that may be secrets stand as short hashes: a change shows, the
 * value does not.
 */
export function describeDefinition({ config }: ServerDefinition): string {
  const { command, args, cwd, url, env, headers, oauth } = config;
  const hashed = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, value]) => `  ${name}: ${shortHash(value)}`);
  const lines: string[] = [`transport: ${transportOf(config)}`];
  if (command !== undefined) lines.push(`command: ${JSON.stringify(command)}`);
  if (args.length > 0) lines.push('args:', ...args.map((arg) => `  - ${JSON.stringify(arg)}`));
  if (cwd !== undefined) lines.push(`cwd: ${JSON.stringify(cwd)}`);
  if (url !== undefined)
    lines.push(`url: ${url.replace(/(?<=[?&][^=&]*=)[^&#]+/g, (value) => shortHash(value))}`);
  if (Object.keys(env).length > 0) lines.push('env:', ...hashed(env));
  if (Object.keys(headers).length > 0) lines.push('headers:', ...hashed(headers));
  if (oauth !== undefined) lines.push(`oauth client: ${oauth.clientId}`);
  return lines.join('\n');
}

/** Values of the definition that must not be repeated in messages. */
export function secretsOf({ env, headers, oauth, url }: ServerConfig): string[] {
  const secrets = [...Object.values(env), ...Object.values(headers)];
  // "Bearer abc": the token alone is as secret as the whole value.
  for (const value of Object.values(headers))
    secrets.push(...value.split(/\s+/).filter((word) => word.length > 8));
  if (oauth?.clientSecret !== undefined) secrets.push(oauth.clientSecret);
  if (url !== undefined && URL.canParse(url)) secrets.push(...new URL(url).searchParams.values());
  return secrets;
}

function shortHash(value: string): string {
  return `(sha256 ${sha256(value).slice(0, 12)})`;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
