// The client's own tools and those of its MCP servers, under names that models take. Names follow `mcp_<server>_<tool>`,
// which is how Cursor's prompts spell them; the tools that an SDK user passes in keep the names their author gave them.
import { createHash } from 'node:crypto';
import { toJson } from '@bufbuild/protobuf';
import { type Value, ValueSchema } from '@bufbuild/protobuf/wkt';
import { CLIENT_TOOLS, foldToolName } from '../../../catalogue/index.ts';
import { isJsonObject, type JsonObject } from '../../../core/index.ts';
import type { McpToolDefinition } from '../../../gen/agent/v1/mcp_pb.ts';
import type { RemotePort } from '../../../native/remote-port.ts';
import { BUILTIN_TOOLS } from '../../registry.ts';

export interface ListedMcpTool {
  /** As models call it; unique, at most 64 letters, digits, `_` and `-`. */
  readonly modelName: string;
  readonly server: string;
  /** As its server calls it. */
  readonly tool: string;
  /** As the client declared it. */
  readonly wireName: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly isReadOnly: boolean;
}

/** The synthetic server of the official SDK's in-process tools. */
const CUSTOM_SERVER = 'custom-user-tools';
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** A tool by such a name would be taken for the built-in one. */
const RESERVED: ReadonlySet<string> = new Set(
  [...BUILTIN_TOOLS.map((tool) => tool.name), ...CLIENT_TOOLS.flatMap((tool) => tool.names)].map(
    foldToolName,
  ),
);

const CATALOGUES = new WeakMap<readonly McpToolDefinition[], McpCatalogue>();

export class McpCatalogue {
  readonly list: readonly ListedMcpTool[];
  readonly #byName: ReadonlyMap<string, ListedMcpTool>;

  constructor(definitions: readonly McpToolDefinition[]) {
    const byName = new Map<string, ListedMcpTool>();
    const seen = new Set<string>();
    for (const definition of definitions) {
      const server = definition.providerIdentifier;
      const tool = definition.toolName || definition.name;
      const key = JSON.stringify([server, tool]);
      if (tool === '' || seen.has(key)) continue;
      seen.add(key);
      const modelName = uniqueName(server, tool, byName);
      byName.set(modelName, {
        modelName,
        server,
        tool,
        wireName: definition.name || tool,
        description: definition.description,
        schema: schemaOf(definition),
        isReadOnly: isReadOnly(definition.annotationsJson),
      });
    }
    this.#byName = byName;
    this.list = [...byName.values()];
  }

  /** One per list of definitions: names stay the same for whoever asks. */
  static of(port: RemotePort): McpCatalogue {
    const known = CATALOGUES.get(port.mcpTools);
    if (known) return known;
    const made = new McpCatalogue(port.mcpTools);
    CATALOGUES.set(port.mcpTools, made);
    return made;
  }

  get(modelName: string): ListedMcpTool | undefined {
    return this.#byName.get(modelName);
  }

  /** By any spelling that means one tool only; a guess would let one server answer for another. */
  find(name: string): ListedMcpTool | undefined {
    const folded = foldToolName(name);
    const full = this.list.filter((tool) =>
      [`mcp${tool.server}${tool.tool}`, `${tool.server}${tool.tool}`, tool.wireName].some(
        (spelling) => foldToolName(spelling) === folded,
      ),
    );
    return (
      this.get(name) ?? only(full) ?? only(this.list.filter((tool) => foldToolName(tool.tool) === folded))
    );
  }

  findOn(server: string, name: string): ListedMcpTool | undefined {
    const tools = this.list.filter((tool) => foldToolName(tool.server) === foldToolName(server));
    const exact = tools.find((tool) => tool.tool === name);
    return (
      exact ??
      tools.find((tool) => [tool.modelName, tool.wireName].includes(name)) ??
      only(tools.filter((tool) => foldToolName(tool.tool) === foldToolName(name)))
    );
  }

  get servers(): readonly string[] {
    return [...new Set(this.list.map((tool) => tool.server))];
  }
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

function uniqueName(server: string, tool: string, taken: ReadonlyMap<string, unknown>): string {
  const isOwn = (server === CUSTOM_SERVER || server === '') && !RESERVED.has(foldToolName(tool));
  const full = server === '' ? `mcp_${tool}` : `mcp_${server}_${tool}`;
  const candidates = isOwn ? [tool, full] : [full];
  const free = candidates.find((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name) && !taken.has(name));
  if (free !== undefined) return free;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const readable = (isOwn ? tool : full).replace(/[^A-Za-z0-9_-]/g, '_');
  return `${readable.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/** The text wins where both are there: a struct has no integers and no order. */
function schemaOf({ inputSchemaJson, inputSchema }: McpToolDefinition): JsonObject {
  const given = inputSchemaJson === undefined ? undefined : parseObject(inputSchemaJson);
  const schema = given ?? (inputSchema && jsonOf(inputSchema));
  return isJsonObject(schema) ? { type: 'object', ...schema } : { type: 'object', properties: {} };
}

/** A value without a kind has no JSON form; the tool is then offered without a schema. */
function jsonOf(value: Value): unknown {
  try {
    return toJson(ValueSchema, value);
  } catch {
    return undefined;
  }
}

function isReadOnly(annotationsJson: string | undefined): boolean {
  return annotationsJson !== undefined && parseObject(annotationsJson)?.readOnlyHint === true;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
