import { z } from 'zod';
import { isJsonObject } from '../../../core/index.ts';
import { TODO_STATUSES, type TodoStatus } from './todo-list.ts';

/** By number in `agent.v1`, by name in `aiserver.v1`, and as models write it when they do not look. */
const OTHER_WORDS: Readonly<Record<string, TodoStatus>> = {
  '1': 'pending',
  '2': 'in_progress',
  '3': 'completed',
  '4': 'cancelled',
  todo: 'pending',
  open: 'pending',
  notstarted: 'pending',
  doing: 'in_progress',
  started: 'in_progress',
  active: 'in_progress',
  inprogress: 'in_progress',
  done: 'completed',
  complete: 'completed',
  finished: 'completed',
  canceled: 'cancelled',
  skipped: 'cancelled',
};

export function todoStatusOf(given: unknown): unknown {
  const folded = String(given)
    .toLowerCase()
    .replace(/^todo_status_/, '')
    .replace(/[^a-z\d]/g, '');
  return OTHER_WORDS[folded] ?? TODO_STATUSES.find((status) => status.replace('_', '') === folded) ?? given;
}

export const todoStatusSchema = z.preprocess(todoStatusOf, z.enum(TODO_STATUSES));

/** One item as any client spells it; `activeForm` and time stamps carry nothing for us. */
export const todoItemSchema = z.preprocess(
  (given) => {
    if (typeof given === 'string') return { content: given };
    if (!isJsonObject(given)) return given;
    const { id, status, dependencies } = given;
    const content = given.content ?? given.text ?? given.title ?? given.description ?? given.task;
    return Object.fromEntries(
      Object.entries({
        id: typeof id === 'number' ? String(id) : id,
        content,
        status: status ?? given.state,
        dependencies,
      }).filter(([, value]) => value !== undefined && value !== null && value !== ''),
    );
  },
  z.object({
    id: z.string().optional().describe('A short name of its own, kept across updates.'),
    content: z.string().max(2_000).optional().describe('What is to be done; may be left out in a merge.'),
    status: todoStatusSchema.optional().describe('Where it stands; pending unless said otherwise.'),
    dependencies: z.array(z.string()).optional().describe('Ids that must be completed first.'),
  }),
);

export type GivenTodo = z.output<typeof todoItemSchema>;

/** Items without an id get the number of their place, or the next one that is free. */
export function withIds<T extends { readonly id?: string | undefined }>(
  items: readonly T[],
  taken: Iterable<string> = [],
): (T & { readonly id: string })[] {
  const used = new Set(taken);
  for (const item of items) if (item.id !== undefined) used.add(item.id);
  let next = 1;
  return items.map((item) => {
    if (item.id !== undefined) return { ...item, id: item.id };
    while (used.has(String(next))) next += 1;
    used.add(String(next));
    return { ...item, id: String(next) };
  });
}
