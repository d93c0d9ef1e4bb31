// TODO_READ (34) and TODO_WRITE (35). The list belongs to the run: it travels in the checkpoint and is drawn by the client
// from the call itself, so no exec is needed.
import type { TodoEntry } from '../../../native/remote-port.ts';
import { TodoList, todoList } from '../../builtin/planning/todo-list.ts';
import { Resources } from '../../resources.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall, type RemoteTool } from '../remote-tool.ts';
import { serverContext } from '../server-context.ts';

function defineTodoTool(name: string): RemoteTool {
  const program: RemoteTool = defineRemoteTool(name, {
    run: (args, call) => runWithList(program, args, call),
  });
  return program;
}

async function runWithList({ tool }: RemoteTool, args: unknown, call: RemoteCall): Promise<RemoteAnswer> {
  const { port, todoDependencies } = call.session;
  const list = new TodoList();
  const known = port.state.get().todos;
  list.write(
    known.map((todo) => ({ ...todo, dependencies: todoDependencies.get(todo.id) ?? [] })),
    false,
  );
  const before = list.items;
  const resources = new Resources();
  resources.set(todoList, list);
  const outcome = await tool.run(args, serverContext(call, resources));
  if (list.items !== before) {
    todoDependencies.clear();
    for (const { id, dependencies } of list.items) todoDependencies.set(id, dependencies);
    port.state.set({ ...port.state.get(), todos: list.items.map(entryOf) });
  }
  return { outcome };
}

function entryOf({ id, content, status }: TodoEntry): TodoEntry {
  return { id, content, status };
}

export const todoRead = defineTodoTool('todo_read');
export const todoWrite = defineTodoTool('todo_write');
