import {
  GatewayError,
  omitUndefined,
  type TurnRequest,
  textOf,
  type Usage,
  userMessage,
} from '../../../core/index.ts';
import { settleOpenCalls } from './open-calls.ts';
import type { PreparedRun } from './prepare-run.ts';

const ORDER =
  'Summarize this conversation so that it can go on from your summary alone: what the user wants, what was decided, ' +
  'what was done to which files, what was found out, and what is still to do. Keep names, paths and numbers exact.';

/** The user asks for a shorter conversation: from now on it begins with a summary of what was said. */
export async function summarizeConversation(run: PreparedRun): Promise<void> {
  const { conversation, checkpoints, writer, model, link } = run;
  const messages = settleOpenCalls(conversation.messages);
  let usage: Usage | undefined;
  if (messages.length > 0) {
    await writer.update({ case: 'summaryStarted', value: {} });
    const request: TurnRequest = omitUndefined({
      model: model.model,
      modelAlternatives: model.modelAlternatives,
      messages: [...messages, userMessage(ORDER)],
      tools: [],
      sampling: {},
      stream: false,
    });
    const result = await link.host.runTurn(request, { ...link.context, signal: link.signal });
    usage = result.usage;
    const summary = textOf(result.content).trim();
    if (result.error || summary === '') {
      await writer.update({ case: 'summaryCompleted', value: { failed: true } });
      throw result.error ?? new GatewayError('upstream-malformed', 'The model wrote no summary; try again.');
    }
    conversation.summarize(summary, [userMessage(`Summary of our conversation so far:\n\n${summary}`)]);
    conversation.markAnswered();
    await writer.update({ case: 'summary', value: { summary } });
    await writer.update({ case: 'summaryCompleted', value: {} });
  }
  await checkpoints.write();
  await writer.endTurn(usage);
}
