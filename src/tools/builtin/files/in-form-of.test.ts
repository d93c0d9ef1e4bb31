import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inFormOf } from './in-form-of.ts';
import { decodeText } from './text-form.ts';

const oldText = (bytes: Buffer | string) => decodeText(Buffer.from(bytes));

describe('the form of a text that is replaced', () => {
  it('CRLF stays, unless the new text has line endings of its own or none', () => {
    const old = oldText('a\r\nb\r\n');
    expect(inFormOf('x\ny\n', old).bytes.toString()).toBe('x\r\ny\r\n');
    expect(inFormOf('x\ny\n', old).notes).toHaveLength(1);
    expect(inFormOf('x\r\ny\n', old)).toEqual({ bytes: Buffer.from('x\r\ny\n'), notes: [] });
    expect(inFormOf('x', old)).toEqual({ bytes: Buffer.from('x'), notes: [] });
  });

  it('a byte order mark stays and is not doubled', () => {
    const old = oldText('\ufeffa');
    expect(inFormOf('b', old).bytes.toString()).toBe('\ufeffb');
    expect(inFormOf('\ufeffb', old).bytes.toString()).toBe('\ufeffb');
  });

  it('Latin-1 stays as long as it can hold the text', () => {
    const old = oldText(Buffer.from('caf\xe9', 'latin1'));
    expect(inFormOf('th\xe9', old).bytes).toEqual(Buffer.from('th\xe9', 'latin1'));
    expect(inFormOf('€', old)).toMatchObject({
      bytes: Buffer.from('€'),
      notes: [expect.stringMatching(/UTF-8 now/)],
    });
  });

  it('a new file has exactly the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(inFormOf(text, undefined)).toEqual({ bytes: Buffer.from(text, 'utf8'), notes: [] });
      }),
    );
  });
});
