import type { ToolContext } from '../../../tool-context.ts';
import type { SearchRoot } from '../../search/search-root.ts';
import { mayRunPrograms } from '../find-program.ts';
import { findServer } from '../lsp/server-spec.ts';
import type { Linter } from './linter.ts';
import { findProgramLinters } from './program-linters.ts';
import { serverLinter } from './server-linter.ts';
import { syntaxLinter } from './syntax-linter.ts';

const SCRIPT_LANGUAGES = ['typescript', 'typescriptreact', 'javascript'];

/** Everything that can check this project; where commands may not run, only what is part of this package. */
export async function findLinters(root: SearchRoot, context: ToolContext): Promise<Linter[]> {
  const linters: Linter[] = [syntaxLinter];
  const typescript = await findServer('typescript', root.workspaceRoot, context);
  if (typescript) linters.push(serverLinter(typescript, SCRIPT_LANGUAGES));
  if (mayRunPrograms(context)) linters.push(...(await findProgramLinters(root, context)));
  return linters;
}
