import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Touch } from '../tool.ts';
import { Workspace } from '../workspace.ts';
import { decide } from './decide.ts';
import { deriveRule } from './derive-rule.ts';
import { Policy } from './policy.ts';
import { defaultPolicy } from './policy-schema.ts';

const root = mkdtempSync(path.join(tmpdir(), 'derive-'));
const workspace = new Workspace(root);
afterAll(() => rmSync(root, { recursive: true, force: true }));
const tool = { name: 'x', number: 15, risk: 'execute' } as const;
const homeFolder = '/home/user';

async function decisionAfterAlways(asked: Touch, later: Touch = asked): Promise<string> {
  const policy = new Policy({ user: defaultPolicy({ setting: 'auto-accept' }) }, { homeFolder });
  expect((await decide({ tool, touches: [asked] }, { policy, workspace })).decision).toBe('ask');
  const rule = await deriveRule(tool, [asked], { workspace, homeFolder });
  if (!rule) return 'no rule';
  policy.remember(rule);
  return (await decide({ tool, touches: [later] }, { policy, workspace })).decision;
}

const command = (text: string, cwd = root): Touch => ({ type: 'command', command: text, cwd });

describe('the rule behind "always"', () => {
  it.each([
    command('npm run lint'),
    command('npm run lint && make'),
    command('rm -rf build'),
    command('node -e "1"'),
    command('$EDITOR x'),
    command('FOO=1 ./run "a b" > /tmp/x'),
    { type: 'path', path: path.join(root, '.git/config'), access: 'write' },
    { type: 'path', path: path.join(root, 'we[i]rd (1)/*.ts/package.json'), access: 'write' },
    { type: 'path', path: '/etc/hosts', access: 'read' },
    { type: 'host', url: 'https://example.org/a' },
    { type: 'host', url: 'http://localhost:3000/' },
    { type: 'mcp', server: 'docs', tool: 'search' },
  ] satisfies Touch[])('lets the same call through next time: %j', async (touch) => {
    expect(await decisionAfterAlways(touch)).toBe('allow');
  });

  it.each([
    [command('npm run lint'), command('npm run lint --fix')],
    [command('rm -rf build'), command('rm -rf build src')],
    [command('./run'), command('./run', path.join(root, 'other'))],
    [
      { type: 'path', path: path.join(root, '.git/config'), access: 'write' },
      { type: 'path', path: path.join(root, '.git/hooks'), access: 'write' },
    ],
    [
      { type: 'host', url: 'http://localhost:3000/' },
      { type: 'host', url: 'http://localhost:4000/' },
    ],
    [
      { type: 'mcp', server: 'docs', tool: 'search' },
      { type: 'mcp', server: 'docs', tool: 'delete' },
    ],
  ] satisfies Touch[][])('does not open more than was shown: %j', async (asked, later) => {
    expect(await decisionAfterAlways(asked, later)).toBe('ask');
  });

  it('is not offered for calls that touch several kinds of things', async () => {
    const touches: Touch[] = [command('ls'), { type: 'host', url: 'https://example.org' }];
    expect(await deriveRule(tool, touches, { workspace, homeFolder })).toBeUndefined();
  });

  it('is not offered for MCP names that a rule cannot write', async () => {
    expect(
      await deriveRule(tool, [{ type: 'mcp', server: 'a:*', tool: 'b' }], { workspace, homeFolder }),
    ).toBeUndefined();
  });
});
