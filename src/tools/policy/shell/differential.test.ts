// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are shell source.
// The parser is asked what real shells do: random scripts full of quotes, here-docs and substitutions that mention a canary.
// Whatever is judged harmless is run, in bash and in plain sh; the canary must never sing.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandNeeds } from '../judge-command.ts';
import { analyseCommand } from './analyse-command.ts';

const PIECES = [
  ...[
    'canary',
    'canary',
    'canary',
    'ls',
    'echo',
    'cat',
    'printf',
    'test',
    'sort ',
    'grep ',
    'sed ',
    'true',
    'x',
    'y',
    '1',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    ' ',
    '\t',
    '\n',
    '\n',
    ';',
    ';',
    '&',
    '&&',
    '|',
    '||',
    '|&',
    '(',
    ')',
    '{ ',
    ' }',
    ';}',
    '!',
    '#',
  ],
  ...[
    '$(',
    ')',
    '`',
    '"',
    '"',
    "'",
    "'",
    '\\',
    "$'",
    '$"',
    '${',
    'x:-',
    'x//',
    '}',
    '$',
    '$((',
    '((',
    '))',
    '$[',
    ']',
  ],
  ...[
    '<<E',
    '<<-E',
    '<<"E"',
    '\nE\n',
    '<<<',
    '>',
    '>>',
    '&>',
    '>&',
    '<(',
    '>(',
    '[[ ',
    ' ]]',
    '[',
    ' ]',
    '*',
    '?',
    '@(',
  ],
  ...[
    'if ',
    'then ',
    'fi',
    'case ',
    ' in ',
    'a)',
    'esac',
    ';;',
    'for x in ',
    'while ',
    'do ',
    'done',
    'time ',
    'function ',
    '()',
  ],
  ...[
    'bash ',
    'sh ',
    '-c ',
    'eval ',
    'env ',
    'xargs ',
    'exec ',
    'command ',
    'timeout 1 ',
    'nice ',
    'x=',
    '{a,b}',
  ],
  ...['find . -exec ', ' {} ', ' \\;', ' + ', '-n', '-e', '-', ':', '%'],
];
const SCRIPTS = 40_000;
const MAX_RUNS = 60;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'differential-'));
  for (const name of ['bin', 'work']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'bin/canary'), `#!/bin/sh\n: > ${folder}/song\n`);
  chmodSync(path.join(folder, 'bin/canary'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('what is judged harmless runs nothing else, in bash and in sh', () => {
  const cwd = path.join(folder, 'work');
  const harmless = randomScripts(20_261_115)
    .filter((script) => script.includes('canary'))
    .filter(
      (script) =>
        commandNeeds(analyseCommand(script, { cwd, homeFolder: '/home/user' }), [], true) === undefined,
    );
  expect(harmless.length).toBeGreaterThan(20);
  for (const script of harmless.slice(0, MAX_RUNS)) {
    for (const shell of ['bash', 'sh']) {
      const env = { PATH: `${folder}/bin:/usr/bin:/bin` };
      spawnSync(shell, ['-c', script], { cwd, env, timeout: 2_000, stdio: 'ignore' });
      expect(existsSync(path.join(folder, 'song')), `${shell}: ${JSON.stringify(script)}`).toBe(false);
    }
  }
}, 60_000);

/** The same scripts on every machine. */
function randomScripts(seed: number): string[] {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * limit);
  };
  return Array.from({ length: SCRIPTS }, () =>
    Array.from({ length: 3 + below(14) }, () => PIECES[below(PIECES.length)]).join(''),
  );
}
