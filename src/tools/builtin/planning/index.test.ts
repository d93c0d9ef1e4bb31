import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { findClientTool } from '../../../catalogue/index.ts';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { PLANNING_TOOLS } from './index.ts';
import { reflect } from './reflect.ts';

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({});
});
afterEach(() => place.dispose());

test.each(PLANNING_TOOLS)('$name has a row in the catalogue and a clean schema', (tool) => {
  expect(findClientTool(tool.number)).toBeDefined();
  expect(z.toJSONSchema(tool.args, { io: 'input' })).toMatchObject({ type: 'object' });
});

test('no number is taken twice', () => {
  expect(new Set(PLANNING_TOOLS.map((tool) => tool.number)).size).toBe(PLANNING_TOOLS.length);
});

test.each(PLANNING_TOOLS.filter((tool) => tool.status === 'remote-only'))(
  '$name says why it cannot run here and what to do instead',
  async (tool) => {
    const args = { proposed_followup: 'go on', bc_id: 'bc-1' };
    const outcome = await place.call(tool, tool.number === 24 ? args : {});
    expect(outcome).toMatchObject({ ok: false, error: { code: 'ENOSYS' } });
    expect(outcome.ok ? '' : outcome.error.message).toMatch(/git|task/);
  },
);

test('reflect notes a thought and refuses an empty one', async () => {
  expect((await place.ask(reflect, { thought: 'The cache is stale.' })).data).toEqual({
    thought: { critical_synthesis: 'The cache is stale.' },
  });
  expect(await place.call(reflect, {})).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
});
