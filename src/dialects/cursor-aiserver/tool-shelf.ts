import {
  type AgentCall,
  type JsonObject,
  type Mode,
  omitUndefined,
  type ToolDefinition,
} from '../../core/index.ts';
import type { AiserverHost, OfferedTool, ReadArguments } from './aiserver-host.ts';
import type { McpTool } from './mcp-tools.ts';

/** `ClientSideToolV2` MCP: the number under which tools of MCP servers are called. */
const MCP_NUMBER = 19;

/** Reading a file, and the number by which clients of 2024 know it; its slot spells ranges another way. */
const READ_NUMBER = 40;
const OLDER_READ_NUMBER = 5;

/** A tool that this client runs, by the name that the model uses. */
export interface ShelvedTool extends OfferedTool {
  readonly mcp?: { readonly server: string; readonly tool: string };
}

/** What one client can run, by mode. */
export class ToolShelf {
  readonly #host: Pick<AiserverHost, 'defineTools' | 'readArguments'>;
  readonly #numbers: readonly number[];
  readonly #mcp: readonly ShelvedTool[];
  /** Every tool that was ever offered in this run: a call may come after its mode has ended. */
  readonly #byName = new Map<string, ShelvedTool>();

  constructor(
    host: Pick<AiserverHost, 'defineTools' | 'readArguments'>,
    numbers: readonly number[],
    mcpTools: readonly McpTool[],
  ) {
    this.#host = host;
    // MCP tools are declared apart; public gateways put their number into the list all the same.
    this.#numbers = numbers.filter((number) => number !== MCP_NUMBER);
    this.#mcp = mcpTools.map(({ definition, server, tool }) => ({
      definition,
      number: MCP_NUMBER,
      name: 'mcp',
      parallel: 'few' as const,
      mcp: { server, tool },
    }));
    this.#keep(this.#mcp);
  }

  list(mode: Mode): readonly ToolDefinition[] {
    const builtin = this.#numbers.length === 0 ? [] : this.#defineBuiltin(mode);
    this.#keep(builtin);
    return [...builtin, ...this.#mcp].map(({ definition }) => definition);
  }

  find(name: string): ShelvedTool | undefined {
    return this.#byName.get(name);
  }

  readArguments(tool: ShelvedTool, call: AgentCall): ReadArguments {
    if (call.inputProblem !== undefined) {
      return { ok: false, message: `The arguments of ${call.name} are not JSON: ${call.inputProblem}` };
    }
    if (tool.mcp === undefined) {
      const read = this.#host.readArguments(tool.name, call.input);
      return read.ok && tool.number === OLDER_READ_NUMBER ? { ok: true, args: olderRead(read.args) } : read;
    }
    const { server, tool: name } = tool.mcp;
    const given = call.input ?? {};
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return { ok: false, message: `The arguments of ${call.name} must be one JSON object.` };
    }
    const args: JsonObject = omitUndefined({ name, server: server || undefined, arguments: given });
    return { ok: true, args };
  }

  #defineBuiltin(mode: Mode): readonly ShelvedTool[] {
    const numbers = this.#numbers;
    if (!numbers.includes(OLDER_READ_NUMBER) || numbers.includes(READ_NUMBER)) {
      return this.#host.defineTools(mode, numbers);
    }
    return this.#host
      .defineTools(mode, [...numbers, READ_NUMBER])
      .map((tool) => (tool.number === READ_NUMBER ? { ...tool, number: OLDER_READ_NUMBER } : tool));
  }

  #keep(tools: readonly ShelvedTool[]): void {
    for (const tool of tools) this.#byName.set(tool.definition.name, tool);
  }
}

/** `ReadFileParams`: the whole file, or a first and a last line. Lines counted from the end have no place in it. */
function olderRead({ offset, limit, ...args }: JsonObject): JsonObject {
  const isWhole = (offset === undefined || offset === 1) && limit === undefined;
  if (isWhole) return { ...args, read_entire_file: true };
  if (typeof offset === 'number' && offset < 1) return { ...args, offset, read_entire_file: true };
  const first = typeof offset === 'number' ? offset : 1;
  return omitUndefined({
    ...args,
    start_line_one_indexed: first,
    end_line_one_indexed_inclusive: typeof limit === 'number' ? first + limit - 1 : undefined,
  });
}
