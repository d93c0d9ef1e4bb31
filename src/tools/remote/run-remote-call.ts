// The life of a call at a client: resolve the name, check what the caller allows, validate, mode, what is forbidden, exec,
// result. Whether it may run is then the client's to ask its user; what the user says comes back as the result.
import { MCP_TOOL_NUMBER } from '../../catalogue/index.ts';
import {
  type AgentCall,
  type CallContext,
  type CallResult,
  GatewayError,
  isJsonObject,
  type JsonValue,
  type Mode,
  omitUndefined,
} from '../../core/index.ts';
import { findModeRefusal } from '../modes.ts';
import { describeProblems } from '../runtime/describe-problems.ts';
import { nearestTools } from '../runtime/find-tool.ts';
import { MODES, type Touch } from '../tool.ts';
import { fail, type ToolFailure } from '../tool-outcome.ts';
import { MAX_CONTENT_CHARACTERS, trimMiddle } from '../trim-output.ts';
import { callTouches } from './call-touches.ts';
import { isClientGone } from './client-gone.ts';
import { type DrawnCall, drawCall, drawResult } from './draw-call.ts';
import { ForbiddenCall } from './forbidden-call.ts';
import { listRemoteTools } from './list-remote-tools.ts';
import { runMcpTool } from './mcp/mcp-programs.ts';
import type { RemoteSession } from './remote-session.ts';
import type { RemoteAnswer } from './remote-tool.ts';
import { isAllowed, type Resolved, resolveCall } from './resolve-call.ts';

export async function runRemoteCall(
  session: RemoteSession,
  call: AgentCall,
  context: CallContext,
): Promise<CallResult> {
  context.signal.throwIfAborted();
  const { port } = session;
  const { callId, name } = call;
  const input = inputOf(call);
  const resolved = resolveCall(name, input, port);
  const drawn: DrawnCall = { callId, name, resolved, input };
  port.showCall(callId, drawCall(drawn), 'started');
  let answer: RemoteAnswer;
  try {
    answer = await settle(session, { call, resolved, input, context });
  } catch (error) {
    const ended = fail('ECANCELED', 'The call was cut off before it ended.');
    port.showCall(callId, drawResult(drawn, { outcome: ended }), 'completed');
    throw error;
  }
  port.showCall(callId, drawResult(drawn, answer), 'completed');
  // What was done in spite of a cancellation is told; what it broke off is not.
  if (!answer.outcome.ok) context.signal.throwIfAborted();
  return resultOf(answer);
}

/** A free-text call is its text; so is one whose text is no JSON, for the tools that take text. */
function inputOf({ input, argumentsText, kind, inputProblem }: AgentCall): JsonValue | undefined {
  if (input !== undefined) return input;
  return kind === 'custom' || inputProblem !== undefined ? argumentsText : {};
}

interface Job {
  readonly call: AgentCall;
  readonly resolved: Resolved | undefined;
  readonly input: JsonValue | undefined;
  readonly context: CallContext;
}

async function settle(session: RemoteSession, job: Job): Promise<RemoteAnswer> {
  const { call, resolved, context } = job;
  if (!resolved) return { outcome: unknownTool(call.name, session, context.mode) };
  if (!isAllowed(resolved, session.port))
    return {
      outcome: fail(
        'DENIED',
        `${call.name} is not among the tools that the caller allows. ${known(session, context.mode)}`,
      ),
    };
  try {
    return await run(session, { ...job, resolved });
  } catch (error) {
    const isOver = context.signal.aborted || (error instanceof GatewayError && isClientGone(error));
    if (isOver) throw error;
    if (error instanceof ForbiddenCall) return { outcome: fail('DENIED', error.message) };
    const message = error instanceof Error ? error.message : String(error);
    return {
      outcome: fail(
        'FAILED',
        `The client could not run ${call.name}: ${message.replace(/[.\s]*$/, '.')} Try another way.`,
      ),
    };
  }
}

async function run(
  session: RemoteSession,
  job: Job & { readonly resolved: Resolved },
): Promise<RemoteAnswer> {
  const { call, resolved, input, context } = job;
  const { mode } = context;
  const remote = { ...context, callId: call.callId, session };
  if (resolved.kind === 'mcp') {
    const { target } = resolved;
    if (!isJsonObject(input)) return { outcome: badInput(call) };
    const touch: Touch = { type: 'mcp', server: target.server, tool: target.tool };
    const tool = { ...MCP_TOOL, name: target.modelName };
    const refusal = refuse(session, tool, [touch], mode);
    return refusal ? { outcome: refusal } : runMcpTool(target, input, { ...remote, tool });
  }
  const { program } = resolved;
  const { tool } = program;
  const parsed = await tool.args.safeParseAsync(input);
  if (!parsed.success)
    return {
      outcome: isJsonObject(input)
        ? fail('EINVAL', describeProblems(tool.name, parsed.error, input))
        : badInput(call),
    };
  const touches = program.touches?.(parsed.data) ?? [];
  const refusal = refuse(session, tool, touches, mode);
  if (refusal) return { outcome: refusal };
  await session.judge({ tool, touches: [], mode });
  const judged = { ...remote, tool };
  const claims = [...callTouches(tool, parsed.data), ...(program.claims?.(parsed.data, judged) ?? [])];
  if (claims.length > 0) await session.judge({ tool, touches: claims, mode });
  return program.run(parsed.data, judged);
}

const MCP_TOOL = { number: MCP_TOOL_NUMBER, risk: 'execute', modes: MODES } as const;

function refuse(
  session: RemoteSession,
  tool: Parameters<typeof findModeRefusal>[0]['tool'],
  touches: readonly Touch[],
  mode: Mode,
): ToolFailure | undefined {
  const isReadOnlyMcp = (server: string, name: string) =>
    (server === '' ? session.mcp.find(name) : session.mcp.findOn(server, name))?.isReadOnly === true;
  const reason = findModeRefusal({ tool, touches, isReadOnlyMcp }, mode, session.gates);
  return reason === undefined ? undefined : fail('WRONG_MODE', reason);
}

function badInput({ name, inputProblem }: AgentCall): ToolFailure {
  const why = inputProblem === undefined ? 'they must be an object' : `they are not JSON (${inputProblem})`;
  return fail('EINVAL', `The arguments of ${name} are wrong: ${why}. Correct them and call again.`);
}

function unknownTool(name: string, session: RemoteSession, mode: Mode): ToolFailure {
  return fail('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name)} here. ${known(session, mode, name)}`);
}

function known(session: RemoteSession, mode: Mode, near?: string): string {
  const names = listRemoteTools(session, mode).map((tool) => tool.name);
  const nearest = near === undefined ? [] : nearestTools(near, names);
  if (nearest.length > 0) return `Nearest: ${nearest.join(', ')}.`;
  return names.length === 0 ? 'There are no tools; answer in words.' : `There are: ${names.join(', ')}.`;
}

function resultOf({ outcome, mode, endsRun }: RemoteAnswer): CallResult {
  const text = outcome.ok ? outcome.content : outcome.error.message;
  const parts = outcome.ok ? (outcome.parts ?? []) : [];
  return omitUndefined({
    content: [{ type: 'text' as const, text: trimMiddle(text, MAX_CONTENT_CHARACTERS).text }, ...parts],
    isError: outcome.ok ? undefined : true,
    mode,
    endsRun,
  });
}
