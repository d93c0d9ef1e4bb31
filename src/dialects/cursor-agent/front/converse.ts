import { addUsage, GatewayError, omitUndefined, type Usage } from '../../../core/index.ts';
import type { SayCommission } from './commission.ts';
import type { PreparedRun } from './prepare-run.ts';
import type { QueuedWords } from './queued-words.ts';
import { type DrivenRun, RunDriver, textSince } from './run-driver.ts';
import { say } from './say.ts';
import { type InjectionState, injectionUpdate } from './server-frames.ts';

/** Runs the loop until the model has nothing more to do and nobody has said anything meanwhile. */
export async function converse(run: PreparedRun, queue: QueuedWords): Promise<void> {
  const { conversation, checkpoints, writer } = run;
  await checkpoints.write();
  // A client that has no checkpoint of this run has seen nothing of it.
  if (run.isAgain) await writer.repeatText(textSince(conversation, checkpoints.runStart));
  let usage: Usage | undefined;
  for (;;) {
    if (!conversation.isAnswered) {
      const end = await driveOnce(run);
      usage = usage ? addUsage(usage, end.usage) : end.usage;
      if (end.reason === 'cancelled') await endCancelled(run, queue);
      if (end.explanation) await writer.notice(`\n\n${end.explanation}`);
      if (conversation.markAnswered()) checkpoints.touch();
    }
    await checkpoints.writeIfDirty();
    const words = queue.takeAll();
    if (words.length === 0) break;
    await hear(words, run);
  }
  queue.close();
  await writer.endTurn(usage);
}

/** What was said meanwhile is now part of the conversation. */
async function hear(words: readonly SayCommission[], run: PreparedRun): Promise<void> {
  const { writer, checkpoints, link } = run;
  for (const commission of words) {
    try {
      await say(commission, run);
    } catch (thrown) {
      // Words that cannot be taken do not end a run that has gone well.
      await tellState(commission, run, {
        case: 'rejected',
        value: { reason: GatewayError.from(thrown).message },
      });
      continue;
    }
    for (const message of commission.messages) {
      await writer.update({ case: 'userMessageAppended', value: { userMessage: message } });
    }
    const deliveredAtMs = BigInt(Math.round(link.context.nowMs()));
    await tellState(commission, run, { case: 'delivered', value: { deliveredAtMs } });
  }
  await checkpoints.write();
}

async function driveOnce(run: PreparedRun): Promise<DrivenRun> {
  const { link, model, port } = run;
  const { clientUpstream } = model;
  const job = omitUndefined({ task: run.makeTask(), port, clientUpstream, signal: link.signal });
  return await new RunDriver(run).drive(link.host.runAgent(job, link.context));
}

/** What was said up to here is kept, unless nobody is there any more: then the last checkpoint holds. */
async function endCancelled(run: PreparedRun, queue: QueuedWords): Promise<never> {
  const { link, conversation, checkpoints, writer } = run;
  queue.close();
  if (!link.isGone) {
    const { stepText } = writer;
    if (stepText !== '' && !conversation.hasOpenRound) {
      conversation.append({ role: 'assistant', content: [{ type: 'text', text: stepText }] });
    }
    for (const words of queue.takeAll()) await tellState(words, run, { case: 'cancelled', value: {} });
    await checkpoints.write();
  }
  throw link.fault ?? new GatewayError('cancelled', 'The run was cancelled.');
}

async function tellState(
  { injectionId }: SayCommission,
  { writer }: PreparedRun,
  state: InjectionState,
): Promise<void> {
  if (injectionId === undefined) return;
  await writer.update(injectionUpdate(injectionId, state));
}
