import { invalidRequest } from '../../../core/index.ts';
import type { SayCommission } from './commission.ts';
import { decodeHistory } from './decode-history.ts';
import { decodeResolutions } from './decode-resolutions.ts';
import { decodeUserMessage } from './decode-user-message.ts';
import { settleOpenCalls } from './open-calls.ts';
import type { PreparedRun } from './prepare-run.ts';

/** Adds what the user says to the conversation. Calls that an earlier run left open get their results first. */
export async function say(commission: SayCommission, run: PreparedRun): Promise<void> {
  const { conversation, blobs, requestId, checkpoints } = run;
  const { messages, mode, plan, history, resolutions } = commission;
  if (history && conversation.length === 0) conversation.append(...decodeHistory(history));
  conversation.replace(settleOpenCalls(conversation.messages, decodeResolutions(resolutions)));
  const readBlob = (id: Uint8Array) => blobs.get(id).catch(() => undefined);
  for (const message of messages) {
    const said = await decodeUserMessage(message, readBlob);
    if (said.content.length === 0) {
      throw invalidRequest('The message is empty; write a text or attach something.', 'user_message.text');
    }
    conversation.append(said);
    conversation.turns.begin(message, requestId);
  }
  if (mode) conversation.mode = mode;
  if (plan !== undefined) conversation.runState = { ...conversation.runState, plan };
  checkpoints.touch();
}
