// The text of a caller's tool as the typed result of a built-in exec. The text is all there is: counts that it does not
// state are left at zero, and a listing or a search result is read line by line.

import type { WriteArgs } from '../../../gen/agent/v1/exec_files_pb.ts';
import type { GrepArgs } from '../../../gen/agent/v1/exec_grep_pb.ts';
import type { ShellArgs } from '../../../gen/agent/v1/exec_shell_pb.ts';
import type { CallOutcome } from '../call-outcome.ts';
import type { ExecAnswer } from '../client-frames.ts';

export function answerRead(
  name: 'readResult' | 'redactedReadResult',
  path: string,
  { text, isError }: CallOutcome,
): ExecAnswer {
  const value = isError
    ? { result: { case: 'error' as const, value: { path, error: text } } }
    : {
        result: {
          case: 'success' as const,
          value: {
            path,
            output: { case: 'content' as const, value: text },
            totalLines: text.split('\n').length,
            fileSize: BigInt(Buffer.byteLength(text)),
            rangeApplied: true,
          },
        },
      };
  return { case: name, value };
}

export function answerWrite({ path, fileText }: WriteArgs, { text, isError }: CallOutcome): ExecAnswer {
  if (isError) return { case: 'writeResult', value: pathError(path, text) };
  const value = { path, linesCreated: fileText.split('\n').length, fileSize: Buffer.byteLength(fileText) };
  return { case: 'writeResult', value: { result: { case: 'success', value } } };
}

export function answerDelete(path: string, { text, isError }: CallOutcome): ExecAnswer {
  if (isError) return { case: 'deleteResult', value: pathError(path, text) };
  return { case: 'deleteResult', value: { result: { case: 'success', value: { path, deletedFile: path } } } };
}

export function answerList(path: string, { text, isError }: CallOutcome): ExecAnswer {
  if (isError) return { case: 'lsResult', value: pathError(path, text) };
  const lines = linesOf(text);
  const directories = lines.filter((line) => line.endsWith('/'));
  const directoryTreeRoot = {
    absPath: path,
    childrenDirs: directories.map((line) => ({
      absPath: `${path.replace(/\/+$/, '')}/${line.slice(0, -1)}`,
    })),
    childrenFiles: lines.filter((line) => !line.endsWith('/')).map((name) => ({ name })),
    childrenWereProcessed: true,
  };
  return { case: 'lsResult', value: { result: { case: 'success', value: { directoryTreeRoot } } } };
}

export function answerGrep(args: GrepArgs, { text, isError }: CallOutcome): ExecAnswer {
  if (isError) return { case: 'grepResult', value: { result: { case: 'error', value: { error: text } } } };
  const path = args.path ?? '';
  const isGlob = args.pattern === '';
  const outputMode = args.outputMode || (isGlob ? 'files_with_matches' : 'content');
  const lines = linesOf(text);
  const workspaceResults = { [path || '.']: { result: grepResult(outputMode, lines, path) } };
  const value = { pattern: args.pattern, path, outputMode, workspaceResults };
  return { case: 'grepResult', value: { result: { case: 'success', value } } };
}

function grepResult(outputMode: string, lines: readonly string[], path: string) {
  if (outputMode === 'files_with_matches') {
    return { case: 'files' as const, value: { files: [...lines], totalFiles: lines.length } };
  }
  if (outputMode === 'count') {
    const counts = lines.flatMap((line) => {
      const [, file, count] = /^(.*):(\d+)$/.exec(line) ?? [];
      return file === undefined ? [] : [{ file, count: Number(count) }];
    });
    const totalMatches = counts.reduce((sum, { count }) => sum + count, 0);
    return { case: 'count' as const, value: { counts, totalFiles: counts.length, totalMatches } };
  }
  const byFile = new Map<string, { lineNumber: number; content: string }[]>();
  for (const line of lines) {
    // `file:12:text`; lines of any other form are kept under the path that was searched
    const [, file = path, number = '0', content = line] = /^([^:\n]+):(\d+):(.*)$/.exec(line) ?? [];
    byFile.set(file, [...(byFile.get(file) ?? []), { lineNumber: Number(number), content }]);
  }
  const matches = [...byFile].map(([file, found]) => ({ file, matches: found }));
  return {
    case: 'content' as const,
    value: { matches, totalLines: lines.length, totalMatchedLines: lines.length },
  };
}

export function answerShell(
  name: 'shellResult' | 'miniSweAgentBashResult',
  { command, workingDirectory }: ShellArgs,
  { text, isError }: CallOutcome,
): ExecAnswer {
  const value = isError
    ? {
        result: { case: 'failure' as const, value: { command, workingDirectory, exitCode: 1, stderr: text } },
      }
    : {
        result: { case: 'success' as const, value: { command, workingDirectory, exitCode: 0, stdout: text } },
      };
  return { case: name, value };
}

/** The whole output at once: start, one piece, exit. The caller's tools do not stream. */
export function answerShellStream(
  { workingDirectory }: ShellArgs,
  { text, isError }: CallOutcome,
): ExecAnswer[] {
  const output = { data: text };
  return [
    { case: 'shellStream', value: { event: { case: 'start', value: {} } } },
    { case: 'shellStream', value: { event: { case: isError ? 'stderr' : 'stdout', value: output } } },
    {
      case: 'shellStream',
      value: { event: { case: 'exit', value: { code: isError ? 1 : 0, cwd: workingDirectory } } },
    },
  ];
}

export function answerFetch(url: string, { text, isError }: CallOutcome): ExecAnswer {
  if (isError)
    return { case: 'fetchResult', value: { result: { case: 'error', value: { url, error: text } } } };
  const value = { url, content: text, statusCode: 200, contentType: 'text/plain' };
  return { case: 'fetchResult', value: { result: { case: 'success', value } } };
}

type PiResult = Extract<NonNullable<ExecAnswer['case']>, `pi${string}Result`>;

export function answerPi(name: PiResult, { text, isError }: CallOutcome): ExecAnswer {
  const value = isError
    ? { result: { case: 'error' as const, value: { error: text } } }
    : { result: { case: 'success' as const, value: { output: text } } };
  return { case: name, value };
}

function pathError(path: string, error: string) {
  return { result: { case: 'error' as const, value: { path, error } } };
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
