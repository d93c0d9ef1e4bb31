import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findClientTool } from '../../../catalogue/index.ts';
import { chooseEditTool, FILES_TOOLS } from './index.ts';

describe('the file tools', () => {
  it('have names of their own and rows in the catalogue', () => {
    const names = FILES_TOOLS.map((tool) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    for (const tool of FILES_TOOLS) expect(findClientTool(tool.number), tool.name).toBeDefined();
  });

  it.each(FILES_TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s describes every argument to models',
    (_name, tool) => {
      const schema = z.toJSONSchema(tool.args, { io: 'input' });
      expect(schema.type).toBe('object');
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        expect(typeof property === 'object' && property.description, `${tool.name}.${name}`).toMatch(/\.$/);
      expect(tool.description.length).toBeGreaterThan(60);
    },
  );

  it('write only in modes that may write', () => {
    for (const tool of FILES_TOOLS)
      if (tool.risk === 'write') expect(tool.modes, tool.name).toEqual(['agent', 'debug']);
  });

  it.each([
    ['*** Begin Patch', 'apply_patch'],
    [{ input: '*** Begin Patch' }, 'apply_patch'],
    [{ path: 'a', contents: '' }, 'write'],
    [{ relativeWorkspacePath: 'a', contentsAfterEdit: '' }, 'write'],
    [{ path: 'a', edits: [] }, 'search_replace'],
    [{ path: 'a', old_string: 'x', new_string: 'y' }, 'search_replace'],
    [{ targetNotebook: 'a', cell_idx: 0, new_string: '' }, 'edit_notebook'],
    [{ target_file: 'a', code_edit: '' }, 'edit_file'],
  ])('are told apart by their arguments where they share a number: %j', (args, name) => {
    expect(chooseEditTool(args)).toBe(name);
  });
});
