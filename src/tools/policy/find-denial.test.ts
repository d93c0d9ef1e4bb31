import { describe, expect, it } from 'vitest';
import { BUILTIN_TOOLS } from '../registry.ts';
import type { Touch } from '../tool.ts';
import { createDenials, type DistantCall } from './find-denial.ts';
import { defaultPolicy } from './policy-schema.ts';

const policy = defaultPolicy({
  setting: 'always-ask',
  rules: [
    {
      id: 'secrets',
      decision: 'deny',
      path: ['secrets/**', '**/*.pem'],
      reason: 'Secrets stay where they are.',
    },
    { id: 'keys', decision: 'deny', path: '~/.ssh/**', match: ['/home/operator/.ssh/id_rsa'] },
    { id: 'frozen', decision: 'deny', path: 'vendor/**', access: ['write', 'delete'] },
    { id: 'etc', decision: 'deny', path: '/etc/**', access: ['write', 'delete'] },
    { id: 'push', decision: 'deny', command: 'git push' },
    { id: 'publish', decision: 'deny', exactCommand: 'make publish' },
    { id: 'host', decision: 'deny', host: '*.bad.example' },
    { id: 'prod', decision: 'deny', mcp: 'prod:*' },
    { id: 'pictures', decision: 'deny', tool: 'GenerateImage' },
    { id: 'careful', decision: 'ask', path: 'docs/**' },
    { id: 'fine', decision: 'allow', path: 'secrets/open.txt' },
  ],
});
const denials = createDenials(policy, { homeFolder: '/home/operator' });

function find(tool: string, touches: readonly Touch[], folders = ['/srv/app']) {
  const known = BUILTIN_TOOLS.find(({ name }) => name === tool);
  if (!known) throw new Error(`no tool ${tool}`);
  const call: DistantCall = { tool: known, touches, folders };
  return denials?.find(call);
}

const path = (name: string, access: 'read' | 'write' | 'delete' = 'read'): Touch => ({
  type: 'path',
  path: name,
  access,
});
const command = (text: string, cwd = '/srv/app'): Touch => ({ type: 'command', command: text, cwd });

describe('what the policy forbids on a machine that is not this one', () => {
  it.each<[string, string, Touch, string, string[]?]>([
    ['a path below the workspace', 'read_file', path('/srv/app/secrets/a'), 'secrets'],
    ['a relative path', 'read_file', path('secrets/a'), 'secrets'],
    ['a path that climbs back in', 'read_file', path('/srv/app/src/../secrets/a'), 'secrets'],
    ['a path in other letters', 'read_file', path('/srv/app/SECRETS/A'), 'secrets'],
    ['a path that another rule allows', 'read_file', path('secrets/open.txt'), 'secrets'],
    ['a name anywhere', 'read_file', path('/srv/tls/site.pem'), 'secrets'],
    ['the second workspace', 'read_file', path('/srv/two/secrets/a'), 'secrets', ['/srv/app', '/srv/two']],
    ['a path of Windows', 'read_file', path('C:\\app\\secrets\\a'), 'secrets', ['C:\\app']],
    ['a relative path of Windows', 'read_file', path('src\\..\\secrets\\a'), 'secrets', ['C:\\app']],
    ['a backslash that is a letter', 'read_file', path('x\\y/../secrets/a'), 'secrets'],
    ['a client that names no workspace', 'read_file', path('secrets/a'), 'secrets', []],
    ['somebody’s home', 'read_file', path('/home/alice/.ssh/id_rsa'), 'keys'],
    ['a home on a Mac', 'read_file', path('/Users/alice/.ssh/id_rsa'), 'keys'],
    ['a home in a command', 'run_terminal_command', command('cat /home/bob/.ssh/id_rsa'), 'keys'],
    ['a tilde in a command', 'run_terminal_command', command('cat ~/.ssh/id_rsa'), 'keys'],
    ['writing where reading is free', 'write', path('vendor/a', 'write'), 'frozen'],
    ['deleting a folder above', 'delete_file', path('/srv/app/vendor', 'delete'), 'frozen'],
    ['an absolute path', 'write', path('/etc/hosts', 'write'), 'etc'],
    ['a command', 'run_terminal_command', command('git -C x push --force'), 'push'],
    ['a command behind others', 'run_terminal_command', command('true && (sh -c "git push")'), 'push'],
    ['a whole command', 'run_terminal_command', command('make publish'), 'publish'],
    ['a file that a command names', 'run_terminal_command', command('cat secrets/a'), 'secrets'],
    ['a file after cd', 'run_terminal_command', command('cd secrets && cat a'), 'secrets'],
    ['a file written by redirection', 'run_terminal_command', command('echo x > vendor/a'), 'frozen'],
    ['a host in a command', 'run_terminal_command', command('curl https://x.bad.example/'), 'host'],
    ['a host', 'web_fetch', { type: 'host', url: 'https://X.BAD.example/' }, 'host'],
    ['a server of tools', 'mcp', { type: 'mcp', server: 'Prod', tool: 'drop' }, 'prod'],
    ['a tool by another of its names', 'generate_image', path('assets/a.png', 'write'), 'pictures'],
  ])('%s', async (_what, tool, touch, rule, folders) => {
    expect(await find(tool, [touch], folders)).toMatchObject({ decision: 'deny', rule });
  });

  it('is told with the reason of the rule', async () => {
    const verdict = await find('read_file', [path('a.txt'), path('secrets/a')]);
    expect(verdict?.reason).toBe('Secrets stay where they are.');
  });

  it('a tool is forbidden before it says what it touches', async () => {
    expect(await find('generate_image', [])).toMatchObject({ rule: 'pictures' });
    const noWeb = createDenials(defaultPolicy({ rules: [{ decision: 'deny', tool: 'web_fetch' }] }), {
      homeFolder: '/',
    });
    const tool = { name: 'web_fetch', number: 57, risk: 'network' } as const;
    expect(
      await noWeb?.find({ tool, touches: [{ type: 'host', url: 'gopher://x' }], folders: [] }),
    ).toBeDefined();
  });

  it.each<[string, string, Touch]>([
    ['what is only asked about', 'write', path('docs/a', 'write')],
    ['what nothing is said about', 'write', path('/srv/app/src/a', 'write')],
    ['what is outside the workspace', 'read_file', path('/opt/secrets-of-others/a')],
    ['reading what must not be written', 'read_file', path('vendor/a')],
    ['a folder of the same name elsewhere', 'read_file', path('/opt/secrets/a')],
    ['a command that may be meant', 'run_terminal_command', command('git $SUB')],
    ['another command', 'run_terminal_command', command('git status; make publish-docs')],
    ['another host', 'web_fetch', { type: 'host', url: 'https://bad.example/' }],
    ['another server', 'mcp', { type: 'mcp', server: 'staging', tool: 'drop' }],
  ])('leaves to the client: %s', async (_what, tool, touch) => {
    expect(await find(tool, [touch])).toBeUndefined();
  });

  it('needs no rules of its own where none forbids', () => {
    expect(createDenials(defaultPolicy(), { homeFolder: '/' })).toBeUndefined();
  });
});
