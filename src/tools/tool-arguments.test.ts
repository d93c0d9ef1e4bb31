import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toolArguments } from './tool-arguments.ts';

const args = toolArguments(
  {
    path: z.string().describe('Where.'),
    count: z.number().int().optional(),
    deep: z.boolean().default(false),
    names: z.array(z.string()).optional(),
  },
  { aliases: { path: ['file_path', 'target_file'] }, ignored: ['noise'] },
);

describe('arguments of a tool', () => {
  it('go by canonical names in the schema', () => {
    const schema = z.toJSONSchema(args, { io: 'input' });
    expect(Object.keys(schema.properties ?? {})).toEqual(['path', 'count', 'deep', 'names']);
    expect(schema.required).toEqual(['path']);
  });

  it('may be spelled otherwise, null, wrapped in strings or alone instead of in a list', () => {
    expect(
      args.parse({ target_file: 'a', count: '3', deep: 'true', names: 'x', noise: 1, explanation: 'why' }),
    ).toEqual({
      path: 'a',
      count: 3,
      deep: true,
      names: ['x'],
    });
    expect(args.parse({ path: 'a', file_path: 'b', count: null, names: '["y","z"]' })).toEqual({
      path: 'a',
      deep: false,
      names: ['y', 'z'],
    });
  });

  it('keep a string that looks like something else where a string is wanted', () => {
    expect(args.parse({ path: '5' })).toMatchObject({ path: '5' });
  });

  it('are refused when unknown or of the wrong kind', () => {
    expect(args.safeParse({ path: 'a', pth: 'b' }).success).toBe(false);
    expect(args.safeParse({ path: 'a', count: 'many' }).success).toBe(false);
    expect(args.safeParse(['a']).success).toBe(false);
  });
});
