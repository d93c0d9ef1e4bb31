// A typed answer for every exec that this client does not run: a refusal the model can read, or the neutral answer that
// lets the backend go on. One row per variant; those without an error member are thrown by the caller of this file.
import type { ExecServerMessage } from '../../gen/agent/v1/exec_pb.ts';
import { ForceBackgroundShellStatus } from '../../gen/agent/v1/exec_shell_pb.ts';
import { ForceBackgroundSubagentStatus } from '../../gen/agent/v1/subagent_pb.ts';
import { type AgentTools, SERVER_NAME } from './agent-tools.ts';
import type { ExecAnswer } from './client-frames.ts';

type ExecRequest = ExecServerMessage['message'];

/** Says which tools exist instead, so that the model goes on with those. */
export function refusalReason(what: string, tools: AgentTools): string {
  const names = tools.wireNames;
  if (names.length === 0)
    return `${what} is not available here, and this conversation has no tools. Answer in words.`;
  return `${what} is not available here. Use the tools of the MCP server "${SERVER_NAME}" instead: ${names.join(', ')}.`;
}

/** Undefined: there is no typed refusal for it, it must be thrown. */
export function refuseExec(request: ExecRequest, reason: string, tools: AgentTools): ExecAnswer | undefined {
  switch (request.case) {
    case 'shellArgs':
    case 'miniSweAgentBashArgs': {
      const { command, workingDirectory } = request.value;
      const value = { result: { case: 'rejected' as const, value: { command, workingDirectory, reason } } };
      return request.case === 'shellArgs'
        ? { case: 'shellResult', value }
        : { case: 'miniSweAgentBashResult', value };
    }
    case 'shellStreamArgs': {
      const { command, workingDirectory } = request.value;
      const value = { command, workingDirectory, reason };
      return { case: 'shellStream', value: { event: { case: 'rejected', value } } };
    }
    case 'backgroundShellSpawnArgs': {
      const { command, workingDirectory } = request.value;
      const value = { command, workingDirectory, reason };
      return { case: 'backgroundShellSpawnResult', value: { result: { case: 'rejected', value } } };
    }
    case 'writeShellStdinArgs':
      return {
        case: 'writeShellStdinResult',
        value: { result: { case: 'error', value: { error: reason } } },
      };
    case 'forceBackgroundShellArgs':
      return { case: 'forceBackgroundShellResult', value: { status: ForceBackgroundShellStatus.NOT_FOUND } };
    case 'readArgs':
    case 'redactedReadArgs': {
      const value = { result: { case: 'rejected' as const, value: { path: request.value.path, reason } } };
      return request.case === 'readArgs'
        ? { case: 'readResult', value }
        : { case: 'redactedReadResult', value };
    }
    case 'writeArgs':
      return { case: 'writeResult', value: rejectedPath(request.value.path, reason) };
    case 'deleteArgs':
      return { case: 'deleteResult', value: rejectedPath(request.value.path, reason) };
    case 'lsArgs':
      return { case: 'lsResult', value: rejectedPath(request.value.path, reason) };
    case 'diagnosticsArgs':
      return { case: 'diagnosticsResult', value: rejectedPath(request.value.path, reason) };
    case 'grepArgs':
      return { case: 'grepResult', value: failed(reason) };
    case 'fetchArgs': {
      const value = { url: request.value.url, error: reason };
      return { case: 'fetchResult', value: { result: { case: 'error', value } } };
    }
    case 'mcpArgs': {
      const value = {
        name: request.value.toolName || request.value.name,
        availableTools: [...tools.wireNames],
      };
      return { case: 'mcpResult', value: { result: { case: 'toolNotFound', value } } };
    }
    case 'listMcpResourcesExecArgs':
      return { case: 'listMcpResourcesExecResult', value: { result: { case: 'success', value: {} } } };
    case 'readMcpResourceExecArgs': {
      const value = { uri: request.value.uri };
      return { case: 'readMcpResourceExecResult', value: { result: { case: 'notFound', value } } };
    }
    case 'mcpStateExecArgs':
      return { case: 'mcpStateExecResult', value: { result: { case: 'success', value: mcpState(tools) } } };
    case 'mcpAllowlistPrecheckArgs':
      return { case: 'mcpAllowlistPrecheckResult', value: { allowlisted: true } };
    // No harm in a yes: the command still comes here as an exec, and the caller asks its own user before it runs.
    case 'shellAllowlistPrecheckArgs':
      return { case: 'shellAllowlistPrecheckResult', value: { allowlisted: true } };
    // The backend fetches by itself. After a no it asks, and the query is answered by what the caller wants.
    case 'webFetchAllowlistPrecheckArgs':
      return { case: 'webFetchAllowlistPrecheckResult', value: { allowlisted: false } };
    case 'executeHookArgs':
      return { case: 'executeHookResult', value: { response: emptyHookResponse(request.value.request) } };
    default:
      return refuseRare(request, reason);
  }
}

function refuseRare(request: ExecRequest, reason: string): ExecAnswer | undefined {
  switch (request.case) {
    case 'recordScreenArgs':
      return { case: 'recordScreenResult', value: { result: { case: 'failure', value: { error: reason } } } };
    case 'computerUseArgs':
      return { case: 'computerUseResult', value: failed(reason) };
    case 'subagentArgs':
      return { case: 'subagentResult', value: failed(reason) };
    case 'subagentAwaitArgs': {
      const value = { agentId: request.value.agentId };
      return { case: 'subagentAwaitResult', value: { result: { case: 'notFound', value } } };
    }
    case 'forceBackgroundSubagentArgs': {
      const status = ForceBackgroundSubagentStatus.NOT_FOUND;
      return { case: 'forceBackgroundSubagentResult', value: { status } };
    }
    case 'canvasGetUrlArgs':
      return { case: 'canvasGetUrlResult', value: {} };
    case 'canvasDestroyArgs':
      return { case: 'canvasDestroyResult', value: { success: false } };
    case 'canvasRegisterArgs':
      return { case: 'canvasRegisterResult', value: failed(reason) };
    case 'canvasDiagnosticsArgs': {
      const value = { path: request.value.path, error: reason };
      return { case: 'canvasDiagnosticsResult', value: { result: { case: 'error', value } } };
    }
    case 'smartModeClassifierArgs':
      return { case: 'smartModeClassifierResult', value: failed(reason) };
    case 'piReadArgs':
      return { case: 'piReadResult', value: failed(reason) };
    case 'piBashArgs':
      return { case: 'piBashResult', value: failed(reason) };
    case 'piEditArgs':
      return { case: 'piEditResult', value: rejected(reason) };
    case 'piWriteArgs':
      return { case: 'piWriteResult', value: rejected(reason) };
    case 'piGrepArgs':
      return { case: 'piGrepResult', value: failed(reason) };
    case 'piFindArgs':
      return { case: 'piFindResult', value: failed(reason) };
    case 'piLsArgs':
      return { case: 'piLsResult', value: failed(reason) };
    case 'conversationSearchArgs':
      return { case: 'conversationSearchResult', value: failed(reason) };
    case 'agentStoreConflictArgs':
      return { case: 'agentStoreConflictResult', value: failed(reason) };
    case 'adoptArgs': {
      const { sourceAgentId } = request.value;
      return { case: 'adoptResult', value: { sourceAgentId, result: { case: 'error', value: reason } } };
    }
    default:
      return undefined; // `git_diff_request` has no error member; the rest is unknown
  }
}

function failed(error: string) {
  return { result: { case: 'error' as const, value: { error } } };
}

function rejected(reason: string) {
  return { result: { case: 'rejected' as const, value: { reason } } };
}

function rejectedPath(path: string, reason: string) {
  return { result: { case: 'rejected' as const, value: { path, reason } } };
}

function mcpState(tools: AgentTools) {
  if (tools.list.length === 0) return { servers: [] };
  const server = { serverName: SERVER_NAME, serverIdentifier: SERVER_NAME, status: 'connected' };
  return { servers: [{ ...server, tools: tools.encode() }] };
}

type HookRequest = Extract<ExecRequest, { case: 'executeHookArgs' }>['value']['request'];

/** No hook is configured: the member of the same name, with nothing in it. */
function emptyHookResponse(request: HookRequest) {
  const name = request?.request.case;
  return name === undefined ? {} : { response: { case: name, value: {} } };
}
