import { expect, test } from 'vitest';
import { z } from 'zod';
import { findClientTool } from '../../../catalogue/index.ts';
import { WEB_TOOLS } from './index.ts';

test.each(WEB_TOOLS)('$name has a row in the catalogue and a clean schema', (tool) => {
  expect(findClientTool(tool.number)).toBeDefined();
  expect(z.toJSONSchema(tool.args, { io: 'input' })).toMatchObject({ type: 'object' });
});

test('no number is taken twice', () => {
  expect(new Set(WEB_TOOLS.map((tool) => tool.number)).size).toBe(WEB_TOOLS.length);
});
