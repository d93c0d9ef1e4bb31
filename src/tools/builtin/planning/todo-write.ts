// TODO_WRITE (35). Arguments of Cursor's published prompts (`merge`, `todos`) and of Claude Code's (no ids, no merge);
// the result's fields are those of `aiserver.v1.TodoWriteResult`.
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { todoItemSchema, withIds } from './todo-arguments.ts';
import { formatTodos, todoData, todoList } from './todo-list.ts';

const args = toolArguments(
  {
    todos: z.array(todoItemSchema).describe('The to-dos to write, in the order in which you will do them.'),
    merge: z
      .boolean()
      .default(false)
      .describe(
        'True changes the to-dos with these ids and keeps the rest; false makes this the whole list.',
      ),
  },
  { aliases: { todos: ['items', 'tasks', 'todo_list'], merge: ['is_merge'] } },
);

export const todoWrite = defineTool({
  number: 35,
  name: 'todo_write',
  description:
    'Keep a list of what is to be done, for work of three steps or more. Write the whole list first (merge false), then change single items by id (merge true): mark one in_progress before you start on it, completed as soon as it is done, cancelled when it is no longer wanted. Keep one item in progress at a time. A merge may leave out what does not change.',
  args,
  risk: 'none',
  modes: MODES,
  parallel: 'alone',
  status: 'local',
  touches: () => [],
  async run(given, context) {
    const list = context.resources.get(todoList);
    const before = list.items;
    const changes = withIds(given.todos, given.merge ? before.map((item) => item.id) : []);
    const problem = list.write(changes, given.merge);
    if (problem !== undefined) return fail('EINVAL', problem);
    const { items } = list;
    const ready = list.readyIds();
    const reminder = list.reminder();
    const lines = [items.length === 0 ? 'The to-do list is now empty.' : formatTodos(items)];
    if (ready.length > 0) lines.push(`Ready to start: ${ready.join(', ')}.`);
    if (reminder) lines.push(reminder.message);
    return succeed(lines.join('\n'), {
      attachments: omitUndefined({ todo_reminder: reminder }),
      data: {
        success: true,
        ready_task_ids: ready,
        needs_in_progress_todos: list.needsInProgress(),
        initial_todos: before.map(todoData),
        final_todos: items.map(todoData),
        was_merge: given.merge,
      },
    });
  },
});
