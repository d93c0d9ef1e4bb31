// TODO_READ (34). The filters are those of `agent.v1.ReadTodosArgs`; `aiserver.v1` has only a flag that says nothing.
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { todoStatusSchema } from './todo-arguments.ts';
import { formatTodos, todoData, todoList } from './todo-list.ts';

const args = toolArguments(
  {
    status: z.array(todoStatusSchema).optional().describe('Only to-dos that stand so.'),
    ids: z.array(z.string()).optional().describe('Only these to-dos.'),
  },
  { aliases: { status: ['status_filter', 'statuses'], ids: ['id_filter', 'id'] }, ignored: ['read'] },
);

export const todoRead = defineTool({
  number: 34,
  name: 'todo_read',
  description: 'Read the to-do list as it stands: every item with its id, text, status and dependencies.',
  args,
  risk: 'none',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: () => [],
  async run(given, context) {
    const list = context.resources.get(todoList);
    // An empty filter is how a wire without presence says "no filter".
    const { status = [], ids = [] } = given;
    const items = list.items.filter(
      (item) =>
        (status.length === 0 || status.includes(item.status)) && (ids.length === 0 || ids.includes(item.id)),
    );
    const nothing =
      list.items.length === 0 ? 'The to-do list is empty; todo_write starts one.' : 'No to-do fits.';
    return succeed(items.length === 0 ? nothing : formatTodos(items), {
      attachments: omitUndefined({ match_count: items.length, todo_reminder: list.reminder() }),
      data: { todos: items.map(todoData), total_count: list.items.length },
    });
  },
});
