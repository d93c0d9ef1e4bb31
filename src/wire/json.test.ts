import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describe as describeValue, parseJsonBody, replaceTopLevelString } from './json.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('parsing a request body', () => {
  it.each([
    ['', /empty/],
    ['{"a":', /not valid JSON/],
    ['{"key":"sk-secret", oops}', /not valid JSON \(problem at character 20\)/],
    ['[1]', /must be a JSON object, not an array/],
    ['null', /not null/],
    ['7', /not a number \(7\)/],
    [`{"a":${'['.repeat(400)}${']'.repeat(400)}}`, /deeper than 256/],
  ])('refuses %j clearly', (body, message) => {
    expect(() => parseJsonBody(bytesOf(body))).toThrow(message);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJsonBody(new Uint8Array([0x7b, 0xff, 0x7d]))).toThrow(/UTF-8/);
  });

  it('never repeats the body in its message', () => {
    expect(() => parseJsonBody(bytesOf('{"key":"sk-secret", oops}'))).not.toThrow(/sk-secret/);
  });
});

describe('describing a value', () => {
  it('shortens long ones', () => {
    expect(describeValue('x'.repeat(100))).toMatch(/^a string \("x{39}…\)$/);
    expect(describeValue(undefined)).toBe('nothing');
  });
});

describe('replacing one top-level string', () => {
  it('leaves every other byte as it came', () => {
    const body = '{ "messages": [{"model":"no"}], "model" : "a\\"b" ,"x":1.0e5}';
    expect(replaceTopLevelString(body, 'model', 'new')).toBe(
      '{ "messages": [{"model":"no"}], "model" : "new" ,"x":1.0e5}',
    );
  });

  it.each(['{"a":1}', '{"model":1}', '{"model":"a","model":"b"}', '{"\\u006dodel":"a"}'])(
    'declines %s',
    (body) => {
      expect(replaceTopLevelString(body, 'model', 'new')).toBeUndefined();
    },
  );

  it('agrees with parsing, changing and writing again', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.string(),
        (rest, before, after) => {
          const value = { ...rest, model: before };
          const replaced = replaceTopLevelString(JSON.stringify(value, null, 1), 'model', after);
          expect(JSON.parse(replaced ?? 'null')).toEqual(
            JSON.parse(JSON.stringify({ ...value, model: after })),
          );
        },
      ),
    );
  });
});
