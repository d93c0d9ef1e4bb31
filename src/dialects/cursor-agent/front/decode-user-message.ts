import { type Message, omitUndefined, type Part } from '../../../core/index.ts';
import type { UserMessage } from '../../../gen/agent/v1/user_message_pb.ts';
import { describeAttachments, type ReadBlob } from './describe-attachments.ts';

/** What a user said, with everything attached to it. */
export async function decodeUserMessage(message: UserMessage, readBlob: ReadBlob): Promise<Message> {
  const { selectedContext, subagentSystemReminder, hookAdditionalContexts, messageId } = message;
  const text = await readText(message, readBlob);
  // Providers refuse an empty text beside a picture.
  const content: Part[] = text === '' ? [] : [{ type: 'text', text }];
  if (selectedContext) content.push(...(await describeAttachments(selectedContext, readBlob)));
  const reminders = [subagentSystemReminder, ...hookAdditionalContexts.map(({ content: words }) => words)];
  for (const words of reminders) if (words) content.push({ type: 'text', text: words });
  return omitUndefined({ role: 'user' as const, content, id: messageId === '' ? undefined : messageId });
}

/** A long text may stand in a blob instead. */
async function readText({ text, textBlobId }: UserMessage, readBlob: ReadBlob): Promise<string> {
  if (text !== '' || !textBlobId || textBlobId.length === 0) return text;
  const blob = await readBlob(textBlobId);
  return blob ? Buffer.from(blob).toString('utf8') : '';
}
