import { loadConfig, statePaths } from '../config/index.ts';
import { readToolSections, type ToolSections } from '../server/tool-service/read-tool-sections.ts';
import { type OpenPolicy, openPolicy } from '../tools/policy/index.ts';
import type { CliContext } from './context.ts';

export interface LoadedToolSections {
  readonly sections: ToolSections;
  /** The configuration file, if there is one. */
  readonly file?: string;
}

/** The sections `policy`, `tools` and `mcp` of the configuration, without looking for upstreams. */
export async function loadToolSections(
  context: CliContext,
  configFile: string | undefined,
): Promise<LoadedToolSections> {
  const { env, cwd, home } = context;
  const kinds = (await context.dialects()).kinds.map(({ kind }) => kind);
  const { config, file } = await loadConfig({ env, cwd, home, kinds, configFile });
  const sections = readToolSections(config, file);
  return file === undefined ? { sections } : { sections, file };
}

/** Everything that has a say in a workspace; without a section: always ask, every protection on. */
export function openUserPolicy(
  context: CliContext,
  sections: ToolSections,
  workspace: string,
): Promise<OpenPolicy> {
  const stateHome = statePaths(context).home;
  return openPolicy({ user: sections.policy, workspace, stateHome, homeFolder: context.home });
}
