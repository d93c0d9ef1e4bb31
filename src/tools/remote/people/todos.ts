// TODO_READ (34) and TODO_WRITE (35). The list belongs to the run, and that of the run a user started travels in the
// checkpoint. The client draws it from the call itself, so no exec is needed.
import type { TodoEntry } from '../../../native/remote-port.ts';
import { type TodoItem, TodoList, todoList } from '../../builtin/planning/todo-list.ts';
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
  const { state } = call.session.memoryOf(call);
  const list = new TodoList();
  list.write(state.get().todos, false);
  const before = list.items;
  const resources = new Resources();
  resources.set(todoList, list);
  const outcome = await tool.run(args, serverContext(call, resources));
  if (list.items !== before) {
    state.set({ ...state.get(), todos: list.items.map(entryOf) });
  }
  return { outcome };
}

function entryOf({ dependencies, ...todo }: TodoItem): TodoEntry {
  return dependencies.length === 0 ? todo : { ...todo, dependencies };
}

export const todoRead = defineTodoTool('todo_read');
export const todoWrite = defineTodoTool('todo_write');
