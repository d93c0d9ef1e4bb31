import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { TODO_STATUSES, TodoList } from './todo-list.ts';
import { todoRead } from './todo-read.ts';
import { todoWrite } from './todo-write.ts';

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({});
});
afterEach(() => place.dispose());

const THREE = [
  { id: 'a', content: 'first', status: 'completed' },
  { id: 'b', content: 'second', status: 'pending', dependencies: ['a'] },
  { id: 'c', content: 'third', status: 'pending', dependencies: ['b'] },
];

test('a list is written, and says what is ready and that nothing is in progress', async () => {
  const outcome = await place.ask(todoWrite, { merge: false, todos: THREE });
  expect(outcome.content).toContain('[x] a: first');
  expect(outcome.content).toContain('Ready to start: b.');
  expect(outcome.attachments?.todo_reminder?.type).toBe('NEEDS_IN_PROGRESS');
  expect(outcome.data).toMatchObject({
    success: true,
    ready_task_ids: ['b'],
    needs_in_progress_todos: true,
    initial_todos: [],
    was_merge: false,
  });
});

test('a merge changes what it names and keeps the rest', async () => {
  await place.ask(todoWrite, { merge: false, todos: THREE });
  const outcome = await place.ask(todoWrite, { merge: true, todos: [{ id: 'b', status: 'in-progress' }] });
  expect(outcome.data?.final_todos).toEqual([
    { id: 'a', content: 'first', status: 'completed', dependencies: [] },
    { id: 'b', content: 'second', status: 'in_progress', dependencies: ['a'] },
    { id: 'c', content: 'third', status: 'pending', dependencies: ['b'] },
  ]);
  expect(outcome.attachments?.todo_reminder).toBeUndefined();
});

test('a merge that names an unknown to-do without content fails and changes nothing', async () => {
  await place.ask(todoWrite, { merge: false, todos: THREE });
  const outcome = await place.call(todoWrite, {
    merge: true,
    todos: [
      { id: 'a', status: 'cancelled' },
      { id: 'zz', status: 'completed' },
    ],
  });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain('"zz"');
  expect((await place.ask(todoRead, {})).content).toContain('[x] a: first');
});

test('the same id twice in one call is refused', async () => {
  const twice = [
    { id: 'a', content: 'x' },
    { id: 'a', content: 'y' },
  ];
  expect(await place.call(todoWrite, { todos: twice })).toMatchObject({
    ok: false,
    error: { code: 'EINVAL' },
  });
});

test('items without ids, as other agents write them, get numbers that are free', async () => {
  const outcome = await place.ask(todoWrite, {
    todos: [
      { content: 'one', status: 'done', activeForm: 'Doing one' },
      { id: '1', content: 'taken' },
      'three',
    ],
  });
  expect(outcome.data?.final_todos).toMatchObject([
    { id: '2', status: 'completed' },
    { id: '1' },
    { id: '3' },
  ]);
});

test.each([
  [2, 'in_progress'],
  ['TODO_STATUS_COMPLETED', 'completed'],
  ['Done', 'completed'],
  ['canceled', 'cancelled'],
  ['inProgress', 'in_progress'],
])('the status %j means %s', async (given, status) => {
  const outcome = await place.ask(todoWrite, { todos: [{ id: 'a', content: 'x', status: given }] });
  expect(outcome.data?.final_todos).toMatchObject([{ status }]);
});

test('an unknown status is a fault of the arguments', () => {
  expect(todoWrite.args.safeParse({ todos: [{ content: 'x', status: 'someday' }] }).success).toBe(false);
});

test('reading filters by status and id, and an empty list says so', async () => {
  expect((await place.ask(todoRead, {})).content).toContain('empty');
  await place.ask(todoWrite, { todos: THREE });
  const pending = await place.ask(todoRead, { status_filter: ['pending'], id_filter: ['c'] });
  expect(pending.data).toMatchObject({ todos: [{ id: 'c' }], total_count: 3 });
  expect((await place.ask(todoRead, { ids: ['zz'] })).content).toBe('No to-do fits.');
});

test('models see one spelling of the arguments', () => {
  const schema = z.toJSONSchema(todoWrite.args, { io: 'input' });
  expect(schema).toMatchObject({ type: 'object', required: ['todos'] });
  expect(Object.keys(schema.properties ?? {})).toEqual(['todos', 'merge']);
});

test('a list that is left alone is brought to mind every ten calls, and after the first edit', () => {
  const list = new TodoList();
  expect(list.afterCall({ isEdit: true })).toBeUndefined();
  list.write([{ id: 'a', content: 'x', status: 'in_progress' }], false);
  expect(list.afterCall({ isEdit: true })?.type).toBe('AFTER_EDIT');
  const later = Array.from({ length: 19 }, () => list.afterCall({ isEdit: false })?.type);
  expect(later.flatMap((type, index) => (type ? [[index + 2, type]] : []))).toEqual([
    [10, 'EVERY_10_CALLS'],
    [20, 'EVERY_10_CALLS'],
  ]);
  list.write([{ id: 'a', status: 'completed' }], true);
  expect(Array.from({ length: 10 }, () => list.afterCall({ isEdit: true })).filter(Boolean)).toEqual([]);
});

test('any series of merges leaves each id once, in order of first mention, with its last known values', () => {
  const change = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    content: fc.string(),
    status: fc.constantFrom(...TODO_STATUSES),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const list = new TodoList();
      for (const one of changes) expect(list.write([one], true)).toBeUndefined();
      const expected = [...new Set(changes.map((one) => one.id))];
      expect(list.items.map((item) => item.id)).toEqual(expected);
      for (const item of list.items)
        expect(changes.findLast((one) => one.id === item.id)).toMatchObject({
          content: item.content,
          status: item.status,
        });
    }),
  );
});
