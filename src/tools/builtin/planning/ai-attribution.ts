// AI_ATTRIBUTION (59). It has no params in `aiserver.v1`; the fields are those of `agent.v1.AiAttributionArgs`.
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail } from '../../tool-outcome.ts';

const args = toolArguments(
  {
    file_paths: z.array(z.string()).default([]).describe('Files to look at.'),
    commit_hashes: z.array(z.string()).default([]).describe('Commits to look at.'),
    start_line: z.number().int().optional().describe('First line of interest.'),
    end_line: z.number().int().optional().describe('Last line of interest.'),
  },
  {
    aliases: { file_paths: ['paths', 'path', 'file_path'], commit_hashes: ['commits', 'commit'] },
    ignored: ['output_mode', 'max_commits', 'include_line_ranges'],
  },
);

export const aiAttribution = defineTool({
  number: 59,
  name: 'ai_attribution',
  description: 'Which lines a model wrote, by the records of the editor. Not available here.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'remote-only',
  touches: () => [],
  run: async (given) => {
    const subject = [...given.file_paths, ...given.commit_hashes].join(', ') || 'this code';
    return fail(
      'ENOSYS',
      `Who or what wrote ${subject} is recorded by Cursor's editor and servers alone, and cannot be read from here. Run "git blame" or "git log" instead: authors and trailers such as Co-authored-by say what the history knows.`,
    );
  },
});
