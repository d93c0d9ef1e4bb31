// aiserver.v1 `mcp_tools`: one flat list with the server's name in each entry. A model calls such a tool by the name
// `mcp_<server>_<tool>`; the call itself travels as tool 19 with both names apart.
import { createHash } from 'node:crypto';
import { type FunctionTool, isJsonObject, type JsonObject, omitUndefined } from '../../core/index.ts';
import type { MCPParams_Tool } from '../../gen/aiserver/v1/tool_mcp_pb.ts';

export interface McpTool {
  readonly definition: FunctionTool;
  readonly server: string;
  /** As the client declared it. */
  readonly tool: string;
}

/** What model servers take as a name. */
const MAX_NAME_CHARACTERS = 64;

/** Each tool once. A schema that is no JSON object is left out and counted; the client still checks the arguments. */
export function decodeMcpTools(
  declared: readonly MCPParams_Tool[],
  onDrift: (kind: string) => void,
): readonly McpTool[] {
  const byName = new Map<string, McpTool>();
  const seen = new Set<string>();
  for (const { name: tool, serverName: server, description, parameters } of declared) {
    const key = JSON.stringify([server, tool]);
    if (tool === '' || seen.has(key)) continue;
    seen.add(key);
    const plain = mcpToolName(server, tool);
    const name = byName.has(plain) ? withHash(plain, key) : plain;
    const definition: FunctionTool = omitUndefined({
      kind: 'function' as const,
      name,
      description: description || undefined,
      parameters: readSchema(parameters, onDrift),
    });
    byName.set(name, { definition, server, tool });
  }
  return [...byName.values()];
}

export function mcpToolName(server: string, tool: string): string {
  const prefix = server === '' ? 'mcp_' : `mcp_${server}_`;
  // Some clients declare the long name already.
  const whole = tool.startsWith(prefix) ? tool : `${prefix}${tool}`;
  const clean = whole.replace(/[^A-Za-z0-9_-]/g, '_');
  return clean === whole && clean.length <= MAX_NAME_CHARACTERS ? clean : withHash(clean, whole);
}

function withHash(name: string, whole: string): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_CHARACTERS - hash.length - 1)}_${hash}`;
}

function readSchema(parameters: string, onDrift: (kind: string) => void): JsonObject | undefined {
  if (parameters === '') return undefined;
  try {
    const schema: unknown = JSON.parse(parameters);
    if (isJsonObject(schema)) return schema;
  } catch {
    // counted below
  }
  onDrift('MCPParams.Tool.parameters');
  return undefined;
}
