// THE table of Cursor's client-side tools (enum `ClientSideToolV2` of aiserver.v1), one row per number.
// Known from public reconstructions of the protobuf files and captured requests. Numbers absent here were removed
// from the enum (2, 4, 10, 13, 14, 17, 20-22) or never seen (36, 37, 64).
import type { ClientTool } from './client-tool.ts';
import { FILE_TOOLS } from './file-tools.ts';
import { foldToolName } from './fold-tool-name.ts';
import { FOREIGN_TOOLS } from './foreign-tools.ts';
import { REMOTE_TOOLS } from './remote-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';
import { SESSION_TOOLS } from './session-tools.ts';
import { SHELL_TOOLS } from './shell-tools.ts';

/** In the order of their numbers. */
export const CLIENT_TOOLS: readonly ClientTool[] = [
  ...FILE_TOOLS,
  ...SEARCH_TOOLS,
  ...SHELL_TOOLS,
  ...SESSION_TOOLS,
  ...REMOTE_TOOLS,
]
  .map(withForeignNames)
  .sort((left, right) => left.number - right.number);

function withForeignNames(tool: ClientTool): ClientTool {
  const known = new Set(tool.names.map(foldToolName));
  const foreign = FOREIGN_TOOLS.filter(
    ({ number, name }) => number === tool.number && !known.has(foldToolName(name)),
  );
  return { ...tool, names: [...tool.names, ...foreign.map(({ name }) => name)] };
}

export const MCP_TOOL_NUMBER = 19;

const BY_NUMBER: ReadonlyMap<number, ClientTool> = new Map(CLIENT_TOOLS.map((tool) => [tool.number, tool]));

export function findClientTool(number: number): ClientTool | undefined {
  return BY_NUMBER.get(number);
}

/** For numbers written in this folder's own tables; a number without a row is a mistake there. */
export function clientTool(number: number): ClientTool {
  const tool = BY_NUMBER.get(number);
  if (!tool) throw new Error(`No client tool has the number ${number}.`);
  return tool;
}
