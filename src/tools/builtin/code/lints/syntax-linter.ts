import type { Node } from 'web-tree-sitter';
import type { ToolContext } from '../../../tool-context.ts';
import { absoluteOf } from '../../search/list-files.ts';
import { readSourceFile } from '../../search/read-source-file.ts';
import { grammars, MAX_PARSED_CHARACTERS } from '../grammars.ts';
import { languageOf } from '../languages.ts';
import type { Lint } from './lint.ts';
import type { Linter } from './linter.ts';
import { targetFiles } from './target-files.ts';

const MAX_FILES = 500;
const MAX_PER_FILE = 5;
/** Their own server says it better. */
const SERVED = new Set(['typescript', 'typescriptreact', 'javascript']);

/** What tree-sitter cannot parse: the one check that needs no program and knows every language with a grammar. */
export const syntaxLinter: Linter = {
  name: 'syntax',
  commands: [],
  async read(targets, root, context) {
    const { files, left } = await targetFiles(targets, root, context, MAX_FILES, (file) => {
      const row = languageOf(file);
      return row !== undefined && !SERVED.has(row.id);
    });
    const lints: Lint[] = [];
    for (const file of files) {
      if (context.signal.aborted) break;
      lints.push(...(await syntaxErrors(file, absoluteOf(root, file), context)));
    }
    const problem =
      left > 0 ? `syntax: ${left} more files were not checked; give paths to check others.` : undefined;
    return { lints, problem };
  },
};

async function syntaxErrors(file: string, absolute: string, context: ToolContext): Promise<Lint[]> {
  const row = languageOf(file);
  const source = await readSourceFile(absolute, context.workspace, MAX_PARSED_CHARACTERS);
  if (!row || !source.ok) return [];
  const parsed = await context.resources.get(grammars).parse(source.text, row);
  if (!parsed) return [];
  try {
    return parsed.tree.rootNode.hasError ? collect(parsed.tree.rootNode, file) : [];
  } finally {
    parsed.tree.delete();
  }
}

function collect(root: Node, file: string): Lint[] {
  const lints: Lint[] = [];
  const visit = (node: Node) => {
    if (lints.length >= MAX_PER_FILE || !(node.hasError || node.isMissing)) return;
    if (node.isError || node.isMissing) lints.push(lintOf(node, file));
    else for (const child of node.children) if (child) visit(child);
  };
  visit(root);
  return lints;
}

function lintOf(node: Node, file: string): Lint {
  const shown = node.text.trim().split('\n')[0]?.slice(0, 60) ?? '';
  return {
    file,
    line: node.startPosition.row + 1,
    column: node.startPosition.column + 1,
    endLine: node.endPosition.row + 1,
    endColumn: node.endPosition.column + 1,
    message: node.isMissing ? `Missing ${node.type}.` : `Cannot be parsed${shown === '' ? '' : `: ${shown}`}`,
    severity: 1,
    source: 'syntax',
  };
}
