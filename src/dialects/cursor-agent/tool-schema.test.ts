import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { plainSchema } from './tool-schema.ts';

const REFUSED = /"(?:oneOf|anyOf|allOf|\$ref|\$defs|not)":/;

describe('a schema for the agent backend', () => {
  it('is an object schema even when nothing was declared', () => {
    expect(plainSchema(undefined)).toEqual({ type: 'object', properties: {} });
    expect(plainSchema({})).toEqual({ type: 'object', properties: {} });
  });

  it('leaves a plain schema as it is', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        city: { type: 'string', enum: ['a', 'b'] },
        list: { type: 'array', items: { type: 'number' } },
      },
      required: ['city'],
      additionalProperties: false,
    };
    expect(plainSchema(schema)).toEqual(schema);
  });

  it('takes a nullable value for the value', () => {
    const schema = plainSchema({
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'A name' } },
    });
    expect(schema.properties).toEqual({ a: { type: 'string', description: 'A name' } });
  });

  it('joins constants, object variants and parts', () => {
    const schema = plainSchema({
      type: 'object',
      properties: {
        mode: { oneOf: [{ const: 'x' }, { const: 'y' }, { enum: ['z'] }] },
        target: {
          anyOf: [
            {
              type: 'object',
              properties: { id: { type: 'number' }, kind: { type: 'string' } },
              required: ['id', 'kind'],
            },
            {
              type: 'object',
              properties: { name: { type: 'string' }, kind: { type: 'string' } },
              required: ['kind'],
            },
          ],
        },
        both: {
          allOf: [
            { type: 'object', properties: { a: {} }, required: ['a'] },
            { properties: { b: {} }, required: ['b'] },
          ],
        },
      },
    });
    expect(schema.properties).toEqual({
      mode: { enum: ['x', 'y', 'z'] },
      target: {
        type: 'object',
        properties: { id: { type: 'number' }, kind: { type: 'string' }, name: { type: 'string' } },
        required: ['kind'],
      },
      both: { type: 'object', properties: { a: {}, b: {} }, required: ['a', 'b'] },
    });
  });

  it('says in words what types a value may have', () => {
    const schema = plainSchema({
      type: 'object',
      properties: { v: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    });
    expect(schema.properties).toEqual({
      v: { description: 'One of: {"type":"string"} | {"type":"number"}' },
    });
  });

  it('puts references in place and cuts those that never end', () => {
    const schema = plainSchema({
      type: 'object',
      properties: {
        point: { $ref: '#/$defs/point', description: 'Where' },
        tree: { $ref: '#/$defs/node' },
        out: { $ref: 'https://x/y' },
      },
      $defs: {
        point: { type: 'object', properties: { x: { type: 'number' } } },
        node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } },
      },
    });
    expect(schema.properties).toMatchObject({
      point: { type: 'object', properties: { x: { type: 'number' } }, description: 'Where' },
      out: {},
    });
    expect(JSON.stringify(schema)).not.toMatch(REFUSED);
  });

  it('never holds a refused keyword, whatever was declared', () => {
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonObject>(
          { type: 'string' },
          { const: 1 },
          { $ref: '#/$defs/a' },
          { $ref: '#' },
          { type: 'null' },
        ),
        fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { maxLength: 3 }), not: tie('schema') }),
        fc.record({
          allOf: fc.array(tie('schema'), { maxLength: 3 }),
          $defs: fc.record({ a: tie('schema') }),
        }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
      ),
    }));
    fc.assert(
      fc.property(schema, (declared) => {
        const plain = plainSchema(declared);
        expect(plain.type).toBe('object');
        expect(JSON.stringify(plain)).not.toMatch(REFUSED);
      }),
      { numRuns: 200 },
    );
  });
});
