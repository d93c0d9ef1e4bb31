import { foldToolName, MCP_TOOL_NUMBER, resolveToolName } from '../../catalogue/index.ts';
import { nearestName } from '../../core/index.ts';
import type { ToolCall } from '../envelope.ts';
import type { Tool } from '../tool.ts';

/** Which of several tools with one number a call means, by its arguments; the name of the tool, or undefined. */
export type ChooseTool = (number: number, args: unknown) => string | undefined;

/** V1 tools of the catalogue whose V2 twin understands their arguments too. */
const TWINS: Readonly<Record<number, number>> = { 1: 9, 3: 41, 5: 40, 6: 39, 7: 38, 32: 48 };

/** The tool a call means: by its own name, else by the catalogue's number and the arguments. */
export function findTool(
  call: ToolCall,
  tools: readonly Tool[],
  choose: ChooseTool | undefined,
): Tool | undefined {
  const { number } = resolveToolName(call.name, call.args);
  const named = tools.filter((tool) => foldToolName(tool.name) === foldToolName(call.name));
  const exact = named.find((tool) => tool.number === number) ?? named[0];
  if (exact && (exact.number === number || !tools.some((tool) => tool.number === number))) return exact;
  if (number === MCP_TOOL_NUMBER) return exact;
  return byNumber(number, call, tools, choose) ?? exact ?? byNumber(TWINS[number] ?? -1, call, tools, choose);
}

function byNumber(
  number: number,
  call: ToolCall,
  tools: readonly Tool[],
  choose: ChooseTool | undefined,
): Tool | undefined {
  const candidates = tools.filter((tool) => tool.number === number);
  if (candidates.length < 2) return candidates[0];
  const chosen = choose?.(number, call.args);
  return (
    candidates.find((tool) => tool.name === chosen) ??
    candidates.find((tool) => tool.args.safeParse(call.args).success) ??
    candidates[0]
  );
}

/** Up to three known names near a wrong one, nearest first. */
export function nearestTools(name: string, known: readonly string[]): readonly string[] {
  const left = new Set(known);
  const near: string[] = [];
  while (near.length < 3) {
    const next = nearestName(name, left) ?? [...left].find((one) => sharesWord(one, name));
    if (next === undefined) break;
    near.push(next);
    left.delete(next);
  }
  return near;
}

function sharesWord(one: string, other: string): boolean {
  const words = new Set(
    one
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word.length > 3),
  );
  return other
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => words.has(word));
}
