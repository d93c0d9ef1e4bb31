import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../core/index.ts';
import { buildArguments } from './build-arguments.ts';
import { matchesSchema } from './match-schema.ts';
import { createInstance } from './schema-instance.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, logger: false });
const key = fc.constantFrom('path', 'command', 'content', 'query', 'mode', 'items', 'x', 'constructor', 'é');

const range = (min: number, max: number) =>
  fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  range(0, 40).map(([minLength, maxLength]) => ({ type: 'string', minLength, maxLength })),
  fc.constantFrom<JsonObject>(
    { type: 'string' },
    { type: 'boolean' },
    { type: 'null' },
    {},
    { type: ['null', 'integer'] },
    { type: 'string', format: 'date-time' },
    { type: 'string', pattern: '^[a-z]+$' },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { $ref: '#/$defs/shared' },
  ),
  range(-50, 50).map(([minimum, maximum]) => ({ type: 'integer', minimum, maximum })),
  fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: 'integer', multipleOf, exclusiveMinimum: 10 })),
  fc
    .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((values) => ({ enum: values })),
  fc.string().map((value) => ({ const: value })),
);

const { schema, object } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('object'),
    fc
      .tuple(tie('schema'), range(0, 3))
      .map(([items, [minItems, maxItems]]) => ({ type: 'array', items, minItems, maxItems })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(key, tie('schema')), { selector: ([name]) => name, maxLength: 4 }),
      fc.nat(15),
      fc.boolean(),
    )
    .map(([entries, mask, isClosed]) => {
      const properties = Object.fromEntries(entries) as JsonObject; // entries of strings and schemas
      const required = entries.map(([name]) => name).filter((_name, index) => (mask >> index) & 1);
      return { type: 'object', properties, required, ...(isClosed ? { additionalProperties: false } : {}) };
    }),
}));

const $defs = { shared: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } };

describe('createInstance', () => {
  it('makes a valid value for any schema of the usual keywords', () => {
    fc.assert(
      fc.property(schema, fc.nat(6), (inner, seed) => {
        const root = { ...inner, $defs };
        const value = createInstance(root, { root, words: ['read', 'package'], seed });
        expect(ajv.validate(root, value), JSON.stringify(value)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('agrees with a full validator about any value', () => {
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 2 }), (inner, value) => {
        // Past 1e21 the referee's own multipleOf goes astray: it reads the quotient back from its printed form.
        fc.pre(!/\de\+/.test(JSON.stringify(value)));
        const root = { ...inner, $defs };
        expect(matchesSchema(value as JsonValue, root, root)).toBe(ajv.validate(root, value));
      }),
      { numRuns: 300 },
    );
  });

  it('finds its way out of a recursive schema', () => {
    const root: JsonObject = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          },
          required: ['name', 'children', 'next'],
        },
      },
    };
    expect(ajv.validate(root, createInstance(root, { root, words: ['leaf'] }))).toBe(true);
  });

  it.each<[string, JsonObject]>([
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'integer', minimum: 3 } }, required: ['b'] },
        ],
      },
    ],
    [
      'oneOf',
      {
        oneOf: [
          { type: 'object', properties: { kind: { const: 'x' } }, required: ['kind'] },
          {
            type: 'object',
            properties: { kind: { const: 'y' }, n: { type: 'number' } },
            required: ['kind', 'n'],
          },
        ],
      },
    ],
    ['unique items', { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 5 }],
    [
      'tuples',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2, items: false },
    ],
    [
      'minimum numbers of properties',
      { type: 'object', minProperties: 3, additionalProperties: { type: 'integer' } },
    ],
  ])('understands %s', (_name, root) => {
    expect(ajv.validate(root, createInstance(root, { root, words: ['word'] }))).toBe(true);
  });

  it('treats a property named __proto__ like any other', () => {
    const root = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}',
    ) as JsonObject;
    expect(JSON.stringify(createInstance(root, { root, words: [] }))).toBe('{"__proto__":1}');
  });

  it('makes free strings of the words of the request', () => {
    const root: JsonObject = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    };
    expect(createInstance(root, { root, words: ['cats', 'and', 'dogs', 'too'] })).toEqual({
      title: 'cats and dogs',
    });
  });
});

describe('buildArguments', () => {
  it('gives valid arguments for any object schema, whatever it has to place', () => {
    const slot = { names: ['path', 'x'], values: ['a.txt'], isRequired: false, isPath: true };
    fc.assert(
      fc.property(object, (inner) => {
        const root = { ...inner, $defs };
        const built = buildArguments(root, [slot], {
          purpose: 'read a.txt',
          words: ['read'],
          workingDirectory: '/w',
        });
        expect(built).toBeDefined();
        expect(ajv.validate(root, built), JSON.stringify(built)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('has no arguments when a required value has no place', () => {
    const root: JsonObject = { type: 'object', properties: { size: { type: 'integer' } } };
    const slot = { names: ['path'], values: ['a.txt'], isRequired: true };
    expect(buildArguments(root, [slot], { purpose: 'read', words: [] })).toBeUndefined();
  });

  it('uses the commonest name where a tool declares nothing', () => {
    const slot = { names: ['path'], values: ['a.txt'], isRequired: true };
    expect(buildArguments(undefined, [slot], { purpose: 'read', words: [] })).toEqual({ path: 'a.txt' });
  });
});
