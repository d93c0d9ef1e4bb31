import { create, toBinary } from '@bufbuild/protobuf';
import { ListValueSchema, StructSchema, ValueSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { NameAgentRequestSchema } from '../../gen/agent/v1/agent_service_pb.ts';
import { refuseManyFields } from './field-count.ts';

const number = (value: number) => create(ValueSchema, { kind: { case: 'numberValue', value } });

describe('the count of fields', () => {
  it.each([
    ['in lists', ListValueSchema, { values: Array.from({ length: 100 }, (_, index) => number(index)) }],
    [
      'in maps',
      StructSchema,
      { fields: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, number(index)])) },
    ],
  ])('sees them %s', (_where, schema, fields) => {
    const bytes = toBinary(schema, create(schema, fields));
    expect(() => refuseManyFields(schema, bytes, 500)).not.toThrow();
    expect(() => refuseManyFields(schema, bytes, 150)).toThrow('more than 150 fields');
  });

  it('sees those that nobody knows', () => {
    const bytes = Buffer.alloc(2_000, Buffer.from([0x78, 0x01]));
    expect(() => refuseManyFields(NameAgentRequestSchema, bytes, 999)).toThrow('more than 999 fields');
  });

  it('lets a large field pass, whatever is in it', () => {
    const message = create(NameAgentRequestSchema, { userMessage: 'x\u0001'.repeat(1_000_000) });
    expect(() =>
      refuseManyFields(NameAgentRequestSchema, toBinary(NameAgentRequestSchema, message), 10),
    ).not.toThrow();
  });

  it('leaves to the decoder what is no message, and what is nested too deep', () => {
    let deep = number(1);
    for (let level = 0; level < 300; level++) {
      deep = create(ValueSchema, { kind: { case: 'listValue', value: { values: [deep] } } });
    }
    expect(() => refuseManyFields(ValueSchema, toBinary(ValueSchema, deep), 250)).not.toThrow();
    expect(() => refuseManyFields(ValueSchema, Buffer.alloc(1_000, 0xff), 10)).not.toThrow();
  });
});
