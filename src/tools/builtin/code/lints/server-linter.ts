import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { absoluteOf } from '../../search/list-files.ts';
import { readSourceFile } from '../../search/read-source-file.ts';
import { shellText } from '../find-program.ts';
import { MAX_PARSED_CHARACTERS } from '../grammars.ts';
import { languageOf } from '../languages.ts';
import { languageServers } from '../lsp/language-servers.ts';
import { type LspDiagnostic, readDiagnostics } from '../lsp/protocol-types.ts';
import type { ServerSpec } from '../lsp/server-spec.ts';
import type { Lint, Severity } from './lint.ts';
import type { Linter } from './linter.ts';
import { targetFiles } from './target-files.ts';

const MAX_FILES = 200;
const FILE_LIMIT_MS = 20_000;

/** Diagnostics of a language server, asked for file by file. */
export function serverLinter(spec: ServerSpec, languages: readonly string[]): Linter {
  return {
    name: spec.id,
    commands: spec.isOwn ? [] : [shellText(spec.command, spec.args)],
    async read(targets, root, context) {
      const isServed = (file: string) => languages.includes(languageOf(file)?.id ?? '');
      const { files, left } = await targetFiles(targets, root, context, MAX_FILES, isServed);
      if (files.length === 0) return { lints: [] };
      const lints: Lint[] = [];
      try {
        const server = await context.resources.get(languageServers).get(spec, root, context);
        for (const file of files) {
          if (context.signal.aborted) break;
          const absolute = absoluteOf(root, file);
          const source = await readSourceFile(absolute, context.workspace, MAX_PARSED_CHARACTERS);
          if (!source.ok) continue;
          const uri = pathToFileURL(absolute).href;
          server.openDocument(uri, languageOf(file)?.id ?? '', source.text);
          const answer = server.pullsDiagnostics
            ? await server.request(
                'textDocument/diagnostic',
                { textDocument: { uri } },
                context.signal,
                FILE_LIMIT_MS,
              )
            : { items: server.pushedDiagnostics(uri) };
          for (const item of readDiagnostics(Object(answer).items)) lints.push(lintOf(file, item, spec.id));
        }
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        return { lints, problem: said };
      }
      const problem =
        left > 0 ? `${spec.id}: ${left} more files were not checked; give paths to check others.` : undefined;
      return { lints, problem };
    },
  };
}

function lintOf(file: string, item: LspDiagnostic, id: string): Lint {
  return {
    file: path.normalize(file),
    line: item.range.start.line + 1,
    column: item.range.start.character + 1,
    endLine: item.range.end.line + 1,
    endColumn: item.range.end.character + 1,
    message: item.message,
    severity: item.severity as Severity, // the schema allows 1 to 4 alone
    source: item.source ?? id,
    code: item.code === undefined ? undefined : String(item.code),
  };
}
