import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { fetchRules } from './fetch-rules.ts';
import { parseRule } from './parse-rule.ts';

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({
    'AGENTS.md': 'Speak plainly.',
    'api/CLAUDE.md': 'Check every input.',
    'api/.cursor/rules/routes.mdc': '---\nglobs: routes/*.ts\n---\nOne file per route.',
    '.cursor/rules/react.mdc':
      '---\ndescription: How components are written\nglobs: *.tsx, src/ui/**/*.{ts,css}\nalwaysApply: false\n---\nUse functions.',
    '.cursor/rules/deep/naming.mdc': '---\nalwaysApply: true\n---\nWhole words.',
    '.cursor/rules/manual.mdc': 'Only when asked.',
    'node_modules/x/AGENTS.md': 'Not ours.',
  });
});
afterEach(() => place.dispose());

const namesSchema = z.array(z.object({ name: z.string() }));
const namesFor = async (args: object) => {
  const { data } = await place.ask(fetchRules, args);
  return namesSchema.parse(data?.rules).map((rule) => rule.name);
};

test('without arguments every rule is listed with when it holds', async () => {
  const { content } = await place.ask(fetchRules, {});
  expect(content).toContain(
    '- .cursor/rules/react.mdc (*.tsx, src/ui/**/*.{ts,css}): How components are written',
  );
  expect(content).toContain('- AGENTS.md (always)');
  expect(content).toContain('- .cursor/rules/manual.mdc (on request)');
  expect(content).not.toContain('node_modules');
});

test.each([
  ['src/a.ts', ['AGENTS.md', '.cursor/rules/deep/naming.mdc']],
  ['deep/down/a.tsx', ['.cursor/rules/react.mdc', 'AGENTS.md', '.cursor/rules/deep/naming.mdc']],
  ['src/ui/a/b.css', ['.cursor/rules/react.mdc', 'AGENTS.md', '.cursor/rules/deep/naming.mdc']],
  ['api/x.py', ['AGENTS.md', '.cursor/rules/deep/naming.mdc', 'api/CLAUDE.md']],
  [
    'api/routes/x.ts',
    ['AGENTS.md', '.cursor/rules/deep/naming.mdc', 'api/CLAUDE.md', 'api/.cursor/rules/routes.mdc'],
  ],
])('the rules about %s are found', async (file, names) => {
  expect((await namesFor({ path: file })).sort()).toEqual([...names].sort());
});

test('rules are read by short name, file name and path', async () => {
  for (const name of ['react', 'react.mdc', '.cursor/rules/react.mdc', '@React'])
    expect(await namesFor({ rule_names: [name] })).toEqual(['.cursor/rules/react.mdc']);
  expect((await place.ask(fetchRules, { rule_names: ['manual'] })).content).toBe(
    '## .cursor/rules/manual.mdc\n\nOnly when asked.',
  );
});

test('an unknown rule is answered with the nearest name', async () => {
  const outcome = await place.call(fetchRules, { rule_names: ['raect'] });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'ENOENT' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain('did you mean "react"');
});

test('a rule that is a link out of the workspace is not read', async () => {
  const outside = path.join(place.root, '..', 'secret');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'key.mdc'), 'SECRET');
  symlinkSync(path.join(outside, 'key.mdc'), path.join(place.root, '.cursor/rules/key.mdc'));
  symlinkSync(outside, path.join(place.root, 'linked'));
  writeFileSync(path.join(outside, 'AGENTS.md'), 'SECRET');
  expect(JSON.stringify(await place.ask(fetchRules, {}))).not.toContain('SECRET');
  expect(await namesFor({})).not.toContain('.cursor/rules/key.mdc');
});

test('a project without rules says so', async () => {
  const empty = tempWorkspace({ 'a.ts': '' });
  expect((await empty.ask(fetchRules, { path: 'a.ts' })).content).toBe('This project has no rules.');
  await empty.dispose();
});

describe('front matter', () => {
  test.each([
    ['globs: *.ts', ['*.ts']],
    ['globs: "*.ts,*.{a,b}"', ['*.ts', '*.{a,b}']],
    ['globs: [\'src/**\', "x"]', ['src/**', 'x']],
    ['globs:\n  - a/**\n  - "b"', ['a/**', 'b']],
    ['globs:', []],
  ])('%j gives globs', (head, globs) => {
    expect(parseRule(`---\n${head}\nalwaysApply: true\n---\nbody`)).toEqual({
      description: '',
      globs,
      alwaysApply: true,
      body: 'body',
    });
  });

  test('windows line ends, a byte order mark and an empty head are fine', () => {
    expect(parseRule('\uFEFF---\r\ndescription: x\r\n---\r\nbody\r\n')).toMatchObject({
      description: 'x',
      body: 'body',
    });
    expect(parseRule('---\n---\nbody')).toMatchObject({ body: 'body' });
    expect(parseRule('--- not a head')).toMatchObject({ body: '--- not a head' });
  });
});
