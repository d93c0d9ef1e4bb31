import path from 'node:path';
import { impliedArguments } from '../catalogue/index.ts';
import { statePaths } from '../config/index.ts';
import { invalidRequest, isJsonObject, type JsonObject, type JsonValue, randomId } from '../core/index.ts';
import { findModeRefusal } from '../tools/modes.ts';
import { decide, type Policy, type Verdict } from '../tools/policy/index.ts';
import { BUILTIN_TOOLS, chooseTool } from '../tools/registry.ts';
import { Resources } from '../tools/resources.ts';
import { describeProblems } from '../tools/runtime/describe-problems.ts';
import { findTool } from '../tools/runtime/find-tool.ts';
import { scrubEnv } from '../tools/scrub-env.ts';
import type { Mode, Touch } from '../tools/tool.ts';
import type { ToolContext } from '../tools/tool-context.ts';
import { Workspace } from '../tools/workspace.ts';
import type { CliContext } from './context.ts';
import { unknownTool } from './tool-rows.ts';

export interface JudgeOptions {
  readonly name: string;
  /** The arguments as JSON text. */
  readonly args: string;
  readonly mode: Mode;
  /** The workspace, absolute. */
  readonly folder: string;
  readonly policy: Policy;
}

export interface Judgement {
  readonly tool: string;
  readonly verdict: Verdict;
  readonly touches: readonly Touch[];
}

/** What the runtime would say to this call, by the same steps and without running it: mode, touches, policy. */
export async function judgeCall(context: CliContext, options: JudgeOptions): Promise<Judgement> {
  const { name, mode, policy } = options;
  const args = parseArguments(options.args);
  const tool = findTool({ id: 'check', name, args }, BUILTIN_TOOLS, chooseTool);
  if (!tool) throw unknownTool(name);
  const parsed = await tool.args.safeParseAsync({ ...impliedArguments(name), ...args });
  if (!parsed.success) throw invalidRequest(describeProblems(tool.name, parsed.error, args), 'args');
  const workspace = new Workspace(options.folder);
  const ownFolder = statePaths(context).home;
  const resources = new Resources();
  const toolContext = makeContext(context, { workspace, mode, resources });
  try {
    const early = findModeRefusal({ tool, touches: [] }, mode, {});
    if (early !== undefined) return { tool: tool.name, verdict: refused(mode, early), touches: [] };
    const touches = await tool.touches(parsed.data, toolContext);
    const refusal = findModeRefusal({ tool, touches }, mode, {});
    const verdict =
      refusal === undefined
        ? await decide(
            { tool, touches },
            { policy, workspace, stateFolder: toolContext.stateFolder, ownFolder },
          )
        : refused(mode, refusal);
    return { tool: tool.name, verdict, touches };
  } finally {
    await resources.dispose();
  }
}

/** The text is not repeated: it may hold what nobody should see in a log. */
function parseArguments(text: string): JsonObject {
  const remedy = `Write them as one JSON object in quotes, e.g. '{"path":"src/a.ts"}'.`;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest(`The arguments are not JSON. ${remedy}`, 'args');
  }
  if (!isJsonObject(value))
    throw invalidRequest(`The arguments are JSON but not an object. ${remedy}`, 'args');
  return value;
}

function makeContext(
  { env, home, nowMs }: CliContext,
  world: Pick<ToolContext, 'workspace' | 'mode' | 'resources'>,
): ToolContext {
  return {
    ...world,
    callId: 'check',
    signal: new AbortController().signal,
    nowMs,
    newId: randomId,
    stateFolder: path.join(statePaths({ env, home }).home, 'tools'),
    env: scrubEnv(env),
    progress: () => {},
  };
}

function refused(mode: Mode, reason: string): Verdict {
  return { decision: 'deny', rule: `mode:${mode}`, reason };
}
