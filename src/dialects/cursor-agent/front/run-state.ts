// What tools keep for a conversation (its todos and its plan), as blobs of ConversationStateStructure.
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { omitUndefined } from '../../../core/index.ts';
import { TodoItemSchema, TodoStatus } from '../../../gen/agent/v1/common_pb.ts';
import { ConversationPlanSchema } from '../../../gen/agent/v1/conversation_action_pb.ts';
import type { ConversationStateStructure } from '../../../gen/agent/v1/conversation_state_pb.ts';
import type { RunState, TodoEntry } from '../../../native/remote-port.ts';
import type { ConversationBlobs } from './conversation-blobs.ts';

const STATUS_NAMES: Readonly<Record<number, TodoEntry['status']>> = {
  [TodoStatus.PENDING]: 'pending',
  [TodoStatus.IN_PROGRESS]: 'in_progress',
  [TodoStatus.COMPLETED]: 'completed',
  [TodoStatus.CANCELLED]: 'cancelled',
};
const STATUS_NUMBERS: Readonly<Record<TodoEntry['status'], TodoStatus>> = {
  pending: TodoStatus.PENDING,
  in_progress: TodoStatus.IN_PROGRESS,
  completed: TodoStatus.COMPLETED,
  cancelled: TodoStatus.CANCELLED,
};

export async function decodeRunState(
  state: ConversationStateStructure,
  blobs: ConversationBlobs,
): Promise<RunState> {
  const todos: TodoEntry[] = [];
  for (const entry of state.todos) {
    const todo = await readBlob(TodoItemSchema, entry, blobs);
    if (!todo) continue;
    const { id, content, status, dependencies } = todo;
    todos.push(
      omitUndefined({
        id,
        content,
        status: STATUS_NAMES[status] ?? 'pending',
        dependencies: dependencies.length === 0 ? undefined : dependencies,
      }),
    );
  }
  if (!state.plan || state.plan.length === 0) return { todos };
  const plan = (await readBlob(ConversationPlanSchema, state.plan, blobs))?.plan;
  return omitUndefined({ todos, plan });
}

/** The two fields of the state; no `plan` where there is none. */
export function encodeRunState(
  { todos, plan }: RunState,
  blobs: ConversationBlobs,
): Pick<ConversationStateStructure, 'todos' | 'plan'> {
  return omitUndefined({
    todos: todos.map((todo) => blobs.add(encodeTodo(todo))),
    plan: plan === undefined ? undefined : blobs.add(encodePlan(plan)),
  });
}

/** A lost todo or plan is a pity; a lost message would be another conversation. */
async function readBlob<Desc extends DescMessage>(
  schema: Desc,
  entry: Uint8Array,
  blobs: ConversationBlobs,
): Promise<MessageShape<Desc> | undefined> {
  try {
    return fromBinary(schema, await blobs.resolve(entry, schema.name));
  } catch {
    return undefined;
  }
}

function encodeTodo({ id, content, status, dependencies = [] }: TodoEntry): Uint8Array {
  const init = { id, content, status: STATUS_NUMBERS[status], dependencies: [...dependencies] };
  return toBinary(TodoItemSchema, create(TodoItemSchema, init));
}

function encodePlan(plan: string): Uint8Array {
  return toBinary(ConversationPlanSchema, create(ConversationPlanSchema, { plan }));
}
