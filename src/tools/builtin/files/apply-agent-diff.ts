// APPLY_AGENT_DIFF (50). On the wire it carries only the id of a cloud agent whose changes the server would fetch; here
// the changes come with the call, as a unified diff. Result: `applied_changes` of agent.v1's ApplyAgentDiffSuccess.
import { z } from 'zod';
import { toolArguments } from '../../tool-arguments.ts';
import { sectionLine } from './apply-patch.ts';
import { defineEditTool } from './edit-tool.ts';
import { FileFault } from './file-fault.ts';
import { parseUnifiedDiff } from './parse-unified-diff.ts';
import { type PatchSection, usesOfSections } from './patch-section.ts';
import { planSections } from './plan-sections.ts';

const ARGS = toolArguments(
  z.object({
    diff: z.string().optional().describe('The changes as one unified diff, plain or from git diff.'),
    agent_id: z.string().optional().describe('The agent that made the changes, for the record.'),
  }),
  { aliases: { diff: ['patch', 'unified_diff', 'input'], agent_id: ['agent'] }, rawText: 'diff' },
);

export const applyAgentDiff = defineEditTool({
  number: 50,
  name: 'apply_agent_diff',
  description:
    'Applies a unified diff, such as git diff or another agent wrote it, to the workspace. New, deleted and renamed files are understood. All of it applies or nothing does; hunks may have moved, but their context must be there.',
  args: ARGS,
  uses: ({ diff }) => usesOfSections(sectionsOrNone(diff)),
  plan: async ({ diff, agent_id }, context) => {
    if (diff === undefined || diff.trim() === '')
      throw new FileFault(
        'UNAVAILABLE',
        agent_id === undefined
          ? 'There is no diff to apply; send the unified diff as "diff".'
          : `The changes of agent ${agent_id} are kept by its own server, which this runtime does not ask; send them as a unified diff in "diff".`,
      );
    const sections = parseUnifiedDiff(diff);
    const changes = await planSections(context, sections);
    return {
      changes,
      summary: `Applied the diff: ${sections.map(sectionLine).join('; ')}.`,
      editsApplied: sections.reduce(
        (sum, section) => sum + (section.type === 'update' ? section.hunks.length : 1),
        0,
      ),
      data: { applied_changes: sections.map((section) => ({ path: section.path, change: section.type })) },
    };
  },
});

function sectionsOrNone(diff: string | undefined): PatchSection[] {
  try {
    return parseUnifiedDiff(diff ?? '');
  } catch {
    return [];
  }
}
