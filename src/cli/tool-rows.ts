// What the program tells about its tools: the catalogue's rows joined with the tools that serve them.
import { z } from 'zod';
import { CLIENT_TOOLS, type ClientTool, findClientTool } from '../catalogue/index.ts';
import { invalidRequest, type JsonObject } from '../core/index.ts';
import { declareTools } from '../tools/declare-tools.ts';
import { ASK_QUESTION_GATE, isOffered, KNOWLEDGE_BASE_GATE, RETIRED_TOOLS } from '../tools/modes.ts';
import { BUILTIN_TOOLS, chooseTool } from '../tools/registry.ts';
import { findTool, nearestTools } from '../tools/runtime/find-tool.ts';
import type { Mode, Risk, Tool, ToolStatus } from '../tools/tool.ts';

/** One tool as `crosspoint tools --json` prints it; scripts rely on these keys. */
export interface ToolRow {
  readonly number: number;
  readonly enum: string;
  readonly name: string;
  /** Every name that leads to the tool, its own first. */
  readonly names: readonly string[];
  /** JSON Schema of the arguments, as models get it. */
  readonly schema: JsonObject;
  /** Where it may be called, provided that the feature gates are open. */
  readonly modes: readonly Mode[];
  readonly risk: Risk;
  readonly status: ToolStatus;
}

export interface ToolEntry {
  readonly row: ToolRow;
  readonly tool: Tool;
  readonly client: ClientTool;
}

/** Rows without a tool of their own; the tool of another number takes their arguments too. */
export const SERVED_BY: Readonly<Record<number, string>> = { 5: 'read_file' };

export const GATES = [KNOWLEDGE_BASE_GATE, ASK_QUESTION_GATE] as const;
const OPEN_GATES = Object.fromEntries(GATES.map((gate) => [gate, true]));

/** Every tool, and every row of the catalogue at least once; by number, tools of one number as the registry has them. */
export function listTools(): readonly ToolEntry[] {
  const own = BUILTIN_TOOLS.map((tool) => enter(tool, tool.number));
  const lent = CLIENT_TOOLS.flatMap(({ number }) => {
    const tool = BUILTIN_TOOLS.find(({ name }) => name === SERVED_BY[number]);
    return tool ? [enter(tool, number)] : [];
  });
  return [...own, ...lent].toSorted((left, right) => left.row.number - right.row.number);
}

/** By any name the runtime would understand, by enum name or by number. */
export function findToolEntry(wanted: string): ToolEntry {
  const entries = listTools();
  const byRow = entries.filter(({ row }) => row.enum === wanted || String(row.number) === wanted);
  const [first, ...others] = byRow;
  if (first && others.length === 0) return first;
  const name = first ? first.client.caseName : wanted;
  const tool = findTool({ id: 'lookup', name, args: {} }, BUILTIN_TOOLS, chooseTool);
  const entry = entries.find((one) => one.tool === tool && one.row.number === tool.number);
  if (entry) return entry;
  throw unknownTool(wanted);
}

export function unknownTool(wanted: string) {
  const known = new Set([...BUILTIN_TOOLS, ...CLIENT_TOOLS.flatMap(({ names }) => names)].map(nameOf));
  const near = nearestTools(wanted, [...known]);
  const hint = near.length > 0 ? `Nearest: ${near.join(', ')}. ` : '';
  const mcp = /^mcp__/.test(wanted) ? 'Tools of MCP servers are called through call_mcp_tool. ' : '';
  return invalidRequest(
    `There is no tool ${JSON.stringify(wanted)}. ${mcp || hint}\`crosspoint tools\` lists them all.`,
    'tool',
  );
}

function nameOf(tool: Tool | string): string {
  return typeof tool === 'string' ? tool : tool.name;
}

/** What a client would declare in this mode, with every feature gate closed. */
export function offeredNumbers(mode: Mode): ReadonlySet<number> {
  return new Set(declareTools(mode, {}, [], BUILTIN_TOOLS).supportedTools);
}

function enter(tool: Tool, number: number): ToolEntry {
  const client = findClientTool(number);
  if (!client) throw new Error(`The tool ${tool.name} has the number ${number}, which the catalogue lacks.`);
  const isLent = tool.number !== number;
  const status = isLent || RETIRED_TOOLS.has(number) ? 'retired' : tool.status;
  const row: ToolRow = {
    number,
    enum: client.enumName,
    name: tool.name,
    names: isLent ? client.names : namesOf(tool, client, status),
    // Draft 2020-12 as plain data; zod's type for it is wider than JSON.
    schema: z.toJSONSchema(tool.args, { io: 'input' }) as JsonObject,
    modes: tool.modes.filter((mode) => isOffered(number, mode, OPEN_GATES)),
    risk: tool.risk,
    status,
  };
  return { row, tool, client };
}

/** A retired tool keeps the names that its successor has taken: there the arguments tell which of the two is meant. */
function namesOf(tool: Tool, client: ClientTool, status: ToolStatus): readonly string[] {
  const candidates = [...client.names, client.caseName];
  const leadsHere = (name: string) =>
    findTool({ id: 'lookup', name, args: {} }, BUILTIN_TOOLS, chooseTool) === tool;
  const kept = status === 'retired' ? candidates : candidates.filter(leadsHere);
  return [...new Set([tool.name, ...kept])];
}
