import path from 'node:path';
import fuzzysort from 'fuzzysort';
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { walkFiles } from './list-files.ts';
import { mayResemble } from './may-resemble.ts';
import { findSearchRoot, readTouch, withNotes } from './search-root.ts';

const MAX_RESULTS = 10;
/** Scored in batches, of which only the best stay: the length of the tree costs time, not memory. */
const BATCH = 5_000;

const args = toolArguments(
  {
    query: z
      .string()
      .min(1)
      .describe(
        'Part of a file name or path; letters may be left out, e.g. "usrctl" for src/user-controller.ts.',
      ),
  },
  { aliases: { query: ['pattern', 'file_name', 'filename', 'path', 'search_term'] } },
);

interface Scored {
  readonly file: string;
  readonly score: number;
}

/** As rules know it. */
const TOOL = { number: 8, name: 'file_search' } as const;

export const fileSearch = defineTool({
  ...TOOL,
  description:
    'Find files whose path resembles a query (fuzzy); gives the ten best. Use it when you know part of a name; use glob_file_search for a pattern. Files named in .gitignore and .cursorignore, and hidden files, are left out.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (_given, context) => [readTouch('.', context)],
  async run(given, context) {
    const started = context.nowMs();
    const root = await findSearchRoot('.', context, TOOL);
    if (!root.ok) return root;
    // A query may be a path; blanks separate parts as people type them.
    const query = given.query.replaceAll('\\', '/').trim();
    let best: Scored[] = [];
    let batch: string[] = [];
    let matched = 0;
    let searched = 0;
    const score = () => {
      const results = fuzzysort.go(query, batch, { limit: MAX_RESULTS, threshold: 0.2 });
      matched += results.total;
      const scored = results.map((result) => ({
        file: result.target,
        score: rank(result.score, result.target, query),
      }));
      best = [...best, ...scored].sort(byScore).slice(0, MAX_RESULTS);
      batch = [];
      fuzzysort.cleanup(); // it remembers every text it has met
    };
    const isCandidate = mayResemble(query);
    const end = await walkFiles(root, context, {}, (paths) => {
      searched++;
      if (!isCandidate(paths)) return true;
      batch.push(paths.path());
      if (batch.length >= BATCH) score();
      return true;
    });
    if (end.reason === 'cancelled') return fail('ECANCELED', 'The search was cancelled.');
    score();
    const limitHit = matched > best.length;
    const notes = [
      ...(limitHit ? [`[${matched} paths resemble the query; these are the best ${best.length}]`] : []),
      ...(end.reason === 'timeout' ? [`[the time limit was reached after ${searched} files]`] : []),
    ];
    const content =
      best.length === 0
        ? [`No file path resembles "${given.query}".`, ...notes].join('\n')
        : [...best.map(({ file }) => file), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
    const data = {
      files: best.map(({ file }) => ({ uri: file })),
      limit_hit: limitHit,
      num_results: best.length,
    };
    const attachments = {
      match_count: matched,
      files_searched: searched,
      duration_ms: context.nowMs() - started,
    };
    return succeed(withNotes(content, root), { data, attachments });
  },
});

/** What matches in the name itself counts more than what matches in its folders; shorter paths win ties. */
function rank(score: number, file: string, query: string): number {
  const inName = fuzzysort.single(query, path.posix.basename(file))?.score ?? 0;
  return score + inName - file.length / 10_000;
}

function byScore(left: Scored, right: Scored): number {
  return right.score - left.score || (left.file < right.file ? -1 : 1);
}
