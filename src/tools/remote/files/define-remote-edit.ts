import { omitUndefined } from '../../../core/index.ts';
import { type ChangeNotes, describeEdits } from '../../builtin/files/describe-changes.ts';
import { FileFault } from '../../builtin/files/file-fault.ts';
import { fail, type ToolOutcome } from '../../tool-outcome.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall, type RemoteTool } from '../remote-tool.ts';
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
    // After the commit: a client may have saved something else than it was sent.
    const edits = draft.changes.map(({ path, name, before, now }) => ({ path, name, before, after: now }));
    return { outcome: describeEdits(edits, { ...told, notes: [...(told.notes ?? []), ...notes] }) };
  } catch (error) {
    return { outcome: failureOf(error) };
  }
}

function failureOf(error: unknown): ToolOutcome {
  if (error instanceof FileFault) return fail(error.code, error.message, omitUndefined({ data: error.data }));
  throw error;
}
