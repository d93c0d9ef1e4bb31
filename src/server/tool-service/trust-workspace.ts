import { realpathSync } from 'node:fs';
import {
  DefinitionPins,
  fileStore,
  loadDefinitions,
  type McpConfig,
  type ServerDefinition,
} from '../../mcp/index.ts';
import {
  policyFiles,
  readWorkspaceRules,
  type WorkspaceRules,
  WorkspaceTrust,
} from '../../tools/policy/index.ts';
import { mcpFiles } from './mcp-files.ts';

export interface TrustOptions {
  readonly workspace: string;
  readonly stateHome: string;
  readonly homeFolder: string;
  readonly mcp: McpConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
}

export interface TrustedFiles {
  /** The real path that is trusted from now on. */
  readonly workspace: string;
  readonly rules: WorkspaceRules | undefined;
  readonly servers: readonly ServerDefinition[];
}

/** What the user agrees to by trusting: the rules and MCP servers of the workspace's files, as they are now. */
export async function readTrustable(
  options: Omit<TrustOptions, 'stateHome' | 'nowMs'>,
): Promise<TrustedFiles> {
  const workspace = realpathSync(options.workspace);
  const { definitions } = await loadDefinitions(options.mcp, {
    env: options.env,
    homeFolder: options.homeFolder,
    workspaceFolder: workspace,
    isWorkspaceTrusted: true,
  });
  return {
    workspace,
    rules: await readWorkspaceRules(workspace),
    servers: definitions.filter(({ isFromWorkspace }) => isFromWorkspace),
  };
}

export async function trustWorkspace(options: TrustOptions): Promise<TrustedFiles> {
  const files = await readTrustable(options);
  await new DefinitionPins(fileStore(mcpFiles(options.stateHome).pins)).agreeToAll(files.servers);
  const trust = new WorkspaceTrust(policyFiles(options.stateHome).trust);
  const rules = files.rules?.fingerprint;
  await trust.trust(files.workspace, { nowMs: options.nowMs, ...(rules === undefined ? {} : { rules }) });
  return files;
}
