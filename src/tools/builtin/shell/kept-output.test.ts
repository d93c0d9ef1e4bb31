import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptOutput, type OutputStream, textOfSegments } from './kept-output.ts';

const chunk = fc.record({
  stream: fc.constantFrom<OutputStream>('stdout', 'stderr'),
  text: fc.string({ minLength: 1, maxLength: 40 }).map((text) => text.replace(/[^ -~]/g, '.') || '.'),
});

describe('KeptOutput', () => {
  it('keeps everything in order while it fits', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
        const kept = new KeptOutput(1_000_000);
        for (const { stream, text } of chunks) kept.append(stream, Buffer.from(text));
        const slice = kept.since(0);
        expect(textOfSegments(slice.segments)).toBe(chunks.map(({ text }) => text).join(''));
        const errors = chunks.filter(({ stream }) => stream === 'stderr').map(({ text }) => text);
        expect(textOfSegments(slice.segments, 'stderr')).toBe(errors.join(''));
        expect(slice.missedBytes).toBe(0);
      }),
    );
  });

  it('keeps a prefix and a suffix within its size, and counts what is between', () => {
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 200 }),
        fc.integer({ min: 300, max: 2000 }),
        (chunks, size) => {
          const kept = new KeptOutput(size);
          for (const { stream, text } of chunks) kept.append(stream, Buffer.from(text));
          const whole = chunks.map(({ text }) => text).join('');
          const { segments, segmentsBeforeGap, missedBytes, end } = kept.since(0);
          const head = textOfSegments(segments.slice(0, segmentsBeforeGap));
          const tail = textOfSegments(segments.slice(segmentsBeforeGap));
          expect(whole.startsWith(head)).toBe(true);
          expect(whole.endsWith(tail)).toBe(true);
          expect(head.length + tail.length + missedBytes).toBe(whole.length);
          expect(head.length + tail.length).toBeLessThanOrEqual(size + 128);
          expect(end).toBe(whole.length);
        },
      ),
    );
  });

  it('gives each byte once to a reader that goes on where it stopped', () => {
    fc.assert(
      fc.property(fc.array(fc.array(chunk, { maxLength: 5 }), { maxLength: 20 }), (rounds) => {
        const kept = new KeptOutput(600);
        let position = 0;
        let seen = 0;
        for (const chunks of rounds) {
          for (const { stream, text } of chunks) kept.append(stream, Buffer.from(text));
          const slice = kept.since(position);
          seen += textOfSegments(slice.segments).length + slice.missedBytes;
          position = slice.end;
        }
        expect(seen).toBe(kept.totalBytes);
      }),
    );
  });

  it('does not begin in the middle of a character after a gap', () => {
    const kept = new KeptOutput(400);
    for (let index = 0; index < 500; index++) kept.append('stdout', Buffer.from('é€😀'));
    expect(textOfSegments(kept.since(0).segments.slice(-1))).not.toContain('\ufffd');
  });
});
