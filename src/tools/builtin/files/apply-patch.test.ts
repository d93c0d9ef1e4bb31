import { chmodSync, existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPatch } from './apply-patch.ts';
import { ToolBench } from './fixtures/tool-bench.ts';
import { reapply } from './reapply.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

function envelope(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
}

describe('apply_patch', () => {
  it('adds, updates, moves and deletes in one go', async () => {
    bench.put('a.py', 'def f():\n    return 1\n\ndef g():\n    return 1\n');
    chmodSync(bench.put('old/b.sh', 'echo 1\n'), 0o755);
    bench.put('c', 'gone\n');
    const outcome = await bench.succeed(
      applyPatch,
      envelope(
        '*** Update File: a.py',
        '@@ def g():',
        '-    return 1',
        '+    return 2',
        '*** Update File: old/b.sh',
        '*** Move to: new/b.sh',
        '@@',
        '-echo 1',
        '+echo 2',
        '*** Add File: d/e.txt',
        '+one',
        '+',
        '+two',
        '*** Delete File: c',
      ),
    );
    expect(bench.text('a.py')).toBe('def f():\n    return 1\n\ndef g():\n    return 2\n');
    expect(bench.text('new/b.sh')).toBe('echo 2\n');
    expect(statSync(bench.path('new/b.sh')).mode & 0o777).toBe(0o755);
    expect(bench.text('d/e.txt')).toBe('one\n\ntwo\n');
    expect(existsSync(bench.path('old/b.sh'))).toBe(false);
    expect(existsSync(bench.path('c'))).toBe(false);
    expect(outcome.content).toContain(
      'Applied the patch to 5 files: updated a.py; moved old/b.sh to new/b.sh; added d/e.txt; deleted c.',
    );
  });

  it.each([
    ['a string', (patch: string) => patch],
    ['input', (patch: string) => ({ input: patch })],
    ['patch', (patch: string) => ({ patch })],
    ['a shell argument list', (patch: string) => ({ command: ['apply_patch', patch] })],
    ['a here-document', (patch: string) => ({ input: `apply_patch <<'EOF'\n${patch}\nEOF` })],
    ['a code fence', (patch: string) => ({ input: `\`\`\`\n${patch}\n\`\`\`` })],
  ])('takes the patch as %s', async (_name, wrap) => {
    await bench.succeed(applyPatch, wrap(envelope('*** Add File: a', '+x')));
    expect(bench.text('a')).toBe('x\n');
  });

  it('names every path it will touch', async () => {
    const patch = envelope(
      '*** Update File: a',
      '*** Move to: b',
      '@@',
      '-x',
      '+y',
      '*** Delete File: c',
      '*** Add File: d',
      '+z',
    );
    const touches = await bench.touches(applyPatch, patch);
    const accessOf = (name: string) =>
      touches.flatMap((touch) =>
        touch.type === 'path' && touch.path === bench.path(name) ? [touch.access] : [],
      );
    expect(accessOf('a')).toEqual(['read', 'write', 'delete']);
    expect(accessOf('b')).toEqual(['read', 'write']);
    expect(accessOf('c')).toEqual(['read', 'delete']);
    expect(accessOf('d')).toEqual(['read', 'write']);
    expect(await bench.touches(applyPatch, 'no patch')).toEqual([]);
  });

  it('leaves everything as it was when one section fails', async () => {
    bench.put('a', 'x\n');
    const error = await bench.fail(
      applyPatch,
      envelope('*** Add File: deep/new', '+n', '*** Update File: a', '@@', '-q', '+y'),
    );
    expect(error.code).toBe('NO_MATCH');
    expect(error.message).toContain('Hunk 1 of 1 for a does not fit');
    expect(existsSync(bench.path('deep'))).toBe(false);
    expect(bench.text('a')).toBe('x\n');
  });

  it('refuses a hunk that fits at several places', async () => {
    bench.put('a', 'x\ny\nx\n');
    const error = await bench.fail(applyPatch, envelope('*** Update File: a', '@@', '-x', '+z'));
    expect(error.message).toContain('fits at 2 places (lines 1, 3)');
    await bench.succeed(applyPatch, envelope('*** Update File: a', '@@', '-x', '+z', '*** End of File'));
    expect(bench.text('a')).toBe('x\ny\nz\n');
  });

  it('forgives white space and typographic characters in the context and keeps those of the file', async () => {
    bench.put('a', '\t“quoted” — text  \nold\n');
    await bench.succeed(applyPatch, envelope('*** Update File: a', '@@', ' "quoted" - text', '-old', '+new'));
    expect(bench.text('a')).toBe('\t“quoted” — text  \nnew\n');
  });

  it('keeps CRLF and a missing last line break', async () => {
    bench.put('a', 'one\r\ntwo\r\nthree');
    await bench.succeed(
      applyPatch,
      envelope('*** Update File: a', '@@', ' one', '-two', '+2', '+2.5', ' three'),
    );
    expect(bench.text('a')).toBe('one\r\n2\r\n2.5\r\nthree');
  });

  it('finds a hunk whose first line repeats its anchor', async () => {
    bench.put('a', 'def f():\n    one\n');
    await bench.succeed(
      applyPatch,
      envelope('*** Update File: a', '@@ def f():', ' def f():', '-    one', '+    two'),
    );
    expect(bench.text('a')).toBe('def f():\n    two\n');
  });

  it.each([
    ['no envelope', '*** Add File: a\n+x', '"*** Begin Patch"'],
    ['no end', '*** Begin Patch\n*** Add File: a\n+x', 'the second is missing'],
    ['an unknown line', envelope('hello'), 'Line 2 of the patch, "hello"'],
    ['no file', envelope(''), 'names no file'],
    ['a line without a sign', envelope('*** Update File: a', '@@', 'oops'), 'a hunk line begins with'],
    ['only context', envelope('*** Update File: a', '@@', ' x'), 'only context'],
    ['an empty update', envelope('*** Update File: a'), 'changes nothing'],
    ['an added line without plus', envelope('*** Add File: n', 'x'), 'begins with "+"'],
    ['an added file that exists', envelope('*** Add File: a', '+x'), 'exists already'],
    ['a missing file', envelope('*** Delete File: b'), 'does not exist'],
    [
      'a move onto a file',
      envelope('*** Update File: a', '*** Move to: z', '@@', '-x', '+y'),
      'cannot take its place',
    ],
  ])('explains %s', async (_name, patch, message) => {
    bench.put('a', 'x\n');
    bench.put('z', 'z\n');
    expect((await bench.fail(applyPatch, patch)).message).toContain(message);
    expect(bench.text('a')).toBe('x\n');
  });

  it('lets later sections see earlier ones', async () => {
    bench.put('a', 'x\n');
    await bench.succeed(
      applyPatch,
      envelope('*** Delete File: a', '*** Add File: a', '+new', '*** Update File: a', '@@', '-new', '+newer'),
    );
    expect(bench.text('a')).toBe('newer\n');
  });

  it('stays inside the workspace', async () => {
    writeFileSync(path.join(bench.outside, 'x'), 'x\n');
    symlinkSync(bench.outside, bench.path('link'));
    const outward = envelope('*** Update File: ../outside/x', '@@', '-x', '+y');
    expect(await bench.callUnasked(applyPatch, outward)).toMatchObject({
      ok: false,
      error: { code: 'DENIED' },
    });
    expect((await bench.fail(applyPatch, envelope('*** Add File: link/new', '+y'))).code).toBe('DENIED');
    expect((await bench.fail(applyPatch, envelope('*** Delete File: link/x'))).code).toBe('DENIED');
  });
});

describe('a patch made from two texts', () => {
  const linesArb = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '+', '-', ' ', '@', '*'), maxLength: 5 }),
    { minLength: 1, maxLength: 25 },
  );

  it('turns the first into the second', async () => {
    await fc.assert(
      fc.asyncProperty(
        linesArb,
        linesArb,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        async (before, after, ending, isClosed) => {
          fc.pre(before.join('\n') !== after.join('\n'));
          const stored = (lines: readonly string[]) => lines.join(ending) + (isClosed ? ending : '');
          fc.pre(
            stored(before) !== '' &&
              stored(after) !== '' &&
              (isClosed || (before.at(-1) !== '' && after.at(-1) !== '')),
          );
          bench.put('a', stored(before));
          bench.restart();
          await bench.succeed(applyPatch, patchOf(before, after, Number.POSITIVE_INFINITY));
          expect(bench.text('a')).toBe(
            stored(after).replaceAll(ending, isClosed || before.length > 1 ? ending : '\n'),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does so with three lines of context when lines are distinct', async () => {
    const numbersArb = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 2, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        numbersArb,
        fc.array(fc.tuple(fc.nat(59), fc.constantFrom('drop', 'new', 'both'))),
        async (numbers, edits) => {
          const before = numbers.map((number) => `line ${number}`);
          const after = before.flatMap((line, at) => {
            const edit = edits.find(([place]) => place === at)?.[1];
            return edit === undefined
              ? [line]
              : edit === 'drop'
                ? []
                : edit === 'new'
                  ? [`new ${at}`]
                  : [line, `more ${at}`];
          });
          fc.pre(after.length > 0 && before.join() !== after.join());
          bench.put('a', `${before.join('\n')}\n`);
          bench.restart();
          await bench.succeed(applyPatch, patchOf(before, after, 3));
          expect(bench.text('a')).toBe(`${after.join('\n')}\n`);
        },
      ),
      { numRuns: 100 },
    );
  });

  function patchOf(before: readonly string[], after: readonly string[], context: number): string {
    const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
    const { hunks } = structuredPatch('a', 'a', text(before), text(after), undefined, undefined, { context });
    return envelope('*** Update File: a', ...hunks.flatMap((hunk) => ['@@', ...hunk.lines]));
  }
});

describe('a patch over several files', () => {
  const NAMES = ['a', 'b', 'sub/c', 'd'];
  type Step = 'add' | 'update' | 'move' | 'delete' | 'none';
  const stepsArb = fc.tuple(
    ...NAMES.map(() => fc.constantFrom<Step>('add', 'update', 'move', 'delete', 'none')),
  );
  const textArb = fc.array(fc.constantFrom('one', 'zwölf', '', '😀', '\ttab'), {
    minLength: 1,
    maxLength: 6,
  });

  function stateOf(): Record<string, string | undefined> {
    const names = NAMES.flatMap((name) => [name, `${name}.new`, `${name}.moved`]);
    const read = (name: string) =>
      existsSync(bench.path(name)) ? bench.bytes(name).toString('base64') : undefined;
    return Object.fromEntries(names.map((name) => [name, read(name)]));
  }

  function section(step: Step, name: string): string[] {
    switch (step) {
      case 'add':
        return [`*** Add File: ${name}.new`, '+new'];
      case 'update':
        return [`*** Update File: ${name}`, '@@', '-marker', '+changed'];
      case 'move':
        return [`*** Update File: ${name}`, `*** Move to: ${name}.moved`, '@@', '-marker', '+changed'];
      case 'delete':
        return [`*** Delete File: ${name}`];
      case 'none':
        return [];
    }
  }

  async function setUp(lines: readonly string[], ending: string): Promise<void> {
    bench.dispose();
    bench = new ToolBench();
    for (const name of NAMES) bench.put(name, ['marker', ...lines].join(ending));
  }

  it('is undone to the byte by its call, and made again', async () => {
    await fc.assert(
      fc.asyncProperty(stepsArb, textArb, fc.constantFrom('\n', '\r\n'), async (steps, lines, ending) => {
        fc.pre(steps.some((step) => step !== 'none'));
        await setUp(lines, ending);
        const before = stateOf();
        const context = bench.context();
        const sections = steps.flatMap((step, index) => section(step, NAMES[index] ?? ''));
        await bench.succeed(applyPatch, envelope(...sections), context);
        const after = stateOf();
        expect(after).not.toEqual(before);
        await bench.succeed(reapply, { call_id: context.callId, action: 'undo' });
        expect(stateOf()).toEqual(before);
        await bench.succeed(reapply, { call_id: context.callId });
        expect(stateOf()).toEqual(after);
      }),
      { numRuns: 40 },
    );
  });

  it('changes nothing when one of its sections fails, wherever that stands', async () => {
    await fc.assert(
      fc.asyncProperty(stepsArb, textArb, fc.nat({ max: 4 }), async (steps, lines, place) => {
        await setUp(lines, '\n');
        const before = stateOf();
        const sections = steps.map((step, index) => section(step, NAMES[index] ?? ''));
        sections.splice(place, 0, ['*** Update File: missing', '@@', '-x', '+y']);
        await bench.fail(applyPatch, envelope(...sections.flat()));
        expect(stateOf()).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
