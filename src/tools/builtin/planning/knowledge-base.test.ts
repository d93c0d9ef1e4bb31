import { statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { knowledgeBase } from './knowledge-base.ts';
import { noteBookPath } from './note-book.ts';

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({});
});
afterEach(() => place.dispose());

const create = async (title: string, text: string) => {
  const outcome = await place.ask(knowledgeBase, { title, knowledge_to_store: text });
  return String(outcome.data?.id);
};

test('a note is kept, found by its words, changed and deleted', async () => {
  const id = await create('Indentation', 'The user wants tabs in Makefiles.');
  await create('Releases', 'Tags are made by the release script.');
  expect((await place.ask(knowledgeBase, { query: 'makefile tabs' })).content).toBe(
    `### Indentation (${id})\nThe user wants tabs in Makefiles.`,
  );
  await place.ask(knowledgeBase, {
    action: 'update',
    existing_knowledge_id: id,
    knowledge_to_store: 'Spaces.',
  });
  expect((await place.ask(knowledgeBase, { action: 'list' })).content).toContain('Spaces.');
  await place.ask(knowledgeBase, { action: 'delete', existing_knowledge_id: id });
  expect((await place.ask(knowledgeBase, { action: 'list' })).attachments?.match_count).toBe(1);
});

test('notes made at the same time are all kept, for this user alone', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => create(`note ${index}`, 'x')));
  expect((await place.ask(knowledgeBase, { action: 'list' })).attachments?.match_count).toBe(20);
  expect(statSync(noteBookPath(place.context)).mode & 0o777).toBe(0o600);
});

test('an unknown id and a missing text are told apart', async () => {
  expect(await place.call(knowledgeBase, { action: 'delete', id: 'note_x' })).toMatchObject({
    ok: false,
    error: { code: 'ENOENT' },
  });
  expect(await place.call(knowledgeBase, { title: 'nothing' })).toMatchObject({
    ok: false,
    error: { code: 'EINVAL' },
  });
});

test('damaged notes are not overwritten', async () => {
  await create('a', 'b');
  writeFileSync(noteBookPath(place.context), '{ broken');
  const outcome = await place.call(knowledgeBase, { title: 'c', knowledge_to_store: 'd' });
  expect(outcome.ok ? '' : outcome.error.message).toContain('damaged');
});

test('looking is named as reading, changing as writing', async () => {
  const touches = (args: object) => knowledgeBase.touches(knowledgeBase.args.parse(args), place.context);
  expect(await touches({ action: 'list' })).toMatchObject([{ access: 'read' }]);
  expect(await touches({ action: 'add', text: 'x' })).toMatchObject([{ access: 'write' }]);
});
