import type { JsonObject } from '../../../core/index.ts';
import { listOf } from '../../codecs/result-form.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { formatLints } from '../exec/file-execs.ts';
import { defineRemoteTool } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';

/** A client looks at one file a time; more at once than this is not what a model reads. */
const MAX_FILES = 50;

export const readLints = defineRemoteTool<{ paths: readonly string[] }>('read_lints', {
  isListed: ({ port }) => port.requestContext?.readLintsEnabled !== false,
  async run({ paths }, call) {
    if (paths.length === 0)
      return { outcome: fail('EINVAL', 'paths is empty; name the files to check, best those just changed.') };
    const { folder } = call.session;
    const outcomes = await Promise.all(
      paths.slice(0, MAX_FILES).map(async (path) => {
        const { outcome } = await runExec(call, 'diagnostics', { paths: [folder.absolute(path)] });
        return { path, outcome };
      }),
    );
    return { outcome: joinLints(outcomes, paths.length) };
  },
});

function joinLints(
  outcomes: readonly { readonly path: string; readonly outcome: ToolOutcome }[],
  asked: number,
): ToolOutcome {
  const good = outcomes.filter(({ outcome }) => outcome.ok);
  const [first] = outcomes;
  if (first && good.length === 0) return first.outcome;
  const data: JsonObject = {
    linter_errors_by_file: good.flatMap(({ outcome }) => listOf(outcome.data?.linter_errors_by_file)),
  };
  const notes = outcomes.flatMap(({ path, outcome }) =>
    outcome.ok ? [] : [`[${path} was not checked: ${outcome.error.message}]`],
  );
  if (asked > outcomes.length) notes.push(`[only the first ${outcomes.length} files were checked]`);
  return succeed([formatLints(data), ...notes].join('\n'), { data });
}
