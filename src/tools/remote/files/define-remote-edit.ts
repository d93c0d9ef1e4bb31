import { omitUndefined } from '../../../core/index.ts';
import type { ChangeNotes } from '../../builtin/files/describe-changes.ts';
import { FileFault } from '../../builtin/files/file-fault.ts';
import { fail, type ToolOutcome } from '../../tool-outcome.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall, type RemoteTool } from '../remote-tool.ts';
import { describeEdits } from './describe-edits.ts';
import { RemoteDraft } from './remote-draft.ts';

/** Works a call out on a draft; whatever it throws as a fault is told to the model. */
export type Plan<Args> = (args: Args, draft: RemoteDraft, call: RemoteCall) => Promise<ChangeNotes>;

export function defineRemoteEdit<Args>(
  name: string,
  plan: Plan<Args>,
  more: Pick<RemoteTool<Args>, 'isListed'> = {},
): RemoteTool {
  return defineRemoteTool<Args>(name, { ...more, run: (args, call) => edit(plan, args, call) });
}

async function edit<Args>(plan: Plan<Args>, args: Args, call: RemoteCall): Promise<RemoteAnswer> {
  const draft = new RemoteDraft(call);
  try {
    const told = await plan(args, draft, call);
    const notes = await draft.commit();
    return { outcome: describeEdits(draft.changes, { ...told, notes: [...(told.notes ?? []), ...notes] }) };
  } catch (error) {
    return { outcome: failureOf(error) };
  }
}

function failureOf(error: unknown): ToolOutcome {
  if (error instanceof FileFault) return fail(error.code, error.message, omitUndefined({ data: error.data }));
  throw error;
}
