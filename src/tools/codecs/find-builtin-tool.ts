import { type ClientTool, findClientTool, foldToolName } from '../../catalogue/index.ts';
import { GatewayError, nearestName } from '../../core/index.ts';
import { BUILTIN_TOOLS } from '../registry.ts';
import type { Tool } from '../tool.ts';

export function findBuiltinTool(name: string): Tool {
  const tool = BUILTIN_TOOLS.find((one) => one.name === name);
  if (tool) return tool;
  const near = nearestName(
    name,
    BUILTIN_TOOLS.map((one) => one.name),
  );
  const hint = near === undefined ? 'see `crosspoint tools`' : `did you mean ${near}?`;
  throw new GatewayError('invalid-request', `No built-in tool is named "${name}"; ${hint}`);
}

/** By the spelling a model may have used: `StrReplace` is no name of ours, but `Write` and `write` are one. */
export function toolLike(name: string, among: readonly Tool[]): Tool | undefined {
  const folded = foldToolName(MODEL_NAMES[name] ?? name);
  return among.find((tool) => foldToolName(tool.name) === folded);
}

/** Names by which models know edits that share a number. */
const MODEL_NAMES: Readonly<Record<string, string>> = { StrReplace: 'search_replace' };

export function clientToolOf(number: number): ClientTool {
  const row = findClientTool(number);
  if (row) return row;
  throw new GatewayError(
    'invalid-request',
    `No tool has the number ${number}; see \`crosspoint tools\` for those that exist.`,
  );
}
