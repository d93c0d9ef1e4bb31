import { describe, expect, it } from 'vitest';
import { KeptOutput } from './kept-output.ts';
import { asOnScreen, showOutput } from './show-output.ts';

describe('asOnScreen', () => {
  it.each([
    ['plain\ttext\n', 'plain\ttext\n'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['1%\r2%\r3%\ndone', '3%\ndone'],
    ['working\r', 'working'],
    ['\u001b[1;32mok\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007', 'ok link'],
  ])('shows %j as %j', (text, shown) => {
    expect(asOnScreen(text)).toBe(shown);
  });
});

describe('showOutput', () => {
  it('leaves a short output as it is', () => {
    const kept = new KeptOutput(1000);
    kept.append('stdout', Buffer.from('a\nb\n'));
    expect(showOutput(kept.since(0), 100, '')).toBe('a\nb\n');
  });

  it('shows start and end of what memory has lost the middle of, and where the rest is', () => {
    const kept = new KeptOutput(2000);
    for (let line = 1; line <= 1000; line++) kept.append('stdout', Buffer.from(`line ${line}\n`));
    const shown = showOutput(kept.since(0), 400, 'all of it is elsewhere');
    expect(shown.length).toBeLessThan(500);
    expect(shown).toMatch(/^line 1\nline 2\n/);
    expect(shown).toMatch(/\nline 999\nline 1000\n$/);
    expect(shown).toMatch(/\n\[… about \d+ characters left out; all of it is elsewhere …\]\n/);
  });
});
