// The caller's tools as the backend sees them: MCP tools of one server. It shows its model `mcp_<server>_<tool>`, and
// models take names of 64 letters at most, so tool names are made to fit that whole.
// Naming as the official SDK does it: `name` = `<server>-<tool>`, calls are routed by server and tool name.
import { createHash } from 'node:crypto';
import { create, fromJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { CustomTool, FunctionTool, JsonObject, ToolDefinition } from '../../core/index.ts';
import { type McpArgs, type McpToolDefinition, McpToolDefinitionSchema } from '../../gen/agent/v1/mcp_pb.ts';
import { plainSchema } from './tool-schema.ts';

export const SERVER_NAME = 'caller';
const MODEL_PREFIX = `mcp_${SERVER_NAME}_`;
const MAX_NAME = 64 - MODEL_PREFIX.length;
const LEGAL = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME}}$`);
/** Every form in which public servers and clients write the name of an MCP tool. */
const PREFIXES = [
  `${SERVER_NAME}-`,
  MODEL_PREFIX,
  `mcp_${SERVER_NAME}-`,
  `${SERVER_NAME}___`,
  `${SERVER_NAME}__`,
];

/** Free text travels as one required string: an empty schema would be answered with `{}`. */
const LOWERED_SCHEMA: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The raw text of the call, unchanged and whole.' } },
  required: ['input'],
};

export interface AgentTool {
  readonly wireName: string;
  readonly definition: FunctionTool | CustomTool;
  readonly schema: JsonObject;
}

export class AgentTools {
  readonly list: readonly AgentTool[];
  readonly #byWireName = new Map<string, AgentTool>();
  readonly #wireNames = new Map<string, string>();

  constructor(tools: readonly ToolDefinition[]) {
    for (const definition of tools) {
      if (definition.kind === 'hosted') continue;
      const full = fullName(definition);
      if (this.#wireNames.has(full)) continue;
      const plain = toWireName(full);
      const wireName = this.#byWireName.has(plain) ? withHash(plain, `${full}\u0000`) : plain;
      const schema = definition.kind === 'custom' ? LOWERED_SCHEMA : plainSchema(definition.parameters);
      this.#wireNames.set(full, wireName);
      this.#byWireName.set(wireName, { wireName, definition, schema });
    }
    this.list = [...this.#byWireName.values()];
  }

  get wireNames(): readonly string[] {
    return [...this.#byWireName.keys()];
  }

  /** The tool that a call of the backend means. */
  find(call: Pick<McpArgs, 'name' | 'toolName'>): AgentTool | undefined {
    for (const name of [call.toolName, call.name]) {
      const exact = this.#byWireName.get(name);
      if (exact) return exact;
      for (const prefix of PREFIXES) {
        const found = name.startsWith(prefix) && this.#byWireName.get(name.slice(prefix.length));
        if (found) return found;
      }
    }
    return undefined;
  }

  /** How the backend's own prompt spells the tool; also for tools that are no longer declared. */
  modelName(tool: { readonly name: string; readonly namespace?: string }): string {
    return MODEL_PREFIX + (this.#wireNames.get(fullName(tool)) ?? toWireName(fullName(tool)));
  }

  encode(): McpToolDefinition[] {
    return this.list.map(({ wireName, definition, schema }) =>
      create(McpToolDefinitionSchema, {
        name: `${SERVER_NAME}-${wireName}`,
        description: describe(definition),
        inputSchema: fromJson(ValueSchema, schema),
        inputSchemaJson: JSON.stringify(schema),
        providerIdentifier: SERVER_NAME,
        toolName: wireName,
      }),
    );
  }
}

function describe(tool: FunctionTool | CustomTool): string {
  const text = tool.description ?? '';
  if (tool.kind !== 'custom' || tool.format?.type !== 'grammar') return text;
  const { syntax, definition } = tool.format;
  return `${text}\n\n\`input\` must match this ${syntax} grammar:\n${definition}`.trim();
}

function fullName({ name, namespace }: { readonly name: string; readonly namespace?: string }): string {
  return namespace === undefined ? name : `${namespace}__${name}`;
}

function toWireName(full: string): string {
  return LEGAL.test(full) ? full : withHash(full.replace(/[^A-Za-z0-9_-]/g, '_'), full);
}

/** The same name always gives the same alias, so that histories and prompt caches agree. */
function withHash(clean: string, seed: string): string {
  const suffix = `_${createHash('sha256').update(seed).digest('hex').slice(0, 8)}`;
  return clean.slice(0, MAX_NAME - suffix.length) + suffix;
}
