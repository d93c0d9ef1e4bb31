// REPORT_BUGFIX_RESULTS (58): the fields of `agent.v1.ReportBugfixResultsArgs`. The original hands the report to a
// review service; here it is kept as a file and shown to the user, if there is one.
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { settle } from '../files/file-fault.ts';
import { fileSlug, writeStateFile } from './state-file.ts';
import { untilAborted } from './until-aborted.ts';
import { userPort } from './user-port.ts';

const VERDICTS = ['fixed', 'false_positive', 'could_not_fix', 'resolved_by_other_fix'] as const;

const verdictSchema = z.preprocess((given) => {
  if (typeof given === 'number') return VERDICTS[given - 1] ?? given;
  if (typeof given !== 'string') return given;
  return given
    .toLowerCase()
    .replace(/^bugfix_verdict_/, '')
    .replace(/[\s-]+/g, '_');
}, z.enum(VERDICTS));

const args = toolArguments(
  {
    summary: z.string().max(20_000).default('').describe('What was done, in a few sentences.'),
    results: z
      .array(
        z.object({
          bug_id: z.string().min(1).describe('The id the bug was reported under.'),
          bug_title: z.string().max(500).default('').describe('Its title.'),
          verdict: verdictSchema.describe('What became of it.'),
          explanation: z.string().max(20_000).default('').describe('Why, and how it was fixed.'),
          severity: z.string().optional().describe('How bad it was.'),
        }),
      )
      .min(1)
      .max(200)
      .describe('One entry for each bug you were given.'),
  },
  { aliases: { results: ['bugs', 'bugfix_results'] } },
);

export const reportBugfixResults = defineTool({
  number: 58,
  name: 'report_bugfix_results',
  description:
    'Report what became of the bugs you were asked to fix: one entry for each, with a verdict (fixed, false_positive, could_not_fix, resolved_by_other_fix) and why. Call it once, at the end.',
  args,
  risk: 'none',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: () => [],
  run: (given, context) =>
    settle(context, async () => {
      const ids = given.results.map((result) => result.bug_id);
      const twice = ids.find((id, index) => ids.indexOf(id) !== index);
      if (twice !== undefined)
        return fail('EINVAL', `Bug "${twice}" is reported twice; give one verdict for it.`);
      const results = given.results.map((result) => omitUndefined(result));
      const report = { summary: given.summary, results };
      const name = `${fileSlug(context.callId)}.json`;
      const file = await writeStateFile(
        context,
        'bugfix-reports',
        name,
        `${JSON.stringify(report, undefined, 2)}\n`,
      );
      const counts = VERDICTS.map((verdict) => {
        const count = results.filter((result) => result.verdict === verdict).length;
        return count === 0 ? '' : `${count} ${verdict.replaceAll('_', ' ')}`;
      });
      const line = `Bugs: ${counts.filter(Boolean).join(', ')}.`;
      const user = context.resources.get(userPort);
      if (user)
        await untilAborted(user.notify(`${given.summary}\n${line}`.trim(), context.signal), context.signal);
      return succeed(`${line} The report is kept in ${file}.`, {
        attachments: { file_path: file },
        data: { success: { results } },
      });
    }),
});
