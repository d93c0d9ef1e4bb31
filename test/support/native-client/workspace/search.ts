// The grep exec by ripgrep, answered as the official SDK answers it: names as `./name`, one map entry per workspace.
import { execFile } from 'node:child_process';
import { isAbsolute, relative, resolve } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { rgPath } from '@vscode/ripgrep';
import type { GrepArgs, GrepUnionResultSchema } from '../../../../src/gen/agent/v1/exec_grep_pb.ts';
import type { ExecAnswer } from './execution.ts';

type Union = NonNullable<
  Exclude<MessageInitShape<typeof GrepUnionResultSchema>, { $typeName: string }>['result']
>;

export async function grepExec(args: GrepArgs, folder: string): Promise<ExecAnswer> {
  const outputMode = args.outputMode ?? 'content';
  const target = args.path === undefined || args.path === '' ? '.' : targetOf(args.path, folder);
  const run = await ripgrep([...flagsOf(args, outputMode), '-e', args.pattern, target], folder);
  if (run.code > 1)
    return { case: 'grepResult', value: { result: { case: 'error', value: { error: run.stderr } } } };
  const lines = run.stdout.split('\n').filter((line) => line !== '');
  const value = {
    pattern: args.pattern,
    path: args.path ?? folder,
    outputMode,
    workspaceResults: { [folder]: { result: unionOf(outputMode, lines) } },
  };
  return { case: 'grepResult', value: { result: { case: 'success', value } } };
}

function targetOf(path: string, folder: string): string {
  const inside = relative(folder, resolve(folder, path));
  return inside === '' ? '.' : inside.startsWith('..') || isAbsolute(inside) ? path : `./${inside}`;
}

function flagsOf(args: GrepArgs, outputMode: string): string[] {
  const flags = ['--sort', 'path'];
  if (outputMode === 'files_with_matches') flags.push('--files-with-matches');
  else if (outputMode === 'count') flags.push('--count', '--with-filename');
  else flags.push('--json');
  if (args.glob !== undefined) flags.push('--glob', args.glob);
  if (args.type !== undefined) flags.push('--type', args.type);
  if (args.caseInsensitive === true) flags.push('--ignore-case');
  if (args.multiline === true) flags.push('--multiline', '--multiline-dotall');
  if (args.context !== undefined) flags.push('-C', String(args.context));
  if (args.contextBefore !== undefined) flags.push('-B', String(args.contextBefore));
  if (args.contextAfter !== undefined) flags.push('-A', String(args.contextAfter));
  return flags;
}

function unionOf(outputMode: string, lines: readonly string[]): Union {
  if (outputMode === 'files_with_matches')
    return { case: 'files', value: { files: [...lines], totalFiles: lines.length } };
  if (outputMode === 'count') {
    const counts = lines.map((line) => {
      const colon = line.lastIndexOf(':');
      return { file: line.slice(0, colon), count: Number(line.slice(colon + 1)) };
    });
    const totalMatches = counts.reduce((sum, { count }) => sum + count, 0);
    return { case: 'count', value: { counts, totalFiles: counts.length, totalMatches } };
  }
  const files = new Map<string, { lineNumber: number; content: string; isContextLine: boolean }[]>();
  let totalMatchedLines = 0;
  for (const line of lines) {
    const event = JSON.parse(line) as RipgrepEvent; // the documented form of `rg --json`
    if (event.type !== 'match' && event.type !== 'context') continue;
    const file = event.data.path.text;
    const isContextLine = event.type === 'context';
    if (!isContextLine) totalMatchedLines++;
    const content = event.data.lines.text.replace(/\n$/, '');
    files.set(file, [
      ...(files.get(file) ?? []),
      { lineNumber: event.data.line_number, content, isContextLine },
    ]);
  }
  const matches = [...files].map(([file, found]) => ({ file, matches: found }));
  const totalLines = matches.reduce((sum, file) => sum + file.matches.length, 0);
  return { case: 'content', value: { matches, totalLines, totalMatchedLines } };
}

interface RipgrepEvent {
  readonly type: string;
  readonly data: {
    readonly path: { text: string };
    readonly lines: { text: string };
    readonly line_number: number;
  };
}

function ripgrep(args: string[], cwd: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(rgPath, args, { cwd, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? 2 : 0, stdout, stderr });
    });
  });
}
