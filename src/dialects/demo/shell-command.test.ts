import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolIntent } from './intent.ts';
import { quoteWord, shellCommandFor } from './shell-command.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-shell-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function shell(command: string): string {
  return execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
}

function carryOut(intent: ToolIntent): string {
  return shell(shellCommandFor(intent) ?? 'exit 1');
}

/** Text that shells like to trip over; a NUL cannot be passed to any program. */
const hostile = fc.string({
  unit: fc.constantFrom('a', ' ', "'", '"', '$', '`', '\\', '\n', ';', '&', '*', '(', '!', '-', 'é', '😀'),
  maxLength: 30,
});

describe('shell commands', () => {
  it('quote any text so that it arrives as it is', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(shell(`printf '%s' ${quoteWord(text) || "''"}`)).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it('write, read and delete a file whatever its content', () => {
    fc.assert(
      fc.property(hostile, (content) => {
        carryOut({ kind: 'write', path: 'sub dir/it is.txt', content });
        expect(carryOut({ kind: 'read', path: 'sub dir/it is.txt' })).toBe(content);
        carryOut({ kind: 'delete', path: 'sub dir/it is.txt' });
        expect(() => readFileSync(join(folder, 'sub dir/it is.txt'))).toThrow();
      }),
      { numRuns: 15 },
    );
  });

  it('replace text literally', () => {
    writeFileSync(join(folder, 'e.txt'), 'a.b $x/y a.b');
    carryOut({ kind: 'edit', path: 'e.txt', oldText: '$x/y', newText: "it's $HOME", isForAll: false });
    carryOut({ kind: 'edit', path: 'e.txt', oldText: 'a.b', newText: 'c', isForAll: true });
    expect(readFileSync(join(folder, 'e.txt'), 'utf8')).toBe("c it's $HOME c");
  });

  it('list, find and search', () => {
    writeFileSync(join(folder, '-odd.ts'), 'needle here\n');
    expect(carryOut({ kind: 'list', path: '.' })).toContain('-odd.ts');
    expect(carryOut({ kind: 'find', glob: '**/*.ts' })).toBe('./-odd.ts\n');
    expect(carryOut({ kind: 'search', pattern: 'needle' })).toBe('./-odd.ts:1:needle here\n');
    expect(carryOut({ kind: 'read', path: '-odd.ts' })).toBe('needle here\n');
  });

  it('are no stand-in for a web search', () => {
    expect(shellCommandFor({ kind: 'web-search', query: 'x' })).toBeUndefined();
  });
});
