import path from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { type CodeBlock, codeBlockData, formatCodeBlock, readCodeBlock } from './code-block.ts';
import type { ChunkHit, CodeIndex } from './code-index/code-index.ts';
import { embedder, MAX_RERANKED, rerank } from './code-index/embeddings.ts';
import { workspaceIndexes } from './code-index/workspace-index.ts';
import { findSearchRoot, readTouch, withNotes } from './search-root.ts';

const MAX_RESULTS = 15;
const MAX_PER_FILE = 3;
const MAX_CHARACTERS = 60_000;

const args = toolArguments(
  {
    query: z
      .string()
      .min(1)
      .describe('A full question about what the code does, e.g. "Where are expired sessions removed?"'),
    target_directories: z
      .array(z.string())
      .default([])
      .describe('One folder or file to search in; empty for the whole workspace. No globs.'),
    num_results: z
      .number()
      .int()
      .min(1)
      .max(MAX_RESULTS)
      .default(MAX_RESULTS)
      .describe('How many places to give.'),
    include_pattern: z.string().optional().describe('Only files that match this glob.'),
    exclude_pattern: z.string().optional().describe('No files that match this glob.'),
  },
  {
    aliases: {
      query: ['search_term', 'question'],
      target_directories: ['target_directory', 'path', 'directories', 'targetDirectories'],
      num_results: ['top_k', 'max_results', 'limit', 'numResults'],
      include_pattern: ['includePattern'],
      exclude_pattern: ['excludePattern'],
    },
    ignored: ['repository_info', 'pr_references', 'pr_search_on', 'search_only_prs', 'code_results'],
    rewrite(given) {
      // The wire leaves the count at zero when nobody chose one, and counts differently elsewhere.
      const count = given.num_results ?? given.top_k;
      if (typeof count !== 'number') return;
      delete given.top_k;
      given.num_results = count < 1 ? MAX_RESULTS : Math.min(count, MAX_RESULTS);
    },
  },
);

/** As rules know it. */
const TOOL = { number: 9, name: 'codebase_search' } as const;

export const codebaseSearch = defineTool({
  ...TOOL,
  description: `Find code by what it does, when you do not know the exact words. Ask a full question; the answer is a list of places with their code, best first.
- Use grep instead when you can spell a symbol or a string.
- The search runs over a local index of the workspace that is brought up to date first; files named in .gitignore, .cursorignore or .cursorindexingignore are not in it.`,
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (given, context) =>
    given.target_directories.length === 0
      ? [readTouch('.', context)]
      : given.target_directories.map((target) => readTouch(target, context)),
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchRoot('.', context, TOOL);
    if (!root.ok) return root;
    const prefixes: string[] = [];
    for (const target of given.target_directories) {
      const place = await findSearchRoot(target, context);
      if (!place.ok) return place;
      if (!place.argument.startsWith('.')) {
        return fail(
          'EACCES',
          `${target} is outside of the workspace, which has no index there. Use grep with that path.`,
        );
      }
      prefixes.push(path.relative(root.workspaceRoot, place.path));
    }
    const workspaceIndex = context.resources.get(workspaceIndexes).of(root, context);
    const refresh = await workspaceIndex.refresh(root, context, given.query);
    if (context.signal.aborted) return fail('ECANCELED', 'The search was cancelled.');
    const isFitting = fileFilter(prefixes, given.include_pattern, given.exclude_pattern);
    // The index may still hold a file that a newer rule forbids.
    const isWanted = (file: string) => isFitting(file) && root.forbidden?.hides(file) !== true;
    const hits = await bestHits(await workspaceIndex.index(), given.query, isWanted, context);
    const blocks: CodeBlock[] = [];
    let characters = 0;
    for (const hit of spread(hits)) {
      if (blocks.length >= given.num_results || characters > MAX_CHARACTERS) break;
      const block = await readCodeBlock(hit, context);
      if (!block.ok) continue;
      blocks.push(block);
      characters += block.contents.length;
    }
    const notes =
      refresh.missing > 0
        ? [
            `[the index holds ${refresh.indexed} files, ${refresh.missing} more are not in it yet; ask again, or narrow with target_directories and grep]`,
          ]
        : [];
    const content =
      blocks.length === 0
        ? ['No code resembles the query. Try other words, or grep for a symbol.', ...notes].join('\n')
        : [...blocks.map(formatCodeBlock), ...notes].join('\n\n');
    const files = [...new Set(blocks.map((block) => block.file))];
    const data = {
      code_results: blocks.map(codeBlockData),
      all_files: files.map((file) => ({ relative_workspace_path: file })),
      missing_files: [],
    };
    const attachments = {
      match_count: blocks.length,
      files_searched: refresh.indexed,
      duration_ms: context.nowMs() - started,
    };
    return succeed(withNotes(content, root), { data, attachments });
  },
});

function fileFilter(
  prefixes: readonly string[],
  include: string | undefined,
  exclude: string | undefined,
): (file: string) => boolean {
  const glob = (pattern: string | undefined) =>
    pattern === undefined || pattern === ''
      ? undefined
      : picomatch(pattern.startsWith('**/') ? pattern : [pattern, `**/${pattern}`], {
          windows: path.sep === '\\',
        });
  const isIncluded = glob(include);
  const isExcluded = glob(exclude);
  const isBelow = (file: string) =>
    prefixes.length === 0 ||
    prefixes.some((prefix) => prefix === '' || file === prefix || file.startsWith(`${prefix}${path.sep}`));
  return (file) => isBelow(file) && isIncluded?.(file) !== false && isExcluded?.(file) !== true;
}

async function bestHits(
  index: CodeIndex,
  query: string,
  isWanted: (file: string) => boolean,
  context: ToolContext,
): Promise<ChunkHit[]> {
  const hits = index.query(query, MAX_RERANKED, isWanted);
  const model = context.resources.get(embedder);
  if (!model || hits.length === 0) return hits;
  const blocks = await Promise.all(hits.map((hit) => readCodeBlock(hit, context)));
  const texts = blocks.map((block) => (block.ok ? block.contents : ''));
  return rerank(hits, texts, query, model, context.signal);
}

/** No file takes the whole answer. */
function* spread(hits: readonly ChunkHit[]): Generator<ChunkHit> {
  const taken = new Map<string, number>();
  for (const hit of hits) {
    const count = taken.get(hit.file) ?? 0;
    if (count >= MAX_PER_FILE) continue;
    taken.set(hit.file, count + 1);
    yield hit;
  }
}
