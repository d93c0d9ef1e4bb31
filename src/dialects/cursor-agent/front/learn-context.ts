// The request context: the workspace, the rules and the tools of MCP servers. Clients send it with the message, in parts
// by hash, or only when asked by an exec, which the official SDK expects. One that says nothing still gets its answer.
import { create, fromBinary } from '@bufbuild/protobuf';
import type { McpToolDefinition } from '../../../gen/agent/v1/mcp_pb.ts';
import {
  type RequestContext,
  RequestContextArgsSchema,
  RequestContextMcpsPartSchema,
  type RequestContextPartReferences,
  RequestContextRulesPartSchema,
  RequestContextSchema,
  RequestContextSkillsPartSchema,
  RequestContextSubagentsPartSchema,
} from '../../../gen/agent/v1/request_context_pb.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { ConversationBlobs } from './conversation-blobs.ts';
import type { ExecRequests } from './exec-requests.ts';

/** The official SDK needs 20 to 80 ms. */
const ANSWER_MS = 10_000;

export interface LearnContextOptions {
  readonly given: RequestContext | undefined;
  readonly parts: RequestContextPartReferences | undefined;
  readonly exec: ExecRequests;
  readonly blobs: ConversationBlobs;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/** Never rejects: what cannot be learnt is left out. */
export async function learnContext(options: LearnContextOptions): Promise<RequestContext | undefined> {
  const { given, parts, blobs } = options;
  if (given && isWhole(given)) return given;
  const joined = parts && (await joinParts(parts, blobs).catch(() => undefined));
  if (joined && isWhole(joined)) return joined;
  return (await askContext(options)) ?? joined ?? given;
}

/** Tools that the request and the context declare, each once. */
export function joinTools(
  declared: readonly McpToolDefinition[],
  context: RequestContext | undefined,
): McpToolDefinition[] {
  const tools = new Map<string, McpToolDefinition>();
  for (const tool of [...declared, ...(context?.tools ?? [])]) {
    const key = JSON.stringify([tool.providerIdentifier, tool.toolName || tool.name]);
    if (!tools.has(key)) tools.set(key, tool);
  }
  return [...tools.values()];
}

function isWhole({ env, mcpInfoComplete, tools }: RequestContext): boolean {
  return env !== undefined && (mcpInfoComplete === true || tools.length > 0);
}

async function askContext({
  exec,
  timers,
  signal,
}: LearnContextOptions): Promise<RequestContext | undefined> {
  const patience = new AbortController();
  const stopTimer = timers.after(ANSWER_MS, () => patience.abort());
  try {
    const value = create(RequestContextArgsSchema);
    const answer = await exec.request(
      { case: 'requestContextArgs', value },
      { signal: AbortSignal.any([signal, patience.signal]) },
    );
    if (answer.case !== 'requestContextResult') return undefined;
    const { result } = answer.value;
    return result.case === 'success' ? result.value.requestContext : undefined;
  } catch {
    return undefined; // it threw, went away, or takes too long: the run goes on without a workspace
  } finally {
    stopTimer();
  }
}

async function joinParts(
  parts: RequestContextPartReferences,
  blobs: ConversationBlobs,
): Promise<RequestContext> {
  const { rulesBlobId, skillsBlobId, subagentsBlobId, mcpsBlobId, dynamicContext } = parts;
  const context = dynamicContext ?? create(RequestContextSchema);
  const read = async (id: Uint8Array) =>
    id.length === 0 ? undefined : await blobs.resolve(id, 'a context part');
  const [rules, skills, subagents, mcps] = await Promise.all(
    [rulesBlobId, skillsBlobId, subagentsBlobId, mcpsBlobId].map(read),
  );
  if (rules) {
    const part = fromBinary(RequestContextRulesPartSchema, rules);
    context.rules.push(...part.rules);
    context.nonFileRules.push(...part.nonFileRules);
    if (part.cloudRule !== undefined) context.cloudRule ??= part.cloudRule;
  }
  if (skills) {
    const part = fromBinary(RequestContextSkillsPartSchema, skills);
    context.agentSkills.push(...part.agentSkills);
    if (part.skillOptions) context.skillOptions ??= part.skillOptions;
  }
  if (subagents) {
    context.customSubagents.push(...fromBinary(RequestContextSubagentsPartSchema, subagents).customSubagents);
  }
  if (mcps) {
    const part = fromBinary(RequestContextMcpsPartSchema, mcps);
    context.tools.push(...part.tools);
    context.mcpInstructions.push(...part.mcpInstructions);
    context.mcpInfoComplete ??= true;
  }
  return context;
}
