import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkCode } from './chunk-code.ts';
import { isIndexable } from './indexable-file.ts';
import { normaliseTerm, tokenizeCode } from './tokenize-code.ts';

const symbol = (name: string, startLine: number, endLine: number) => ({
  name,
  kind: 'function',
  line: startLine,
  column: 1,
  startLine,
  endLine,
  container: '',
});

describe('chunking', () => {
  it('covers every line that says something exactly once', () => {
    const text = fc.array(fc.oneof(fc.constant(''), fc.string({ minLength: 1, maxLength: 30 })), {
      maxLength: 300,
    });
    const starts = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 20 });
    fc.assert(
      fc.property(text, starts, (raw, lines) => {
        const source = raw.map((line) => line.replace(/[\r\n]/g, ' ')).join('\n');
        const symbols = lines.map((line) => symbol(`s${line}`, line, line + 5));
        const chunks = chunkCode(source, symbols);
        const all = source.split('\n');
        const covered = chunks.flatMap((chunk) =>
          Array.from({ length: chunk.endLine - chunk.startLine + 1 }, (_, index) => chunk.startLine + index),
        );
        expect(new Set(covered).size).toBe(covered.length);
        for (const [index, line] of all.entries())
          if (line.trim() !== '') expect(covered).toContain(index + 1);
        for (const chunk of chunks)
          expect(chunk.text).toBe(all.slice(chunk.startLine - 1, chunk.endLine).join('\n'));
      }),
    );
  });

  it('cuts before the comment of a definition and knows its name', () => {
    const body = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const text = [...body, '// about two', 'function two() {', ...body, '}'].join('\n');
    const chunks = chunkCode(text, [symbol('one', 1, 20), symbol('two', 22, 43)]);
    expect(chunks.map((chunk) => [chunk.startLine, chunk.names])).toEqual([
      [1, ['one']],
      [21, ['two']],
    ]);
  });
});

describe('terms of code', () => {
  it('splits names the way people speak of them', () => {
    expect(tokenizeCode('parseHTTPRequest_v2')).toEqual([
      'parseHTTPRequestv2',
      'parse',
      'HTTP',
      'Request',
      'v2',
    ]);
  });

  it('brings forms of a word together and drops words of questions', () => {
    for (const [left, right] of [
      ['sessions', 'session'],
      ['removed', 'remove'],
      ['entries', 'entry'],
      ['parsing', 'parse'],
    ] as const) {
      expect(normaliseTerm(left)).toBe(normaliseTerm(right));
    }
    expect(normaliseTerm('where')).toBeNull();
  });

  it('takes sources and prose, not locks and bundles', () => {
    expect(['a.ts', 'Dockerfile', 'docs/x.md', 'q.sql'].filter(isIndexable)).toHaveLength(4);
    expect(['package-lock.json', 'a.min.js', 'x.png', 'bin'].filter(isIndexable)).toEqual([]);
  });
});
