// Which language server serves a file. TypeScript 7 is its own server (`tsc --lsp --stdio`); ours is taken before the project's,
// because it needs no permission: it reads the project and runs nothing of it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ToolContext } from '../../../tool-context.ts';
import { findProgramOnPath, isProgram, mayRunPrograms } from '../find-program.ts';

export interface ServerSpec {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Comes with this package; any other is a program whose run must be permitted. */
  readonly isOwn: boolean;
  /** Globs of the files it knows, for telling it about changes. */
  readonly fileGlob: string;
}

const SCRIPT_LANGUAGES = new Set(['typescript', 'typescriptreact', 'javascript']);

const ON_PATH: readonly (Omit<ServerSpec, 'isOwn'> & { readonly languages: readonly string[] })[] = [
  { id: 'gopls', command: 'gopls', args: [], languages: ['go'], fileGlob: '*.go' },
  { id: 'rust-analyzer', command: 'rust-analyzer', args: [], languages: ['rust'], fileGlob: '*.rs' },
  {
    id: 'pyright',
    command: 'pyright-langserver',
    args: ['--stdio'],
    languages: ['python'],
    fileGlob: '*.{py,pyi}',
  },
  {
    id: 'clangd',
    command: 'clangd',
    args: [],
    languages: ['cpp'],
    fileGlob: '*.{c,cc,cpp,cxx,h,hh,hpp,hxx}',
  },
];

export async function findServer(
  languageId: string,
  workspaceRoot: string,
  context: ToolContext,
): Promise<ServerSpec | undefined> {
  if (SCRIPT_LANGUAGES.has(languageId)) {
    const own = await typescriptIn(ownTypescriptFolder(), true);
    if (own || !mayRunPrograms(context)) return own;
    return typescriptIn(path.join(workspaceRoot, 'node_modules/typescript'), false);
  }
  const row = mayRunPrograms(context)
    ? ON_PATH.find((item) => item.languages.includes(languageId))
    : undefined;
  if (!row) return undefined;
  const command = await findProgramOnPath(row.command, context);
  return command === undefined
    ? undefined
    : { id: row.id, command, args: row.args, fileGlob: row.fileGlob, isOwn: false };
}

function ownTypescriptFolder(): string | undefined {
  try {
    return path.dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  } catch {
    // A development dependency: it may not be there.
    return undefined;
  }
}

/** The native program itself, not the script around it, so that one process is all there is to end. */
async function typescriptIn(folder: string | undefined, isOwn: boolean): Promise<ServerSpec | undefined> {
  if (folder === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const version = String(Object(manifest).version);
    if (Number.parseInt(version, 10) < 7) return undefined;
  } catch {
    return undefined;
  }
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`;
  const name = process.platform === 'win32' ? 'tsc.exe' : 'tsc';
  for (const near of [path.join(folder, 'node_modules'), path.dirname(folder)]) {
    const command = path.join(near, platform, 'lib', name);
    if (!(await isProgram(command))) continue;
    const fileGlob = '*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,json}';
    return {
      id: isOwn ? 'typescript' : 'project-typescript',
      command,
      args: ['--lsp', '--stdio'],
      isOwn,
      fileGlob,
    };
  }
  return undefined;
}
