import type { Tool as WireTool } from '@modelcontextprotocol/client';
import { type JsonObject, nearestName, omitUndefined } from '../core/index.ts';
import { type McpTool, type McpToolFacts, noSuchServer } from '../tools/mcp-port.ts';
import { fail, type ToolFailure } from '../tools/tool-outcome.ts';
import type { McpConnection, Patience } from './mcp-connection.ts';
import { toFailure } from './mcp-fault.ts';
import type { ServerSet } from './server-set.ts';
import { findByName, findOnServer, modelNameOf, namesServer } from './tool-names.ts';
import type { ToolFace, ToolPins } from './tool-pins.ts';

interface ToolList {
  readonly tools: readonly McpTool[];
  readonly faults: readonly ToolFailure[];
}

/** The tools of all servers: listed, found by name, each with the state of its consent. */
export class ToolShelf {
  readonly #servers: ServerSet;
  readonly #pins: ToolPins;
  readonly #faces = new WeakMap<WireTool, ToolFace & { readonly description: string }>();
  readonly #listed = new Map<string, readonly McpTool[]>();
  /** Changes that the policy was told of, as fingerprints. */
  readonly #reported = new Set<string>();

  constructor(servers: ServerSet, pins: ToolPins) {
    this.#servers = servers;
    this.#pins = pins;
  }

  async list(connection: McpConnection, signal: AbortSignal, patience: Patience): Promise<McpTool[]> {
    const tools = await connection.tools(signal, patience);
    const list = await Promise.all(tools.map((tool) => this.#decode(connection, tool)));
    this.#listed.set(connection.definition.name, list);
    return list;
  }

  known(): readonly McpTool[] {
    return [...this.#listed.values()].flat();
  }

  async resolve(name: string, signal: AbortSignal, server?: string): Promise<McpTool | ToolFailure> {
    const { names } = this.#servers;
    if (server !== undefined) {
      if (!this.#servers.find(server)) return noSuchServer(server, names);
      return choose(name, await this.#listOf([server], signal), findOnServer);
    }
    // A name that begins with a server is looked for there, before every server is started for it.
    const meant = names.filter((one) => namesServer(name, one));
    if (meant.length > 0) {
      const list = await this.#listOf(meant, signal);
      // A server that cannot be asked is not replaced by another one with a tool of that name.
      if (list.faults.length > 0 || findByName(name, list.tools).length > 0)
        return choose(name, list, findByName);
    }
    return choose(name, await this.#listOf(names, signal), findByName);
  }

  facts(server: string, tool: string): McpToolFacts | undefined {
    const connection = this.#servers.find(server);
    const state = connection && this.#pins.state(scopeOf(connection), connection.definition.name, tool);
    if (!state) return undefined;
    const { fingerprint, consent } = state;
    const isChanged = consent === 'changed';
    if (isChanged) this.#reported.add(fingerprint);
    const listed = this.#listed.get(connection.definition.name)?.find(({ name }) => name === tool);
    const isReadOnly = listed?.annotations?.readOnlyHint === true;
    return { isPlaywright: connection.isPlaywright, isReadOnly, isChanged, fingerprint };
  }

  /** Whether a cleared call may agree to the tool as it is now. */
  isClearedFor(tool: McpTool, clearedFor: string | undefined): boolean {
    if (clearedFor !== undefined && clearedFor !== tool.fingerprint) return false;
    return tool.consent !== 'changed' || (clearedFor !== undefined && this.#reported.has(clearedFor));
  }

  async agree(server: string, tool: string, fingerprint: string): Promise<boolean> {
    const connection = this.#servers.find(server);
    if (!connection) return false;
    return this.#pins.agree(scopeOf(connection), connection.definition.name, tool, fingerprint);
  }

  async #decode(connection: McpConnection, tool: WireTool): Promise<McpTool> {
    const server = connection.definition.name;
    const face = this.#faces.get(tool) ?? {
      name: tool.name,
      title: tool.title,
      description: tool.description ?? '',
      inputSchema: tool.inputSchema as JsonObject, // it came as JSON
      outputSchema: tool.outputSchema as JsonObject | undefined,
      annotations: tool.annotations as JsonObject | undefined,
    };
    this.#faces.set(tool, face);
    const state = await this.#pins.see(scopeOf(connection), server, face);
    return omitUndefined({
      server,
      modelName: modelNameOf(server, tool.name),
      ...face,
      ...state,
    });
  }

  async #listOf(servers: readonly string[], signal: AbortSignal): Promise<ToolList> {
    const lists = await Promise.all(servers.map((server) => this.#listOne(server, signal)));
    return { tools: lists.flatMap(({ tools }) => tools), faults: lists.flatMap(({ faults }) => faults) };
  }

  async #listOne(server: string, signal: AbortSignal): Promise<ToolList> {
    const connection = this.#servers.pick(server);
    if ('ok' in connection) return { tools: [], faults: [connection] };
    try {
      return { tools: await this.list(connection, signal, 'wait'), faults: [] };
    } catch (error) {
      return { tools: [], faults: [toFailure(error)] };
    }
  }
}

function choose(name: string, { tools, faults }: ToolList, find: typeof findByName): McpTool | ToolFailure {
  const [found, ...others] = find(name, tools);
  if (found && others.length === 0) return found;
  if (found) {
    const names = [found, ...others].map(({ modelName }) => modelName).join(', ');
    return fail('UNKNOWN_TOOL', `"${name}" may mean several tools: ${names}. Call one of them by that name.`);
  }
  const [fault] = faults;
  if (fault && tools.length === 0) return fault;
  const offered = tools.filter(({ consent }) => consent !== 'changed');
  const nearest = nearestName(
    name,
    offered.flatMap((tool) => [tool.name, tool.modelName]),
  );
  const remedy =
    nearest === undefined ? 'Use get_mcp_tools to see what there is.' : `Did you mean ${nearest}?`;
  return fail('UNKNOWN_TOOL', `No MCP server has a tool "${name}". ${remedy}`);
}

/** Servers of one name in different files are different servers. */
function scopeOf({ definition }: McpConnection): string {
  return definition.origin;
}
