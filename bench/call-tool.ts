// One tool called as the runtime calls it, without policy and approvals around it.
import { countingIds } from '../src/core/index.ts';
import { Resources } from '../src/tools/resources.ts';
import type { Tool } from '../src/tools/tool.ts';
import type { ToolContext } from '../src/tools/tool-context.ts';
import type { ToolOutcome } from '../src/tools/tool-outcome.ts';
import { Workspace } from '../src/tools/workspace.ts';

export function benchContext(root: string, stateFolder: string): ToolContext {
  return {
    callId: 'bench',
    workspace: new Workspace(root),
    mode: 'agent',
    signal: new AbortController().signal,
    resources: new Resources(),
    nowMs: () => performance.now(),
    newId: countingIds(),
    stateFolder,
    env: { PATH: process.env.PATH ?? '' },
    progress: () => undefined,
  };
}

export function callTool(tool: Tool, args: object, context: ToolContext): Promise<ToolOutcome> {
  return tool.run(tool.args.parse(args), context);
}

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}
