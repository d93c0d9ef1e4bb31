import { homedir } from 'node:os';
import type { Config } from '../../config/index.ts';
import { type McpConfig, readMcpSection } from '../../mcp/mcp-schema.ts';
import type { PolicyConfig } from '../../tools/policy/policy-schema.ts';
import { readPolicySection } from '../../tools/policy/read-policy.ts';
import { readToolSettings, type ToolSettings } from '../../tools/runtime/tool-settings.ts';

/** The sections of the configuration that the tool runtime obeys, checked and with every default in place. */
export interface ToolSections {
  readonly policy: PolicyConfig;
  readonly tools: ToolSettings;
  readonly mcp: McpConfig;
}

/** `source` is the file they stand in, for messages. */
export function readToolSections(
  config: Pick<Config, 'policy' | 'tools' | 'mcp'>,
  source?: string,
): ToolSections {
  return {
    policy: readPolicySection(config.policy, source),
    tools: readToolSettings(config.tools, source),
    mcp: readMcpSection(config.mcp, source),
  };
}

/** For the start of a gateway: a wrong rule or server must be known then, not when the first tool runs. */
export async function checkToolSections(config: Pick<Config, 'policy' | 'tools' | 'mcp'>): Promise<void> {
  const { policy } = readToolSections(config);
  if (config.policy === undefined) return;
  // Compiling the rules also tries the examples that stand beside them.
  const { Policy } = await import('../../tools/policy/policy.ts');
  new Policy({ user: policy }, { homeFolder: homedir() });
}
