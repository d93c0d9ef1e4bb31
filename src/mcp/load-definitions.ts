import type { JsonValue } from '../core/index.ts';
import { describeMissing, expandTree, type Variables } from './expand-variables.ts';
import type { McpConfig, ServerConfig } from './mcp-schema.ts';
import { type ClientFilesOptions, readClientFiles } from './read-client-files.ts';
import type { ServerDefinition } from './server-definition.ts';

export interface LoadedDefinitions {
  readonly definitions: readonly ServerDefinition[];
  /** About files that could not be used. */
  readonly problems: readonly string[];
}

/** The servers of the configuration, then those of other clients' files; of two with one name the first counts. */
export async function loadDefinitions(
  config: McpConfig,
  options: ClientFilesOptions,
): Promise<LoadedDefinitions> {
  const own = Object.entries(config.servers).map(([name, server]) => ownDefinition(name, server, options));
  if (!config.readClientFiles) return { definitions: own, problems: [] };
  const { servers, problems } = await readClientFiles(options);
  const others = servers.filter(({ name }) => !Object.hasOwn(config.servers, name));
  return { definitions: [...own, ...others], problems };
}

/** `${workspaceFolder}` and `${env:NAME}` as in mcp.json files; a missing one costs this server, not the gateway. */
function ownDefinition(name: string, server: ServerConfig, variables: Variables): ServerDefinition {
  const { value, missing } = expandTree(server as unknown as JsonValue, variables); // a parsed section is plain data
  const definition = {
    name,
    config: value as unknown as ServerConfig, // only texts were changed
    origin: 'config',
    isFromWorkspace: false,
  };
  if (missing.length === 0 || server.disabled) return definition;
  return { ...definition, problem: describeMissing(`mcp.servers.${name}`, missing) };
}
