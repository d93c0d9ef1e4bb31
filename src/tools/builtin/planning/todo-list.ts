import { defineResource } from '../../resources.ts';

export const TODO_STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
  readonly dependencies: readonly string[];
}

/** What a merge may leave out keeps its value. */
export interface TodoChange {
  readonly id: string;
  readonly content?: string | undefined;
  readonly status?: TodoStatus | undefined;
  readonly dependencies?: readonly string[] | undefined;
}

export interface TodoReminder {
  readonly type: 'NEEDS_IN_PROGRESS' | 'EVERY_10_CALLS' | 'AFTER_EDIT';
  readonly message: string;
}

export const MAX_TODOS = 200;
const CALLS_BETWEEN_REMINDERS = 10;

/** The model's own list of what is to do, kept in order of first mention for as long as the runtime lives. */
export class TodoList {
  #items: readonly TodoItem[] = [];
  #callsSinceWrite = 0;

  get items(): readonly TodoItem[] {
    return this.#items;
  }

  /** All or nothing: gives the problem, and changes nothing, when one of the changes makes no sense. */
  write(changes: readonly TodoChange[], isMerge: boolean): string | undefined {
    const next = new Map(isMerge ? this.#items.map((item) => [item.id, item]) : []);
    const seen = new Set<string>();
    for (const change of changes) {
      if (seen.has(change.id)) return `The id "${change.id}" appears twice; give every to-do its own id.`;
      seen.add(change.id);
      const known = next.get(change.id);
      const content = change.content ?? known?.content;
      if (content === undefined)
        return `To-do "${change.id}" is new and has no content; say what is to be done.`;
      next.set(change.id, {
        id: change.id,
        content,
        status: change.status ?? known?.status ?? 'pending',
        dependencies: change.dependencies ?? known?.dependencies ?? [],
      });
    }
    if (next.size > MAX_TODOS)
      return `The list would have ${next.size} to-dos; at most ${MAX_TODOS} are kept. Join small ones, or write with merge false.`;
    this.#items = [...next.values()];
    this.#callsSinceWrite = 0;
    return undefined;
  }

  /** Pending items whose dependencies are all done; one that depends on an unknown id is never ready. */
  readyIds(): string[] {
    const done = new Set(this.#items.filter((item) => item.status === 'completed').map((item) => item.id));
    return this.#items
      .filter((item) => item.status === 'pending' && item.dependencies.every((id) => done.has(id)))
      .map((item) => item.id);
  }

  needsInProgress(): boolean {
    return this.#has('pending') && !this.#has('in_progress');
  }

  reminder(): TodoReminder | undefined {
    if (!this.needsInProgress()) return undefined;
    return {
      type: 'NEEDS_IN_PROGRESS',
      message: 'No to-do is in progress; mark the one you start on before you go on.',
    };
  }

  /** For the runtime, after each call of another tool: what to tell the model about its list, if anything. */
  afterCall(call: { readonly isEdit: boolean }): TodoReminder | undefined {
    this.#callsSinceWrite += 1;
    const open = this.#items.filter((item) => item.status === 'pending' || item.status === 'in_progress');
    if (open.length === 0) return undefined;
    if (this.#callsSinceWrite % CALLS_BETWEEN_REMINDERS === 0) {
      return {
        type: 'EVERY_10_CALLS',
        message: `The to-do list has not changed for ${this.#callsSinceWrite} calls and has ${open.length} open items; bring it up to date with todo_write.`,
      };
    }
    if (call.isEdit && this.#callsSinceWrite === 1) {
      return {
        type: 'AFTER_EDIT',
        message: 'If this edit finished a to-do, mark it completed with todo_write.',
      };
    }
    return undefined;
  }

  #has(status: TodoStatus): boolean {
    return this.#items.some((item) => item.status === status);
  }
}

export const todoList = defineResource({ name: 'todo-list', create: () => new TodoList() });

const BOXES: Readonly<Record<TodoStatus, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
};

/** One line per item; `[ ]` pending, `[>]` in progress, `[x]` completed, `[-]` cancelled. */
export function formatTodos(items: readonly TodoItem[]): string {
  return items
    .map((item) => {
      const after = item.dependencies.length === 0 ? '' : ` (after ${item.dependencies.join(', ')})`;
      return `${BOXES[item.status]} ${item.id}: ${item.content}${after}`;
    })
    .join('\n');
}

/** As the clients' results spell an item. */
export function todoData(item: TodoItem) {
  return { id: item.id, content: item.content, status: item.status, dependencies: [...item.dependencies] };
}
