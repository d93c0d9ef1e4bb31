import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { describe, expect, it } from 'vitest';
import {
  InteractionQuerySchema,
  InteractionResponseSchema,
} from '../../gen/agent/v1/interaction_query_pb.ts';
import { answerQuery } from './query-channel.ts';

const [oneof] = InteractionQuerySchema.oneofs;
const variants = oneof?.fields ?? [];

function answer(query: Parameters<typeof answerQuery>[0], approvesWeb = false) {
  const { frame, unknownField } = answerQuery(query, approvesWeb);
  if (frame.message.case !== 'interactionResponse') throw new Error('no response');
  return { response: frame.message.value, unknownField };
}

describe('a question of the backend', () => {
  it.each(variants.map(({ name, number }) => [name, number]))('gets a typed answer: %s', (name, number) => {
    const query = create(InteractionQuerySchema, { id: 6 });
    const field = variants.find((each) => each.name === name);
    if (field?.fieldKind === 'message')
      reflect(InteractionQuerySchema, query).set(field, reflect(field.message));
    const { response } = answer(query);
    expect(response.id).toBe(6);
    const [sameNumber] = InteractionResponseSchema.fields.filter((each) => each.number === number);
    expect(response.result.case).toBe(sameNumber?.localName);
  });

  it('is approved for the web when the caller asked for it', () => {
    const query = create(InteractionQuerySchema, { query: { case: 'webSearchRequestQuery', value: {} } });
    expect(answer(query, true).response.result.value).toMatchObject({ result: { case: 'approved' } });
    expect(answer(query, false).response.result.value).toMatchObject({ result: { case: 'rejected' } });
  });

  it('of an unknown kind is rejected under its own number', () => {
    const unknown = fromBinary(InteractionQuerySchema, new Uint8Array([0x08, 0x05, 0xfa, 0x01, 0x00])); // id 5, field 31
    const { response, unknownField } = answer(unknown);
    expect(unknownField).toBe(31);
    const bytes = toBinary(InteractionResponseSchema, response);
    expect([...bytes.slice(0, 4)]).toEqual([0x08, 0x05, 0xfa, 0x01]);
    expect(Buffer.from(bytes).toString('utf8')).toContain('Nobody can be asked');
  });
});
