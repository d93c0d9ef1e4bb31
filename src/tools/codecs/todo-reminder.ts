// `ToolResultAttachments` of aiserver.v1 holds reminders about the to-do list and no facts about files; of our
// attachments only `todo_reminder` has a place in it.
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import type { Attachments } from '../tool-outcome.ts';
import { listOf } from './result-form.ts';

/** Our type of reminder ↔ the wire's; others travel as unspecified. */
const TYPES: readonly (readonly [ours: string, wire: string])[] = [
  ['EVERY_10_CALLS', 'every_10_turns'],
  ['AFTER_EDIT', 'after_edit'],
];

export function encodeReminder(attachments: Attachments | undefined): JsonObject | undefined {
  const reminder = attachments?.todo_reminder;
  if (reminder === undefined) return undefined;
  const type = TYPES.find(([ours]) => ours === reminder.type)?.[1];
  return {
    should_show_todo_write_reminder: true,
    nudge_messages: [{ raw_message: reminder.message }],
    ...(type === undefined ? {} : { todo_reminder_type: type }),
  };
}

export function decodeReminder(attachments: unknown): Attachments | undefined {
  if (!isJsonObject(attachments) || attachments.should_show_todo_write_reminder !== true) return undefined;
  const type = TYPES.find(([, wire]) => wire === attachments.todo_reminder_type)?.[0];
  const [nudge] = listOf(attachments.nudge_messages);
  return {
    todo_reminder: {
      type: type ?? 'NEEDS_IN_PROGRESS',
      message: typeof nudge?.raw_message === 'string' ? nudge.raw_message : '',
    },
  };
}
