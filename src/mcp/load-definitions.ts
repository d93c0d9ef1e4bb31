import type { McpConfig } from './mcp-schema.ts';
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
  const own = Object.entries(config.servers).map(([name, server]) => ({
    name,
    config: server,
    origin: 'config',
    isFromWorkspace: false,
  }));
  if (!config.readClientFiles) return { definitions: own, problems: [] };
  const { servers, problems } = await readClientFiles(options);
  const others = servers.filter(({ name }) => !Object.hasOwn(config.servers, name));
  return { definitions: [...own, ...others], problems };
}
