import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  defaultPolicy,
  openPolicy,
  policyFiles,
  RememberedRules,
  type RuleConfig,
  readWorkspaceRules,
  WorkspaceTrust,
} from './index.ts';

let base: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'crosspoint-policy-')));
  root = path.join(base, 'project');
  mkdirSync(path.join(root, '.crosspoint'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const put = (text: string) => writeFileSync(path.join(root, '.crosspoint', 'policy.yaml'), text);
const rule = (command: string): RuleConfig => ({ decision: 'allow', command });

describe('remembered rules', () => {
  it('are kept one after the other, each once, in the order they came', async () => {
    const rules = new RememberedRules(path.join(base, 'rules.yaml'));
    await Promise.all(['a', 'b', 'a', 'c'].map((word) => rules.keep(root, rule(word), 0)));
    expect((await rules.list(root)).map(({ command }) => command)).toEqual(['a', 'b', 'c']);
    expect(await rules.list('/elsewhere')).toEqual([]);
    expect(await rules.list('__proto__')).toEqual([]);
    const text = readFileSync(rules.file, 'utf8');
    expect(text).toMatch(/^# Answers of "always"/);
    expect(text).toContain('reason: Answered with "always" on 1970-01-01.');
  });

  it.each([
    ['workspaces: [', 'is not YAML'],
    ['workspace: {}', 'rules.workspace is not a known key. Did you mean workspaces?'],
    [
      'workspaces: { /x: [{ decision: allow, comand: ls }] }',
      'comand is not a known key. Did you mean command?',
    ],
  ])('that cannot be understood are an error, not forgotten: %s', async (text, message) => {
    const rules = new RememberedRules(path.join(base, 'rules.yaml'));
    writeFileSync(rules.file, text);
    await expect(rules.list(root)).rejects.toThrow(message);
    await expect(rules.keep(root, rule('a'), 0)).rejects.toThrow(message);
    expect(readFileSync(rules.file, 'utf8')).toBe(text);
  });
});

describe('rules of a workspace', () => {
  it('say nothing about what they do not speak of', async () => {
    put('rules: []\nprotections: { delete: true }\n');
    const { policy } = (await readWorkspaceRules(root)) ?? {};
    expect(policy).toMatchObject({
      setting: 'run-everything',
      protections: { delete: true, dotFiles: false },
    });
    const user = defaultPolicy({ setting: 'auto-accept', protections: { delete: false } });
    const opened = await openPolicy({ user, workspace: root, stateHome: base, homeFolder: base });
    expect(opened.policy.setting).toBe('auto-accept');
    expect(opened.policy.protections).toMatchObject({ delete: true, dotFiles: true });
  });

  it('may be stricter than the user, and never looser', async () => {
    put('setting: always-ask\nprotections: { delete: false }\nrules: [{ decision: allow, tool: "*" }]\n');
    const user = defaultPolicy({ setting: 'auto-accept' });
    const opened = await openPolicy({ user, workspace: root, stateHome: base, homeFolder: base });
    expect(opened.policy.setting).toBe('always-ask');
    expect(opened.policy.protections.delete).toBe(true);
    expect(opened.policy.rules).toEqual([]);
  });

  it('that are no plain file of the workspace, or wrong, stop everything', async () => {
    put('rules: [{ decision: maybe, tool: x }]\n');
    await expect(readWorkspaceRules(root)).rejects.toThrow(/policy\.yaml.*\n.*must be allow, ask or deny/);
    put('a: [\n');
    await expect(readWorkspaceRules(root)).rejects.toThrow('is not YAML');
    put(`# ${'x'.repeat(300_000)}\n`);
    await expect(readWorkspaceRules(root)).rejects.toThrow('is larger than');
    rmSync(path.join(root, '.crosspoint'), { recursive: true });
    mkdirSync(path.join(base, 'other'));
    writeFileSync(path.join(base, 'other', 'policy.yaml'), 'rules: []\n');
    symlinkSync(path.join(base, 'other'), path.join(root, '.crosspoint'));
    await expect(readWorkspaceRules(root)).rejects.toThrow('is a link or no plain file');
  });
});

describe('trust', () => {
  it('is given to a real path, and taken back', async () => {
    const trust = new WorkspaceTrust(policyFiles(base).trust);
    expect(await trust.find(root)).toBeUndefined();
    await trust.trust(root, { nowMs: 0, rules: 'f' });
    await trust.trust(root, { nowMs: 1_000 });
    expect(await trust.list()).toEqual([{ path: root, trustedAt: '1970-01-01T00:00:01.000Z' }]);
    expect(await trust.distrust(root)).toBe(true);
    expect(await trust.distrust(root)).toBe(false);
    writeFileSync(trust.file, 'nonsense');
    await expect(trust.list()).rejects.toThrow('is damaged. Delete it and trust your workspaces again.');
  });
});
