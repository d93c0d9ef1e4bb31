// Tools beside the built-in ones: the caller's own (the server `custom-user-tools` of the SDK) and those of MCP servers.
import { fromJson, type MessageInitShape, type JsonValue as ProtoJson, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { JsonObject, JsonValue } from '../../../../src/core/index.ts';
import type { McpArgs, McpToolDefinitionSchema } from '../../../../src/gen/agent/v1/mcp_pb.ts';
import { type ExecAnswer, ExecTrouble } from './execution.ts';

export const CUSTOM_SERVER = 'custom-user-tools';

export interface DeclaredTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** What it throws is an error of the tool. */
  readonly execute: (input: Readonly<Record<string, JsonValue>>) => Promise<string> | string;
}

type Definition = Exclude<MessageInitShape<typeof McpToolDefinitionSchema>, { $typeName: string }>;

export function defineDeclared(tool: DeclaredTool): Definition {
  return {
    name: `${tool.server}-${tool.name}`,
    providerIdentifier: tool.server,
    toolName: tool.name,
    description: tool.description,
    inputSchema: fromJson(ValueSchema, tool.inputSchema as ProtoJson), // both are JSON
  };
}

export async function callDeclared(args: McpArgs, tools: readonly DeclaredTool[]): Promise<ExecAnswer> {
  const servers = [...new Set(tools.map(({ server }) => server))];
  if (!servers.includes(args.providerIdentifier)) {
    const value = { name: args.providerIdentifier, availableServers: servers };
    return { case: 'mcpResult', value: { result: { case: 'serverNotFound', value } } };
  }
  const own = tools.filter(({ server }) => server === args.providerIdentifier);
  const tool = own.find(({ name }) => name === args.toolName);
  if (tool === undefined) throw new ExecTrouble(`No tool ${args.toolName} at ${args.providerIdentifier}`);
  const input = Object.fromEntries(
    Object.entries(args.args).map(([name, value]) => [name, toJson(ValueSchema, value) as JsonValue]), // both are JSON
  );
  try {
    const text = await tool.execute(input);
    const content = [{ content: { case: 'text' as const, value: { text } } }];
    return { case: 'mcpResult', value: { result: { case: 'success', value: { content } } } };
  } catch (error) {
    const value = { error: error instanceof Error ? error.message : String(error) };
    return { case: 'mcpResult', value: { result: { case: 'error', value } } };
  }
}
