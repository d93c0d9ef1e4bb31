// The client's machine: a folder, a shell, tools of MCP servers. Calls are read from their typed slots and answered in
// typed results, field by field, without our own codec: what it writes wrongly must not be read wrongly in the same way.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { rgPath } from '@vscode/ripgrep';
import {
  type ClientSideToolV2,
  type ClientSideToolV2Call,
  type ClientSideToolV2Result,
  ClientSideToolV2ResultSchema,
} from '../../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import type { MCPParams_ToolSchema } from '../../../src/gen/aiserver/v1/tool_mcp_pb.ts';
import { RunTerminalCommandEndedReason as EndedReason } from '../../../src/gen/aiserver/v1/tool_shell_pb.ts';
import { decodeClientSideCall, encodeClientSideResult } from '../../../src/tools/codecs/index.ts';

type Result = NonNullable<MessageInitShape<typeof ClientSideToolV2ResultSchema>['result']>;
type Answer = Result | ClientSideToolV2Result;

export interface McpTool {
  readonly server: string;
  readonly name: string;
  readonly schema?: object;
  execute(args: string): string;
}

export interface WorkspaceOptions {
  readonly folder: string;
  readonly mcpTools?: readonly McpTool[];
  /** Awaited before a call is run. What it throws is the user's or the client's refusal. */
  readonly before?: (call: ClientSideToolV2Call) => Promise<void> | void;
}

/** Every number that this machine runs. */
export const SUPPORTED_NUMBERS: readonly ClientSideToolV2[] = [5, 6, 7, 11, 15, 19, 35, 38, 39, 40, 41, 42];

export class Workspace {
  readonly folder: string;
  /** Each call that was run, in the order of their beginning. */
  readonly executed: ClientSideToolV2Call[] = [];
  readonly #options: WorkspaceOptions;

  constructor(options: WorkspaceOptions) {
    this.folder = options.folder;
    this.#options = options;
  }

  /** As a client declares them in its request. */
  get declared(): MessageInitShape<typeof MCPParams_ToolSchema>[] {
    return (this.#options.mcpTools ?? []).map(({ server, name, schema }) => ({
      name,
      serverName: server,
      description: `${name} of ${server}`,
      parameters: schema ? JSON.stringify(schema) : '',
    }));
  }

  async run(call: ClientSideToolV2Call): Promise<ClientSideToolV2Result> {
    const { tool, toolCallId, modelCallId, toolIndex } = call;
    // `model_call_id` must be echoed; `tool_index` clients do not all send.
    const identity = { tool, toolCallId, ...(modelCallId === undefined ? {} : { modelCallId }) };
    const indexed = toolIndex === undefined ? identity : { ...identity, toolIndex };
    try {
      await this.#options.before?.(call);
      this.executed.push(call);
      const answer = await this.#execute(call);
      if ('$typeName' in answer) return answer;
      return create(ClientSideToolV2ResultSchema, { ...indexed, result: answer });
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return create(ClientSideToolV2ResultSchema, {
        ...indexed,
        error: { clientVisibleErrorMessage: 'The tool failed.', modelVisibleErrorMessage: message },
      });
    }
  }

  async #execute(call: ClientSideToolV2Call): Promise<Answer> {
    const { params } = call;
    switch (params.case) {
      case 'readFileParams':
        return this.#readOlder(params.value);
      case 'readFileV2Params': {
        const { targetFile, offset = 1, limit } = params.value;
        const lines = (await readFile(this.#at(targetFile), 'utf8')).split('\n');
        const contents = lines.slice(offset - 1, limit && offset - 1 + limit).join('\n');
        const numCharactersInRequestedRange = contents.length;
        const totalLinesInFile = lines.length;
        return {
          case: 'readFileV2Result',
          value: { contents, numCharactersInRequestedRange, totalLinesInFile },
        };
      }
      case 'listDirParams': {
        const directory = params.value.directoryPath;
        const entries = await readdir(this.#at(directory), { withFileTypes: true });
        const files = entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
        return { case: 'listDirResult', value: { files, directoryRelativeWorkspacePath: directory } };
      }
      case 'listDirV2Params': {
        const root = await treeOf(this.#at(params.value.targetDirectory));
        return { case: 'listDirV2Result', value: { directoryTreeRoot: root } };
      }
      case 'editFileParams':
        return this.#replace(params.value);
      case 'editFileV2Params':
        return this.#write(params.value);
      case 'deleteFileParams': {
        await rm(this.#at(params.value.relativeWorkspacePath));
        return { case: 'deleteFileResult', value: { fileDeletedSuccessfully: true } };
      }
      case 'ripgrepRawSearchParams':
        return this.#grep(params.value);
      case 'globFileSearchParams': {
        const absPath = this.#at(params.value.targetDirectory);
        const { stdout } = await run(rgPath, ['--files', '--glob', params.value.globPattern], absPath);
        const files = linesOf(stdout)
          .sort()
          .map((relPath) => ({ relPath }));
        const directories = [{ absPath, files, totalFiles: files.length }];
        return { case: 'globFileSearchResult', value: { directories } };
      }
      case 'runTerminalCommandV2Params': {
        const { command, cwd } = params.value;
        const { stdout, stderr, code } = await run('bash', ['-c', command], this.#at(cwd ?? ''));
        const value = {
          output: stdout + stderr,
          exitCode: code,
          exitCodeV2: code,
          endedReason: EndedReason.EXECUTION_COMPLETED,
        };
        return { case: 'runTerminalCommandV2Result', value };
      }
      case 'mcpParams':
        return this.#callMcp(params.value.tools);
      case 'todoWriteParams': {
        // A result of many fields of which this client has nothing of its own to say.
        const { args, ...identity } = decodeClientSideCall(call);
        const outcome = { ok: true as const, content: 'Kept.', data: { success: true, ...args } };
        return encodeClientSideResult({ ...identity, outcome }).message;
      }
      default:
        throw new Error(`This client has no tool ${call.tool} (${params.case}).`);
    }
  }

  async #readOlder({
    relativeWorkspacePath,
    readEntireFile,
    startLineOneIndexed = 1,
    endLineOneIndexedInclusive,
  }: Extract<ClientSideToolV2Call['params'], { case: 'readFileParams' }>['value']): Promise<Result> {
    const lines = (await readFile(this.#at(relativeWorkspacePath), 'utf8')).split('\n');
    const last = endLineOneIndexedInclusive ?? lines.length;
    if (readEntireFile)
      return { case: 'readFileResult', value: { contents: lines.join('\n'), relativeWorkspacePath } };
    const value = {
      contents: lines.slice(startLineOneIndexed - 1, last).join('\n'),
      relativeWorkspacePath,
      startLineOneIndexed,
      endLineOneIndexedInclusive: last,
      totalLines: lines.length,
    };
    return { case: 'readFileResult', value };
  }

  async #replace({
    relativeWorkspacePath: path,
    oldString = '',
    newString = '',
    allowMultipleMatches,
  }: Extract<ClientSideToolV2Call['params'], { case: 'editFileParams' }>['value']): Promise<Result> {
    const before = await readFile(this.#at(path), 'utf8');
    const numMatches = before.split(oldString).length - 1;
    if (numMatches === 0) throw new Error(`${oldString} does not occur in ${path}.`);
    const after = allowMultipleMatches
      ? before.replaceAll(oldString, newString)
      : before.replace(oldString, newString);
    await writeFile(this.#at(path), after);
    const chunks = [{ diffString: `-${oldString}\n+${newString}`, oldStart: 1, newStart: 1 }];
    return { case: 'editFileResult', value: { isApplied: true, numMatches, diff: { chunks } } };
  }

  async #write({
    relativeWorkspacePath,
    contentsAfterEdit = '',
  }: Extract<ClientSideToolV2Call['params'], { case: 'editFileV2Params' }>['value']): Promise<Result> {
    const path = this.#at(relativeWorkspacePath);
    const contentsBeforeEdit = await readFile(path, 'utf8').catch(() => undefined);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contentsAfterEdit);
    const fileWasCreated = contentsBeforeEdit === undefined;
    return {
      case: 'editFileV2Result',
      value: { fileWasCreated, contentsAfterEdit, resultForModel: `Wrote ${relativeWorkspacePath}.` },
    };
  }

  async #grep({
    pattern,
    path = '',
    glob,
    caseInsensitive,
  }: Extract<ClientSideToolV2Call['params'], { case: 'ripgrepRawSearchParams' }>['value']): Promise<Result> {
    const flags = ['--no-heading', '--with-filename', '--line-number', '--sort', 'path'];
    if (glob !== undefined) flags.push('--glob', glob);
    if (caseInsensitive) flags.push('--ignore-case');
    const inside = relative(this.folder, this.#at(path)) || '.';
    const { stdout } = await run(rgPath, [...flags, '-e', pattern, inside], this.folder);
    const files = new Map<string, string[]>();
    for (const line of linesOf(stdout)) {
      const file = line.slice(0, line.indexOf(':'));
      files.set(file, [...(files.get(file) ?? []), line]);
    }
    const matches = [...files].map(([file, lines]) => ({
      file,
      matches: lines.map((line) => {
        const [number = '', ...content] = line.slice(file.length + 1).split(':');
        return { lineNumber: Number(number), content: content.join(':') };
      }),
    }));
    const totalLines = linesOf(stdout).length;
    const content = { matches, totalLines, totalMatchedLines: totalLines };
    const union = { result: { case: 'content' as const, value: content } };
    const success = { pattern, path, outputMode: 'content', workspaceResults: { [this.folder]: union } };
    return { case: 'ripgrepRawSearchResult', value: { result: { case: 'success', value: success } } };
  }

  #callMcp(tools: Extract<ClientSideToolV2Call['params'], { case: 'mcpParams' }>['value']['tools']): Result {
    const [asked] = tools;
    const found = this.#options.mcpTools?.find(
      ({ server, name }) => server === asked?.serverName && name === asked.name,
    );
    if (!asked || !found) throw new Error(`No MCP tool ${asked?.serverName}/${asked?.name} is known here.`);
    const result = found.execute(asked.parameters);
    return { case: 'mcpResult', value: { selectedTool: asked.name, result } };
  }

  #at(path: string): string {
    return resolve(this.folder, path);
  }
}

interface Tree {
  absPath: string;
  childrenDirs: Tree[];
  childrenFiles: { name: string }[];
  childrenWereProcessed: boolean;
  numFiles: number;
}

async function treeOf(absPath: string): Promise<Tree> {
  const entries = await readdir(absPath, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const childrenFiles = entries.filter((entry) => entry.isFile()).map(({ name }) => ({ name }));
  const childrenDirs = await Promise.all(folders.map(({ name }) => treeOf(join(absPath, name))));
  return {
    absPath,
    childrenDirs,
    childrenFiles,
    childrenWereProcessed: true,
    numFiles: childrenFiles.length,
  };
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

function run(
  program: string,
  args: string[],
  cwd: string,
): Promise<{ stdout: string; stderr: string; code: number }> {
  return new Promise((done) => {
    execFile(program, args, { cwd }, (error, stdout, stderr) => {
      done({ stdout, stderr, code: typeof error?.code === 'number' ? error.code : error ? 1 : 0 });
    });
  });
}
