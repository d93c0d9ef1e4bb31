import { DiagnosticSeverity } from '../../../../src/gen/agent/v1/exec_files_pb.ts';
import type { ExecServerMessage } from '../../../../src/gen/agent/v1/exec_pb.ts';
import { callDeclared, type DeclaredTool, defineDeclared } from './declared-tools.ts';
import { type ExecAnswer, type ExecSetting, ExecTrouble, type Execution } from './execution.ts';
import { deleteFileExec, listFolderExec, readFileExec, writeFileExec } from './files.ts';
import { describeContext } from './request-context.ts';
import { grepExec } from './search.ts';
import { BackgroundShells, shellExec, shellStreamExec } from './shell.ts';

export interface WorkspaceOptions {
  readonly folder: string;
  readonly tools?: readonly DeclaredTool[];
  readonly rules?: readonly { readonly path: string; readonly text: string }[];
  /** Called before an exec runs; it runs when the promise resolves. */
  readonly before?: (execution: Execution) => Promise<void> | void;
}

/** The client's machine: a folder, a shell, tools of the caller. Every exec is really carried out, and counted. */
export class Workspace {
  readonly executions: Execution[] = [];
  readonly shells = new BackgroundShells();
  readonly #options: WorkspaceOptions;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** As the SDK declares its caller's own tools in the run request; those of MCP servers are in the request context only. */
  declared(server: string) {
    return (this.#options.tools ?? []).filter((tool) => tool.server === server).map(defineDeclared);
  }

  /** How often each call was executed, all its execs of one kind counted apart. */
  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { callId, kind } of this.executions) {
      const key = `${kind} ${callId}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  /** Throws ExecTrouble for what it cannot do. */
  async execute(
    { message }: ExecServerMessage,
    signal: AbortSignal,
    emit: ExecSetting['emit'],
  ): Promise<void> {
    const { folder, tools = [], rules = [] } = this.#options;
    if (message.case === undefined) throw new ExecTrouble('Unknown exec');
    if (message.case === 'requestContextArgs') return emit(describeContext({ folder, tools, rules }));
    const callId = 'toolCallId' in message.value ? (message.value.toolCallId ?? '') : '';
    const execution = { kind: message.case, callId, args: message };
    await this.#options.before?.(execution);
    this.executions.push(execution);
    const setting = { folder, signal, emit };
    switch (message.case) {
      case 'shellArgs':
        return shellExec(message.value, setting);
      case 'shellStreamArgs':
        return shellStreamExec(message.value, setting);
      default:
        emit(await this.#answer(message));
    }
  }

  async #answer(message: ExecServerMessage['message']): Promise<ExecAnswer> {
    const { folder, tools = [] } = this.#options;
    switch (message.case) {
      case 'readArgs':
        return readFileExec(message.value, folder);
      case 'writeArgs':
        return writeFileExec(message.value, folder);
      case 'deleteArgs':
        return deleteFileExec(message.value, folder);
      case 'lsArgs':
        return listFolderExec(message.value, folder);
      case 'grepArgs':
        return grepExec(message.value, folder);
      case 'mcpArgs':
        return callDeclared(message.value, tools);
      case 'backgroundShellSpawnArgs':
        return this.shells.spawn(message.value, folder);
      case 'writeShellStdinArgs':
        return this.shells.write(message.value);
      case 'diagnosticsArgs':
        return diagnosticsOf(message.value.path);
      case 'fetchArgs':
        return fetchLoopback(message.value.url);
      case 'listMcpResourcesExecArgs': {
        const resources = [{ uri: 'memo://one', name: 'One', server: 'notes' }];
        return {
          case: 'listMcpResourcesExecResult',
          value: { result: { case: 'success', value: { resources } } },
        };
      }
      case 'readMcpResourceExecArgs': {
        const content = { case: 'text' as const, value: `what ${message.value.uri} holds` };
        const value = { uri: message.value.uri, content };
        return { case: 'readMcpResourceExecResult', value: { result: { case: 'success', value } } };
      }
      default:
        throw new ExecTrouble(`No executor for ${message.case}`);
    }
  }
}

function diagnosticsOf(path: string): ExecAnswer {
  const start = { line: 1, column: 1 };
  const diagnostics = [
    {
      severity: DiagnosticSeverity.ERROR,
      range: { start, end: start },
      message: 'unused variable',
      source: 'lint',
    },
  ];
  const value = { path, diagnostics, totalDiagnostics: 1 };
  return { case: 'diagnosticsResult', value: { result: { case: 'success', value } } };
}

async function fetchLoopback(url: string): Promise<ExecAnswer> {
  try {
    if (new URL(url).hostname !== '127.0.0.1') throw new Error('only loopback is reachable here');
    const response = await fetch(url);
    const contentType = response.headers.get('content-type') ?? '';
    const value = { url, content: await response.text(), statusCode: response.status, contentType };
    return { case: 'fetchResult', value: { result: { case: 'success', value } } };
  } catch (error) {
    return {
      case: 'fetchResult',
      value: { result: { case: 'error', value: { url, error: String(error) } } },
    };
  }
}
