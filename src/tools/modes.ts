// Which tools a mode offers and which calls it refuses. The filter rules are those of Cursor's client (deprecated tools,
// web search, knowledge base, tasks, questions); that chat, plan and search change nothing is enforced here, not by prompts.
import { CLIENT_TOOLS, MCP_TOOL_NUMBER } from '../catalogue/index.ts';
import { isReadOnlyMode } from '../core/index.ts';
import type { Mode, Risk, Touch } from './tool.ts';

/** Switches by name, as the client's feature service knows them; absent means off. */
export type FeatureGates = Readonly<Record<string, boolean | undefined>>;

export const KNOWLEDGE_BASE_GATE = 'knowledge_base_enabled';
export const ASK_QUESTION_GATE = 'ask_question_all_modes';

/** Rows that no client is told of any more. */
export const RETIRED_TOOLS: ReadonlySet<number> = new Set(
  CLIENT_TOOLS.filter(({ isRetired }) => isRetired).map(({ number }) => number),
);

const WEB_SEARCH = 18;
const KNOWLEDGE_BASE = 25;
const TASKS: ReadonlySet<number> = new Set([32, 48]);
const CREATE_PLAN = 43;
/** They send a server the protocol's own requests for reading; none of its tools runs. */
const RESOURCE_READERS: ReadonlySet<number> = new Set([44, 45]);
const RESOURCE_REQUESTS: ReadonlySet<string> = new Set(['resources/list', 'resources/read']);
const CALL_MCP_TOOL = 49;
const ASK_QUESTION = 51;

/** Tools that write files, run programs or act for the user, by number: names can be invented, numbers cannot. */
const CHANGING: ReadonlySet<number> = new Set([7, 11, 12, 15, 24, 29, 38, 47, 50, 53, 54, 55, 56]);

export { isReadOnlyMode };

/** What the mode says of a tool before any call of it is seen. */
export function isOffered(number: number, mode: Mode, gates: FeatureGates): boolean {
  if (number === WEB_SEARCH) return mode === 'agent' || mode === 'chat' || mode === 'search';
  if (number === KNOWLEDGE_BASE) return gates[KNOWLEDGE_BASE_GATE] === true;
  if (TASKS.has(number)) return mode !== 'plan' && mode !== 'debug';
  if (number === ASK_QUESTION) return mode === 'plan' || gates[ASK_QUESTION_GATE] === true;
  return !(isReadOnlyMode(mode) && CHANGING.has(number));
}

export interface ModeCall {
  readonly tool: {
    readonly name: string;
    readonly number: number;
    readonly risk: Risk;
    readonly modes: readonly Mode[];
  };
  readonly touches: readonly Touch[];
  /** Whether an MCP server vouches that the tool only reads; unknown is no. */
  readonly isReadOnlyMcp?: (server: string, tool: string) => boolean;
}

/** Why the mode refuses this call, in words for the model; undefined when it does not. */
export function findModeRefusal(call: ModeCall, mode: Mode, gates: FeatureGates): string | undefined {
  const { tool } = call;
  if (
    tool.number !== MCP_TOOL_NUMBER &&
    (!tool.modes.includes(mode) || !isOffered(tool.number, mode, gates))
  ) {
    return `${tool.name} is not available in ${mode} mode. ${remedy(tool.modes, mode)}`;
  }
  if (!isReadOnlyMode(mode)) return undefined;
  // What an MCP tool does is its server's to say; the touch names server and tool.
  const isMcp = tool.number === MCP_TOOL_NUMBER || tool.number === CALL_MCP_TOOL;
  const isPlanning = tool.number === CREATE_PLAN && mode === 'plan';
  if (!isPlanning && !isMcp && (tool.risk === 'write' || tool.risk === 'execute')) {
    return `${tool.name} changes things, and ${mode} mode only reads. Ask the user to switch to agent mode.`;
  }
  const change = call.touches.find((touch) => isChange(touch, call, isPlanning));
  if (!change) return undefined;
  return `${tool.name} would ${describeTouch(change)}, and ${mode} mode only reads. Ask the user to switch to agent mode.`;
}

function remedy(modes: readonly Mode[], mode: Mode): string {
  const others = modes.filter((other) => other !== mode);
  return others.length === 0
    ? 'Use another tool.'
    : `It belongs to ${others.join(', ')} mode; use another tool or ask to switch.`;
}

function isChange(touch: Touch, call: ModeCall, isPlanning: boolean): boolean {
  switch (touch.type) {
    case 'path':
      return touch.access !== 'read' && !(isPlanning && isPlanFile(touch));
    case 'command':
      return true;
    case 'mcp':
      if (RESOURCE_REQUESTS.has(touch.tool)) return !RESOURCE_READERS.has(call.tool.number); // else a tool of that name
      return call.isReadOnlyMcp?.(touch.server, touch.tool) !== true;
    default:
      return false;
  }
}

/** A plan is the one thing that plan mode writes: a markdown file of its own in a folder of plans. */
function isPlanFile(touch: Extract<Touch, { type: 'path' }>): boolean {
  return touch.access === 'write' && /\/plans\/[^/]+\.md$/.test(touch.path);
}

function describeTouch(touch: Touch): string {
  switch (touch.type) {
    case 'path':
      return `${touch.access} ${touch.path}`;
    case 'command':
      return 'run a command';
    case 'mcp':
      return `call ${touch.server}:${touch.tool}, which is not known to be read-only`;
    default:
      return 'act';
  }
}
