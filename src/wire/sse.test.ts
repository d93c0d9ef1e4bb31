import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeSse, type SseFrame, SseReader } from './sse.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const fields = (frames: SseFrame[]) => frames.map(({ event, data }) => ({ event, data }));

describe('reading server-sent events', () => {
  it.each([
    ['line feeds', '\n'],
    ['carriage returns with line feeds', '\r\n'],
    ['lone carriage returns', '\r'],
  ])('understands frames ended by %s', (_name, eol) => {
    const text = [
      `event: a${eol}data: 1${eol}data:2${eol}${eol}`,
      `: note${eol}${eol}`,
      `data${eol}${eol}`,
      'x',
    ];
    const reader = new SseReader();
    expect(fields(reader.push(bytesOf(text.join(''))))).toEqual([
      { event: 'a', data: '1\n2' },
      { event: undefined, data: undefined },
      { event: undefined, data: '' },
    ]);
  });

  it('tells when the stream stopped inside a frame', () => {
    const reader = new SseReader();
    reader.push(bytesOf('data: 1\n\ndata: 2'));
    expect(reader.hasPartialFrame).toBe(true);
    reader.push(bytesOf('\n\n'));
    expect(reader.hasPartialFrame).toBe(false);
  });

  it('ignores a byte order mark at the very beginning', () => {
    const reader = new SseReader();
    expect(fields(reader.push(bytesOf('\uFEFFdata: 1\n\n')))).toEqual([{ event: undefined, data: '1' }]);
  });

  it('refuses a frame that never ends', () => {
    const reader = new SseReader(64);
    expect(() => {
      for (let i = 0; i < 20; i++) reader.push(bytesOf('data: aaaa'));
    }).toThrow(/grew past 64 bytes/);
  });

  it('gives the same frames and the same bytes for any chunking', () => {
    const frame = fc.tuple(fc.option(fc.constantFrom('ping', 'delta'), { nil: undefined }), fc.json());
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat({ max: 40 })), (frames, cuts) => {
        const wire = bytesOf(frames.map(([event, data]) => encodeSse(data, event)).join(''));
        const reader = new SseReader();
        const read: SseFrame[] = [];
        let position = 0;
        for (const cut of cuts) {
          read.push(...reader.push(wire.subarray(position, position + cut)));
          position += cut;
        }
        read.push(...reader.push(wire.subarray(position)));
        expect(fields(read)).toEqual(frames.map(([event, data]) => ({ event, data })));
        expect(Buffer.concat(read.map((one) => one.bytes)).equals(wire)).toBe(true);
        expect(reader.hasPartialFrame).toBe(false);
      }),
    );
  });
});
