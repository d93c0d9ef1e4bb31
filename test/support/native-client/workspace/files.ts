// Execs on files, answered as the official SDK answers them.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { LsDirectoryTreeNodeSchema } from '../../../../src/gen/agent/v1/common_pb.ts';
import type { DeleteArgs, LsArgs, ReadArgs, WriteArgs } from '../../../../src/gen/agent/v1/exec_files_pb.ts';
import type { ExecAnswer } from './execution.ts';

export async function readFileExec(args: ReadArgs, folder: string): Promise<ExecAnswer> {
  const path = resolve(folder, args.path);
  const answer = (result: Extract<ExecAnswer, { case: 'readResult' }>['value']['result']): ExecAnswer => ({
    case: 'readResult',
    value: result === undefined ? {} : { result },
  });
  try {
    if ((await stat(path)).isDirectory())
      return answer({ case: 'invalidFile', value: { path, reason: 'Path is a directory' } });
    const data = await readFile(path);
    const fileSize = BigInt(data.length);
    if (data.includes(0))
      return answer({ case: 'success', value: { path, fileSize, output: { case: 'data', value: data } } });
    const content = data.toString('utf8');
    const totalLines = content.split('\n').length;
    return answer({
      case: 'success',
      value: { path, totalLines, fileSize, output: { case: 'content', value: content } },
    });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return answer({ case: 'fileNotFound', value: { path } });
    return answer({ case: 'error', value: { path, error: String(error) } });
  }
}

export async function writeFileExec(args: WriteArgs, folder: string): Promise<ExecAnswer> {
  const path = resolve(folder, args.path);
  const data = args.fileBytes.length > 0 ? Buffer.from(args.fileBytes) : Buffer.from(args.fileText);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, data);
  } catch (error) {
    return {
      case: 'writeResult',
      value: { result: { case: 'error', value: { path, error: String(error) } } },
    };
  }
  const after = args.returnFileContentAfterWrite ? { fileContentAfterWrite: data.toString('utf8') } : {};
  const linesCreated = data.toString('utf8').split('\n').length;
  const value = { path, linesCreated, fileSize: data.length, ...after };
  return { case: 'writeResult', value: { result: { case: 'success', value } } };
}

export async function deleteFileExec(args: DeleteArgs, folder: string): Promise<ExecAnswer> {
  const path = resolve(folder, args.path);
  try {
    const prevContent = await readFile(path, 'utf8');
    await rm(path);
    const value = { path, deletedFile: path, fileSize: BigInt(prevContent.length), prevContent };
    return { case: 'deleteResult', value: { result: { case: 'success', value } } };
  } catch (error) {
    const result =
      codeOf(error) === 'ENOENT'
        ? { case: 'fileNotFound' as const, value: { path } }
        : { case: 'error' as const, value: { path, error: String(error) } };
    return { case: 'deleteResult', value: { result } };
  }
}

export async function listFolderExec(args: LsArgs, folder: string): Promise<ExecAnswer> {
  const path = resolve(folder, args.path);
  try {
    const value = { directoryTreeRoot: await treeOf(path) };
    return { case: 'lsResult', value: { result: { case: 'success', value } } };
  } catch (error) {
    return { case: 'lsResult', value: { result: { case: 'error', value: { path, error: String(error) } } } };
  }
}

type Tree = Exclude<MessageInitShape<typeof LsDirectoryTreeNodeSchema>, { $typeName: string }>;

async function treeOf(path: string): Promise<Tree> {
  const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => a.name.localeCompare(b.name));
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const childrenFiles = entries.filter((entry) => entry.isFile()).map(({ name }) => ({ name }));
  return {
    absPath: path,
    childrenDirs: await Promise.all(folders.map(({ name }) => treeOf(join(path, name)))),
    childrenFiles,
    childrenWereProcessed: true,
    numFiles: childrenFiles.length,
  };
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
