import path from 'node:path';
import { z } from 'zod';
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES, type Touch } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { CursorIgnore } from '../search/cursor-ignore.ts';
import { readSourceFile } from '../search/read-source-file.ts';
import { findSearchRoot, readTouch, type SearchRoot } from '../search/search-root.ts';
import { askServer, type Definition, findByName, findUsage } from './find-definitions.ts';
import { shellText } from './find-program.ts';
import { languageOf } from './languages.ts';
import { findServer } from './lsp/server-spec.ts';

const MAX_DEFINITIONS = 10;
const MAX_CONTEXT_LINES = 30;
const MAX_FILE_BYTES = 2_000_000;

const args = toolArguments(
  {
    symbol: z.string().min(1).describe('The name to look up, as written in the code.'),
    path: z.string().optional().describe('File in which the name is used; makes the answer exact.'),
    start_line: z.number().int().min(1).optional().describe('First line to look for the name in, from 1.'),
    end_line: z.number().int().min(1).optional().describe('Last line to look for the name in.'),
  },
  {
    aliases: {
      symbol: ['name', 'query', 'symbol_name'],
      path: ['relative_workspace_path', 'file_path', 'target_file', 'file', 'relativeWorkspacePath'],
      start_line: ['line', 'line_number', 'startLine'],
      end_line: ['endLine'],
    },
    ignored: ['column', 'character'],
    rewrite(given) {
      // The wire writes 0 where no line was given.
      for (const key of ['start_line', 'end_line', 'line_number', 'line'])
        if (given[key] === 0) delete given[key];
    },
  },
);

export const goToDefinition = defineTool({
  number: 31,
  name: 'go_to_definition',
  description: `Find where a symbol is defined and see the code there.
- Give the file and line where it is used: the language's own server then resolves imports and overloads exactly (TypeScript and JavaScript out of the box; Go, Rust, Python and C++ when their server is installed).
- Without a file, or for other languages, every definition of that name in the workspace is listed, the nearest first.`,
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  async touches(given, context) {
    const touches: Touch[] = [readTouch('.', context)];
    if (given.path === undefined) return touches;
    touches.push(readTouch(given.path, context));
    const server = await serverFor(given.path, context);
    if (server && !server.isOwn) {
      touches.push({
        type: 'command',
        command: shellText(server.command, server.args),
        cwd: context.workspace.root,
      });
    }
    return touches;
  },
  async run(given, context) {
    const root = await findSearchRoot('.', context);
    if (!root.ok) return root;
    const row = given.path === undefined ? undefined : languageOf(given.path);
    let definitions: Definition[] = [];
    let source = 'names in the workspace';
    if (given.path !== undefined) {
      const file = await findSearchRoot(given.path, context);
      if (!file.ok) return file;
      if (new CursorIgnore(root.workspaceRoot).hides(path.relative(root.workspaceRoot, file.path))) {
        return fail(
          'EACCES',
          `${given.path} is hidden by .cursorignore. Give symbol alone to search by name.`,
        );
      }
      const text = await readSourceFile(file.path, context.workspace, MAX_FILE_BYTES);
      if (!text.ok)
        return fail(
          'EINVAL',
          `${given.path} cannot be read as source code (${text.reason}). Give symbol alone to search by name.`,
        );
      const start = given.start_line ?? 1;
      const at = findUsage(
        text.text,
        given.symbol,
        start,
        given.end_line ?? given.start_line ?? Number.MAX_SAFE_INTEGER,
      );
      const server = row && at ? await serverFor(given.path, context) : undefined;
      if (row && at && server) {
        definitions = await askServer(
          server,
          { path: file.path, text: text.text, row, ...at },
          root,
          context,
        );
        if (definitions.length > 0) source = server.id;
      }
      if (definitions.length === 0)
        definitions = await findByName(given.symbol, row && { path: file.path, row }, root, context);
    } else definitions = await findByName(given.symbol, undefined, root, context);
    if (context.signal.aborted) return fail('ECANCELED', 'The search was cancelled.');
    if (definitions.length === 0) {
      return fail(
        'NO_MATCH',
        `No definition of "${given.symbol}" was found. Check the spelling with search_symbols, or grep for it.`,
      );
    }
    const shown = await Promise.all(
      definitions.slice(0, MAX_DEFINITIONS).map((item) => describe(item, root, context)),
    );
    const lines = shown.map((item) => item.text);
    if (definitions.length > shown.length)
      lines.push(`[the nearest ${shown.length} of ${definitions.length} definitions]`);
    const attachments = { match_count: definitions.length, source };
    return succeed(lines.join('\n\n'), {
      data: { definitions: shown.map((item) => item.data) },
      attachments,
    });
  },
});

async function serverFor(given: string, context: ToolContext) {
  const row = languageOf(given);
  return row && findServer(row.id, context.workspace.root, context);
}

/** A place outside of the workspace, such as a bundled library, is named without its code. */
async function describe(
  definition: Definition,
  root: SearchRoot,
  context: ToolContext,
): Promise<{ text: string; data: JsonObject }> {
  const source = await readSourceFile(definition.path, context.workspace, MAX_FILE_BYTES);
  const isHidden = new CursorIgnore(root.workspaceRoot).hides(
    path.relative(root.workspaceRoot, definition.path),
  );
  const lines = source.ok && !isHidden ? source.text.split(/\r?\n/) : [];
  const end = Math.min(definition.endLine, definition.startLine + MAX_CONTEXT_LINES - 1);
  const code = lines.slice(definition.startLine - 1, end);
  const file = context.workspace.display(definition.path);
  const head = [`${file}:${definition.startLine}-${definition.endLine}`, definition.kind, definition.fullName]
    .filter(Boolean)
    .join('  ');
  const numbered = code.map((line, index) => `${String(definition.startLine + index).padStart(6)}|${line}`);
  if (source.ok && definition.endLine > end) numbered.push(`       … ${definition.endLine - end} more lines`);
  return {
    text: [head, ...numbered].join('\n'),
    data: omitUndefined({
      relative_workspace_path: file,
      fully_qualified_name: definition.fullName,
      symbol_kind: definition.kind,
      start_line: definition.startLine,
      end_line: definition.endLine,
      code_context_lines: code,
    }),
  };
}
