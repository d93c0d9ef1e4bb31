import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentServerMessageSchema } from '../../../gen/agent/v1/run_pb.ts';
import { textFrame, thinkingFrame } from './server-frames.ts';

function general(kind: 'textDelta' | 'thinkingDelta', text: string): Uint8Array {
  const message = { case: kind, value: { text } };
  return toBinary(
    AgentServerMessageSchema,
    create(AgentServerMessageSchema, { message: { case: 'interactionUpdate', value: { message } } }),
  );
}

describe('frames written by hand', () => {
  it('are byte for byte what the general encoder writes', () => {
    const lengths = [0, 1, 120, 127, 128, 16_380, 16_384, 70_000];
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...lengths).map((length) => 'x'.repeat(length)),
      fc.constantFrom(...lengths).map((length) => '…'.repeat(length)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(Buffer.from(textFrame(text)).equals(general('textDelta', text))).toBe(true);
        expect(Buffer.from(thinkingFrame(text)).equals(general('thinkingDelta', text))).toBe(true);
      }),
    );
  });

  it('hold half a character pair without breaking', () => {
    const { message } = fromBinary(AgentServerMessageSchema, textFrame('a\ud83d'));
    const update = message.case === 'interactionUpdate' ? message.value.message : undefined;
    expect(update?.value).toMatchObject({ text: 'a\ufffd' });
  });
});
