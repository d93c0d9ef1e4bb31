// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell source.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseCommand, type CommandAnalysis } from './analyse-command.ts';

const analyse = (source: string) => analyseCommand(source, { cwd: '/project', homeFolder: '/home/user' });
const names = (analysis: CommandAnalysis) => analysis.commands.map((command) => command.name);

describe('what a command runs', () => {
  it.each([
    ['ls | grep x && (cat a; wc b)', ['ls', 'grep', 'cat', 'wc']],
    ['bash -c "ls; git status"', ['bash', 'ls', 'git']],
    ['env A=1 timeout -k 5 10 nice -n 3 npm test', ['env', 'timeout', 'nice', 'npm']],
    ['find . -exec a {} \\; -exec b {} +', ['find', 'a', 'b']],
    ['xargs -0 -n 1 rm -f', ['xargs', 'rm']],
    ['eval "ls $((1+1))" ', []],
    ['sudo -u root env rm x', ['sudo', 'env', 'rm']],
    ['ssh host "rm x"', ['ssh', 'rm']],
    ['su -c "rm x" user', ['su', 'rm']],
    ['/usr/bin/env node', ['env', 'node']],
  ])('%j', (source, expected) => {
    if (expected.length > 0) expect(names(analyse(source))).toEqual(expected);
    else expect(analyse(source).unreadable).not.toEqual([]);
  });

  it('finds a command under any number of dressings', () => {
    const dressing = fc.constantFrom<(inner: string) => string>(
      (inner) => `echo $( ${inner} )`,
      (inner) => `( ${inner} )`,
      (inner) => `{ ${inner}; }`,
      (inner) => `ls && ${inner}`,
      (inner) => `if true; then ${inner}; fi`,
      (inner) => `for x in 1; do ${inner}; done`,
      (inner) => `while false; do ${inner}; done`,
      (inner) => `case a in a) ${inner};; esac`,
      (inner) => `cat <( ${inner} )`,
      (inner) => `! ${inner}`,
      (inner) => `ls | cat && ${inner} | wc`,
      (inner) => `bash -c ${quote(inner)}`,
      (inner) => `eval ${quote(inner)}`,
      (inner) => `timeout 5 sh -c ${quote(inner)}`,
      (inner) => `env -i bash -c ${quote(inner)}`,
      (inner) => `find . -exec sh -c ${quote(inner)} \\;`,
      (inner) => `echo "\${x:-$( ${inner} )}"`,
      (inner) => `cat <<EOF\n$( ${inner} )\nEOF\n`,
    );
    fc.assert(
      fc.property(fc.array(dressing, { maxLength: 5 }), (dressings) => {
        const source = dressings.reduce((inner, dress) => dress(inner), 'evil x');
        const analysis = analyse(source);
        expect(analysis.unreadable.length > 0 || names(analysis).includes('evil')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('never throws, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '$(',
        ')',
        '`',
        '"',
        "'",
        '\\',
        '<<E',
        '\n',
        '{',
        '}',
        '|',
        '&',
        ';',
        '((',
        '[[',
        '${',
        '#',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(analyse(pieces.join('')).commands).toBeInstanceOf(Array);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a command opens', () => {
  it.each([
    ['cat a > b', ['write:/project/b', 'read:/project/a']],
    ['cat < ~/x', ['read:/home/user/x']],
    ['ls 2>&1 >/dev/null', ['write:/dev/null']],
    ['cp a ../b', ['write:/project/a', 'write:/b']],
    ['grep -r "/api" src', ['read:/project/src']],
    ['grep -e x /etc/passwd', ['read:/project/x', 'read:/etc/passwd']],
    ['head --lines=3 a', ['read:/project/a']],
  ])('%j', (source, expected) => {
    expect(analyse(source).paths.map(({ access, path }) => `${access}:${path}`)).toEqual(expected);
  });

  it('counts every folder a cd may have led to', () => {
    const paths = analyse('cd sub && echo > x').paths.map(({ path }) => path);
    expect(paths).toContain('/project/x');
    expect(paths).toContain('/project/sub/x');
  });
});

function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
