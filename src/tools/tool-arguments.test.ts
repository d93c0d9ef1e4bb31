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

describe('spellings', () => {
  const SPELLINGS = {
    aliases: { path: ['file_path', 'uri'], limit: ['count'] },
    paths: ['path'],
    rawText: 'path',
  };
  const object = toolArguments(
    z.object({ path: z.string(), limit: z.number().optional(), all: z.boolean().optional() }),
    SPELLINGS,
  );

  it.each([
    [{ path: 'a' }, { path: 'a' }],
    [{ filePath: 'a' }, { path: 'a' }],
    [{ Path: 'a' }, { path: 'a' }],
    [{ FILE_PATH: 'a', path: null }, { path: 'a' }],
    [{ path: 'a', file_path: 'b' }, { path: 'a' }],
    [{ uri: 'file:///a%20b' }, { path: '/a b' }],
    [{ path: 'file://host/x' }, { path: 'file://host/x' }],
    [
      { path: 'a', count: ' -3 ', all: 'True', other: 1 },
      { path: 'a', limit: -3, all: true },
    ],
    ['raw', { path: 'raw' }],
  ])('%j become %j', (given, expected) => {
    expect(object.parse(given)).toEqual(expected);
  });

  it.each([[{ path: 'a', limit: 'many' }], [{ path: 'a', all: 'perhaps' }], [[1]], [undefined]])(
    '%j are refused',
    (given) => {
      expect(object.safeParse(given).success).toBe(false);
    },
  );

  it('cannot bring a prototype along', () => {
    const given = JSON.parse('{"__proto__": {"path": "sneaked"}}');
    expect(object.safeParse(given).success).toBe(false);
    expect(toolArguments({ path: z.string() }).safeParse(given).success).toBe(false);
  });

  it('never take one argument for another that sounds like it', () => {
    const pair = toolArguments({ file_path: z.string().optional(), filePath: z.string().optional() });
    expect(pair.parse({ filePath: 'a' })).toEqual({ filePath: 'a' });
  });

  it('are put in today’s terms after they are renamed', () => {
    const modern = toolArguments(z.object({ minutes: z.number() }), {
      aliases: { hours: ['stunden'] },
      modernise(given) {
        given.minutes ??= Number(given.hours) * 60;
      },
    });
    expect(modern.parse({ Stunden: 2 })).toEqual({ minutes: 120 });
  });
});
