import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findClientTool } from '../../../catalogue/index.ts';
import { CODE_TOOLS } from '../code/index.ts';
import { SEARCH_TOOLS } from './index.ts';

const TOOLS = [...SEARCH_TOOLS, ...CODE_TOOLS];

describe('the tools that search and understand code', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s has a row, a clean schema and a description',
    (_name, tool) => {
      expect(findClientTool(tool.number)).toBeDefined();
      const schema = z.toJSONSchema(tool.args, { io: 'input' });
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
      for (const property of Object.keys(schema.properties ?? {})) expect(property).toMatch(/^-?[A-Za-z_]+$/);
      expect(tool.description.length).toBeGreaterThan(40);
    },
  );

  it('has each number and name once', () => {
    expect(new Set(TOOLS.map((tool) => tool.number)).size).toBe(TOOLS.length);
    expect(new Set(TOOLS.map((tool) => tool.name)).size).toBe(TOOLS.length);
  });
});
