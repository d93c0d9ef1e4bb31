import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readHiddenLine } from './read-hidden-line.ts';
import { openerFor, processTerminal, readAll } from './terminal.ts';

function ask(...typed: readonly string[]) {
  const modes: boolean[] = [];
  let shown = '';
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const output = {
    write: (text: string) => {
      shown += text;
    },
  };
  const line = readHiddenLine(input, output, 'Key: ');
  for (const chunk of typed) input.write(chunk);
  return { line, input, modes, shown: () => shown };
}

describe('a line in the dark', () => {
  it('is taken up to Enter and never shown', async () => {
    const { line, modes, shown } = ask('sec', 'ret\r', 'more');
    expect(await line).toBe('secret');
    expect(shown()).toBe('Key: \n');
    expect(modes).toEqual([true, false]);
  });

  it.each([
    ['secx\u007fret\r', 'secret'],
    ['wrong\u0015secret\n', 'secret'],
    ['\u001b[200~secret\u001b[201~\r', 'secret'],
    ['sec\u001b[Dret\u0004', 'secret'],
    ['\u007f\r', ''],
  ])('is edited as in any terminal: %j', async (typed, line) => {
    expect(await ask(typed).line).toBe(line);
  });

  it('ends with the input', async () => {
    const { line, input } = ask('secret');
    input.end();
    expect(await line).toBe('secret');
  });

  it('can be interrupted, and gives the terminal back', async () => {
    const { line, modes } = ask('sec\u0003');
    await expect(line).rejects.toMatchObject({ code: 'cancelled' });
    expect(modes).toEqual([true, false]);
  });
});

describe('the terminal', () => {
  it('reads what is piped in, up to a bound', async () => {
    async function* chunks(...texts: string[]) {
      yield* texts;
    }
    expect(await readAll(chunks('a', 'b\n'))).toBe('ab\n');
    await expect(readAll(chunks('x'.repeat(40_000), 'x'.repeat(40_000)))).rejects.toThrow(
      'a key is one line',
    );
  });

  it('knows how a browser is opened, and where there is none', () => {
    expect(openerFor('darwin', {})).toEqual(['open']);
    expect(openerFor('win32', {})?.[0]).toBe('rundll32');
    expect(openerFor('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
    expect(openerFor('linux', {})).toBeUndefined();
  });

  it('wakes up when it is interrupted', async () => {
    const sleep = processTerminal.sleep(60_000, AbortSignal.abort());
    await expect(sleep).rejects.toMatchObject({ code: 'cancelled' });
  });
});
