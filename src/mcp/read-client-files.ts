// The mcp.json files of other clients: Cursor and Claude Code keep servers under `mcpServers`, VS Code under
// `servers`; the keys of a server are nearly the same. Known from their documentation; keys that only steer their own
// interfaces (`autoApprove`, `alwaysAllow`, `gallery` …) are left out: consent given elsewhere is not given here.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue, omitUndefined } from '../core/index.ts';
import { describeMissing, expandTree, type Variables } from './expand-variables.ts';
import { isServerName, readTransport, serverSchema, stringValues } from './mcp-schema.ts';
import type { ServerDefinition } from './server-definition.ts';

const MAX_FILE_CHARACTERS = 1_000_000;

export interface ClientFilesOptions extends Variables {
  /** Only then are files of the workspace read at all. */
  readonly isWorkspaceTrusted: boolean;
}

export interface ClientFiles {
  /** The user's own files come first, and of two servers with one name the first counts. */
  readonly servers: readonly ServerDefinition[];
  readonly problems: readonly string[];
}

export async function readClientFiles(options: ClientFilesOptions): Promise<ClientFiles> {
  const { homeFolder, workspaceFolder, isWorkspaceTrusted } = options;
  const servers: ServerDefinition[] = [];
  const problems: string[] = [];
  const files = [
    { file: path.join(homeFolder, '.cursor', 'mcp.json'), isFromWorkspace: false },
    ...['.cursor/mcp.json', '.vscode/mcp.json', '.mcp.json']
      .filter(() => isWorkspaceTrusted)
      .map((name) => ({ file: path.join(workspaceFolder, name), isFromWorkspace: true }))
      // A workspace that is the home folder does not make the user's own file a stranger's.
      .filter(({ file }) => file !== path.join(homeFolder, '.cursor', 'mcp.json')),
  ];
  for (const { file, isFromWorkspace } of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const read = parseClientFile(text, { file, isFromWorkspace, variables: options });
    problems.push(...read.problems);
    for (const server of read.servers)
      if (!servers.some(({ name }) => name === server.name)) servers.push(server);
  }
  return { servers, problems };
}

interface FileOptions {
  readonly file: string;
  readonly isFromWorkspace: boolean;
  readonly variables: Variables;
}

export function parseClientFile(text: string, options: FileOptions): ClientFiles {
  const { file, isFromWorkspace } = options;
  const refuse = (why: string) => ({ servers: [], problems: [`${file} ${why}`] });
  if (text.length > MAX_FILE_CHARACTERS)
    return refuse(`is longer than ${MAX_FILE_CHARACTERS} characters; it was not read.`);
  const errors: ParseError[] = [];
  // An empty file is what an editor leaves behind, not a mistake.
  const root: unknown =
    text.trim() === '' ? {} : parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error)
    return refuse(
      `is not JSON: ${printParseErrorCode(error.error)} at character ${error.offset}; correct it there.`,
    );
  if (!isJsonObject(root)) return refuse('must hold an object with `mcpServers` or `servers`.');
  const table = root.mcpServers ?? root.servers ?? {};
  if (!isJsonObject(table)) return refuse('has `mcpServers` or `servers` that is not an object.');
  const servers: ServerDefinition[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(table)) {
    if (!isServerName(name))
      problems.push(`${file} names a server ${JSON.stringify(name)}; leave out : and *.`);
    else servers.push({ name, origin: file, isFromWorkspace, ...readServer(value, options) });
  }
  return { servers, problems };
}

function readServer(
  value: JsonValue,
  { file, variables }: FileOptions,
): Pick<ServerDefinition, 'config' | 'problem'> {
  const { value: given, missing } = expandTree(value, variables);
  const parsed = serverSchema.safeParse(isJsonObject(given) ? knownKeys(given) : given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return { config: UNUSABLE, problem: `${file}: ${where === '' ? 'it' : where} ${issue?.message}.` };
  }
  const { data: config } = parsed;
  if (missing.length === 0 || config.disabled) return { config };
  return { config, problem: describeMissing(file, missing) };
}

const UNUSABLE = serverSchema.parse({ command: 'false', disabled: true });

function knownKeys(server: JsonObject): JsonObject {
  const { command, args, env, cwd, headers, disabled, enabled } = server;
  const url = server.url ?? server.serverUrl; // Windsurf's spelling, which files copied from there have
  const known = { command, args, env: stringValues(env), cwd, url, headers: stringValues(headers) };
  const kind = readTransport(server.type ?? server.transport);
  return omitUndefined({
    ...known,
    transport: kind === 'stdio' || kind === 'http' || kind === 'sse' ? kind : undefined,
    disabled: disabled === true || enabled === false ? true : undefined,
  }) as JsonObject; // every undefined value has just been left out
}
