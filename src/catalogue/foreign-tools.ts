// Names of other agents' tools: models know them from there and call them here. Known from published prompts and from
// requests of those agents.
import type { JsonObject } from '../core/index.ts';
import { foldToolName } from './fold-tool-name.ts';

export interface ForeignTool {
  readonly name: string;
  /** The row whose tool does the same. */
  readonly number: number;
  /** What the name says and the arguments of the other agent do not. */
  readonly implies?: JsonObject;
}

export const FOREIGN_TOOLS: readonly ForeignTool[] = [
  // Claude Code
  { name: 'Bash', number: 15 },
  { name: 'BashOutput', number: 62, implies: { block_until_ms: 0 } },
  { name: 'KillShell', number: 62, implies: { stop: true } },
  { name: 'KillBash', number: 62, implies: { stop: true } },
  { name: 'Edit', number: 38 },
  { name: 'MultiEdit', number: 38 },
  { name: 'NotebookEdit', number: 38 },
  // Codex
  { name: 'shell', number: 15 },
  { name: 'local_shell', number: 15 },
  { name: 'exec_command', number: 15 },
  { name: 'write_stdin', number: 55 },
  // The ToolCall `fetch` of agent.v1, and the tool of that name in several agents
  { name: 'fetch', number: 57 },
];

/** Arguments that a call by this name means without saying so; what the call does say wins over them. */
export function impliedArguments(name: string): JsonObject {
  const folded = foldToolName(name);
  return FOREIGN_TOOLS.find((tool) => foldToolName(tool.name) === folded)?.implies ?? {};
}
