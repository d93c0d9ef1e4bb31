// `ToolResultAttachments` of aiserver.v1: reminders, and the to-do list before and after. It has no place for facts
// about files; of our attachments only `todo_reminder` is among them. The others keep the wire's own names.
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import type { Attachments } from '../tool-outcome.ts';
import { present } from './call-form.ts';
import { listOf } from './result-form.ts';

/** Our type of reminder ↔ the wire's. */
const TODO_TYPES: readonly (readonly [ours: string, wire: string | undefined])[] = [
  ['EVERY_10_CALLS', 'every_10_turns'],
  ['AFTER_EDIT', 'after_edit'],
  ['NEEDS_IN_PROGRESS', undefined],
];

/** A reminder about something else than the to-do list: the wire has its text alone. */
const OTHER_TYPE = 'NUDGE';

const SAME_NAME = ['original_todos', 'updated_todos', 'discovery_budget_reminder'] as const;

export function encodeAttachments(attachments: Attachments | undefined): JsonObject | undefined {
  if (attachments === undefined) return undefined;
  const kept = SAME_NAME.map((name) => [name, attachments[name] as JsonValue | undefined] as const); // JSON, as all attachments
  const fields = { ...present(Object.fromEntries(kept)), ...encodeReminder(attachments.todo_reminder) };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

export function decodeAttachments(attachments: unknown): Attachments | undefined {
  if (!isJsonObject(attachments)) return undefined;
  const kept = SAME_NAME.map((name) => [name, attachments[name]] as const);
  const decoded = { ...present(Object.fromEntries(kept)), ...decodeReminder(attachments) };
  return Object.keys(decoded).length === 0 ? undefined : decoded;
}

function encodeReminder(reminder: Attachments['todo_reminder']): JsonObject {
  if (reminder === undefined) return {};
  const nudge = { nudge_messages: [{ raw_message: reminder.message }] };
  const todo = TODO_TYPES.find(([ours]) => ours === reminder.type);
  if (todo === undefined) return nudge;
  const [, type] = todo;
  return {
    ...nudge,
    should_show_todo_write_reminder: true,
    ...(type === undefined ? {} : { todo_reminder_type: type }),
  };
}

function decodeReminder(attachments: JsonObject): Attachments {
  const isTodo = attachments.should_show_todo_write_reminder === true;
  const [nudge] = listOf(attachments.nudge_messages);
  const message = typeof nudge?.raw_message === 'string' ? nudge.raw_message : '';
  if (!isTodo && message === '') return {};
  const named = TODO_TYPES.find(([, wire]) => wire === attachments.todo_reminder_type)?.[0];
  return { todo_reminder: { type: isTodo ? (named ?? 'NEEDS_IN_PROGRESS') : OTHER_TYPE, message } };
}
