import { statSync } from 'node:fs';
import path from 'node:path';
import { invalidRequest } from '../core/index.ts';
import type { CliContext } from './context.ts';

/** The folder that is meant, absolute; `how` is how another one is named. */
export function findWorkspace(context: CliContext, folder: string, how = 'with --cwd'): string {
  const root = path.resolve(context.cwd, folder);
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) return root;
  throw invalidRequest(
    `The workspace ${root} is not a folder. Name one that exists ${how}, or leave it out.`,
    'cwd',
  );
}
