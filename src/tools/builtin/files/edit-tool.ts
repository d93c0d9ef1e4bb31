import type { Tool } from '../../tool.ts';
import { defineTool } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';
import { commitChanges, type FileChange } from './commit-changes.ts';
import { type ChangeNotes, describeChange, describeChanges, diffText } from './describe-changes.ts';
import { FileFault, settle } from './file-fault.ts';
import { claimPaths, type PathUse } from './path-claims.ts';

/** What a call will do, worked out in full before anything is written. */
export interface EditPlan extends ChangeNotes {
  readonly changes: readonly FileChange[];
}

type EditTool<Args> = Pick<Tool<Args>, 'number' | 'name' | 'description' | 'args'> &
  Partial<Pick<Tool<Args>, 'status'>> & {
    /** The files the call names, with what it will do to each. */
    uses(args: Args, context: ToolContext): readonly PathUse[] | Promise<readonly PathUse[]>;
    plan(args: Args, context: ToolContext): Promise<EditPlan>;
  };

/** An edit shows what it found, in diffs and in errors: whoever may not read a file may not edit it either. */
export const EDIT_ACCESS = ['read', 'write'] as const;

/** A tool that changes files: plan, show the plan as a diff to whoever approves, commit all of it or nothing. */
export function defineEditTool<Args>(tool: EditTool<Args>): Tool {
  const { uses, plan, ...head } = tool;
  return defineTool<Args>({
    status: 'local',
    ...head,
    risk: 'write',
    modes: ['agent', 'debug'],
    parallel: 'alone',
    touches: async (args, context) => claimPaths(context, await uses(args, context)),
    run: (args, context) =>
      settle(context, async () => {
        const planned = await plan(args, context);
        const { canUndo } = await commitChanges(context, planned.changes, { tool: tool.name });
        const notes = canUndo ? [] : ['The change is too large for the journal and cannot be undone.'];
        return describeChanges(context, planned.changes, {
          ...planned,
          notes: [...(planned.notes ?? []), ...hardLinkNotes(planned.changes), ...notes],
        });
      }),
    preview: async (args, context) => {
      try {
        const { changes, summary } = await plan(args, context);
        return diffText(changes.map((change) => describeChange(context, change))) || summary;
      } catch (error) {
        if (error instanceof FileFault) return `This call will fail: ${error.message}`;
        throw error;
      }
    },
  });
}

function hardLinkNotes(changes: readonly FileChange[]): string[] {
  return changes
    .filter(({ before, after }) => after !== undefined && (before.found?.stat.nlink ?? 1n) > 1n)
    .map(({ before }) => `${before.target.path} had other hard links; those keep the old content.`);
}
