// REAPPLY (12): once "run the last edit again with a stronger model". Here the journal knows what the last edit did, so
// it is put back where it was lost, carried over to a file that has changed since, or taken back (`action: undo`).
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import type { ToolContext } from '../../tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { commitChanges } from './commit-changes.ts';
import { describeChange, describeChanges, diffText } from './describe-changes.ts';
import { EditJournal, type JournalledFile } from './edit-journal.ts';
import { FileFault, settle } from './file-fault.ts';
import { PATH_ALIASES } from './path-aliases.ts';
import { claimPaths, locatePath } from './path-claims.ts';
import { planReapply, planUndo } from './replay-edit.ts';

const ARGS = toolArguments(
  z.object({
    path: z.string().min(1).optional().describe('The file whose last edit is meant.'),
    call_id: z.string().optional().describe('Instead of path: all files that one earlier call changed.'),
    action: z
      .enum(['reapply', 'undo'])
      .optional()
      .describe('reapply (default) makes the last edit again, undo takes it back.'),
  }),
  { aliases: { path: PATH_ALIASES, call_id: ['tool_call_id'] }, paths: ['path'] },
);

type ReapplyArguments = z.infer<typeof ARGS>;

export const reapply = defineTool<ReapplyArguments>({
  number: 12,
  name: 'reapply',
  description:
    'Makes the last edit of a file again if it was lost or undone, or takes it back with action undo. Undo works step by step through earlier edits, and brings deleted files back; it refuses when the file was changed by something else since.',
  args: ARGS,
  risk: 'write',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches: async (args, context) => {
    const edits = await findEdits(args, context).catch(() => []); // the run tells what is wrong
    return claimPaths(
      context,
      // Taking back an edit that created the file deletes it, and the other way round.
      edits.map((edit) => ({ path: edit.path, access: ['read', 'write', 'delete'] })),
    );
  },
  run: (args, context) =>
    settle(context, async () => {
      const edits = await findEdits(args, context);
      if (edits.length === 0) return noEdit(args);
      return args.action === 'undo' ? undo(context, edits) : redo(context, edits);
    }),
  preview: async (args, context) => {
    try {
      const edits = await findEdits(args, context);
      const plan =
        args.action === 'undo'
          ? planUndo(context, edits)
          : planReapply(context, edits).then((done) => done.changes);
      return (
        diffText((await plan).map((change) => describeChange(context, change))) || 'Nothing will change.'
      );
    } catch (error) {
      if (error instanceof FileFault) return `This call will fail: ${error.message}`;
      throw error;
    }
  },
});

/** Undo steps back from the newest edit in place; reapply goes forward over what was undone, else stays on the newest. */
async function findEdits(args: ReapplyArguments, context: ToolContext): Promise<JournalledFile[]> {
  const journal = new EditJournal(context.stateFolder);
  const wanted = args.action === 'undo' ? 'applied' : 'undone';
  if (args.call_id !== undefined) return journal.changesOf(args.call_id);
  if (args.path === undefined) return [];
  const target = await locatePath(context, args.path, 'write');
  const history = await journal.historyOf(target.realPath);
  const undone = history.findIndex((edit) => edit.state === 'applied');
  const lost = history.slice(0, undone === -1 ? history.length : undone);
  const edit = wanted === 'applied' ? history[lost.length] : (lost.at(-1) ?? history[0]);
  return edit === undefined ? [] : [edit];
}

function noEdit(args: ReapplyArguments): ToolOutcome {
  if (args.path === undefined && args.call_id === undefined)
    return fail('EINVAL', 'Name a file as "path", or an earlier call as "call_id".');
  const what = args.path ?? `the call ${args.call_id}`;
  return fail(
    'NO_MATCH',
    args.action === 'undo'
      ? `There is no edit of ${what} left to undo; only edits made by this runtime can be undone.`
      : `There is no edit of ${what} to make again; edit the file anew.`,
    { data: { is_applied: false, apply_failed: true } },
  );
}

async function undo(context: ToolContext, edits: readonly JournalledFile[]): Promise<ToolOutcome> {
  const open = edits.filter((edit) => edit.state === 'applied');
  if (open.length === 0) return succeed('These edits are undone already.', { data: { is_applied: true } });
  const changes = await planUndo(context, open);
  await commitChanges(context, changes, { tool: 'reapply', isJournalled: false, mayBeStale: true });
  const journal = new EditJournal(context.stateFolder);
  for (const edit of open) await journal.mark(edit, 'undone');
  return describeChanges(context, changes, {
    summary: `Took back the edit of ${names(context, open)}.`,
    editsApplied: changes.length,
    data: { is_applied: true, apply_failed: false },
  });
}

async function redo(context: ToolContext, edits: readonly JournalledFile[]): Promise<ToolOutcome> {
  const { changes, isExact } = await planReapply(context, edits);
  const journal = new EditJournal(context.stateFolder);
  // An edit that was carried over to other content is a new edit, with a "before" of its own.
  await commitChanges(context, changes, { tool: 'reapply', isJournalled: !isExact, mayBeStale: true });
  if (isExact) for (const edit of edits) await journal.mark(edit, 'applied');
  const summary =
    changes.length === 0
      ? `The last edit of ${names(context, edits)} is in place; nothing to do.`
      : `Made the last edit of ${names(context, edits)} again.`;
  return describeChanges(context, changes, {
    summary,
    editsApplied: changes.length,
    data: { is_applied: true, apply_failed: false },
  });
}

function names(context: ToolContext, edits: readonly JournalledFile[]): string {
  return edits.map((edit) => context.workspace.display(edit.path)).join(', ');
}
