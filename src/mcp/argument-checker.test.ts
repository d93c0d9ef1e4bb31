import { describe, expect, it } from 'vitest';
import { ArgumentChecker } from './argument-checker.ts';

const checker = new ArgumentChecker();

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      depth: { type: 'integer', minimum: 1 },
      kind: { enum: ['a', 'b'] },
    },
    required: ['path'],
    additionalProperties: false,
  };

  it('that fit are let through', () => {
    expect(checker.check({ path: 'x', depth: 2 }, schema)).toBeUndefined();
  });

  it('that do not fit are described one by one, with what the tool takes', () => {
    expect(checker.check({ pth: 'x', depth: 0, kind: 'c' }, schema)).toBe(
      [
        '- path is missing',
        '- pth is not known; did you mean path?',
        '- depth is 0 and must be >= 1',
        '- kind is "c" and must be one of ["a","b"]',
        'It takes path: string, depth: integer (optional), kind: one of a list (optional).',
      ].join('\n'),
    );
  });

  it('are described briefly however much is wrong', () => {
    const args = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`x${index}`, 'y'.repeat(999)]),
    );
    const problem = checker.check({ ...args, path: 1 }, schema) ?? '';
    expect(problem).toContain('- and 493 more');
    expect(problem.length).toBeLessThan(1_500);
  });
});

describe('schemas', () => {
  it('of draft 7 and of 2020-12 mean what their draft says', () => {
    const pair = [{ type: 'string' }, { type: 'number' }];
    const old = { $schema: 'http://json-schema.org/draft-07/schema#', properties: { p: { items: pair } } };
    const now = { properties: { p: { prefixItems: pair } } };
    for (const schema of [old, now]) {
      expect(checker.check({ p: ['a', 1] }, schema)).toBeUndefined();
      expect(checker.check({ p: ['a', 'b'] }, schema)).toContain('p.1 is "b" and must be number');
    }
  });

  it('with formats, unknown keywords and an id may be used again and again', () => {
    const schema = {
      $id: 'https://example.org/x',
      properties: { when: { type: 'string', format: 'date' } },
      'x-odd': true,
    };
    for (let round = 0; round < 3; round++) {
      expect(checker.check({ when: '2026-01-01' }, { ...schema, title: String(round) })).toBeUndefined();
      expect(checker.check({ when: 'soon' }, { ...schema, title: String(round) })).toContain('format "date"');
    }
  });

  it('that cannot be compiled are left to their server', () => {
    for (const schema of [
      { $ref: 'https://example.org/x.json' },
      { type: 'nonsense' },
      { $async: true, type: 'object' },
    ])
      expect(checker.check({}, schema)).toBeUndefined();
  });

  it('cannot keep the program busy with a hostile pattern', () => {
    const schema = { properties: { x: { type: 'string', pattern: '^(a+)+$' } } };
    const before = performance.now();
    expect(checker.check({ x: `${'a'.repeat(40)}!` }, schema)).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(checker.check({ x: 'b' }, schema)).toContain('must match pattern');
  });
});
