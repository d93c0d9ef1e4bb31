import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShellBench } from '../builtin/shell/fixtures/shell-bench.ts';
import { runTerminalCommand } from '../builtin/shell/run-terminal-command.ts';
import { bubblewrapArgv } from './bubblewrap.ts';
import { type SandboxPolicy, sandboxArgv, sandboxSettings, sandboxStatus, workspacePolicy } from './index.ts';
import { seatbeltProfile } from './seatbelt.ts';

const policy: SandboxPolicy = {
  writable: ['/data/space'],
  readOnly: ['/data/space/.git/hooks'],
  hidden: ['/home/me/.ssh', '/data/space/state'],
  allowsNetwork: false,
};

describe('sandboxStatus', () => {
  const works = async () => undefined;

  it('says that bubblewrap is missing and how to get it', async () => {
    expect(await sandboxStatus({ platform: 'linux', searchPath: '/nowhere:relative' })).toEqual({
      isAvailable: false,
      reason: 'bwrap is not on PATH. Install bubblewrap, e.g. `apt install bubblewrap`.',
    });
  });

  it('says why a bubblewrap that is there cannot be used', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'crosspoint-bwrap-'));
    const script = '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2; exit 1\n';
    writeFileSync(path.join(folder, 'bwrap'), script, { mode: 0o755 });
    const status = await sandboxStatus({ platform: 'linux', searchPath: folder });
    expect(status).toMatchObject({ isAvailable: false });
    expect(status).toHaveProperty(
      'reason',
      expect.stringContaining('No permissions to create a new namespace'),
    );
    expect(await sandboxStatus({ platform: 'linux', searchPath: folder, tryProgram: works })).toMatchObject({
      isAvailable: true,
      kind: 'bubblewrap',
      program: path.join(folder, 'bwrap'),
    });
    rmSync(folder, { recursive: true });
  });

  it('knows seatbelt on macOS and nothing on other systems', async () => {
    const broken = async () => 'no such file';
    expect(await sandboxStatus({ platform: 'darwin', searchPath: '', tryProgram: works })).toMatchObject({
      kind: 'seatbelt',
    });
    expect(await sandboxStatus({ platform: 'darwin', searchPath: '', tryProgram: broken })).toMatchObject({
      isAvailable: false,
    });
    expect(await sandboxStatus({ platform: 'win32', searchPath: '' })).toEqual({
      isAvailable: false,
      reason: 'There is no sandbox for win32.',
    });
  });
});

describe('command lines', () => {
  it('mounts for bubblewrap in an order in which nothing that is closed is opened again', () => {
    const argv = bubblewrapArgv('/usr/bin/bwrap', policy, {
      argv: ['bash', '-c', 'ls'],
      cwd: '/data/space/a',
    });
    const at = (...words: string[]) => argv.join(' ').indexOf(words.join(' '));
    expect(at('--ro-bind / /')).toBeLessThan(at('--tmpfs /tmp'));
    expect(at('--tmpfs /home/me/.ssh')).toBeLessThan(at('--bind /data/space /data/space'));
    expect(at('--bind /data/space /data/space')).toBeLessThan(at('--tmpfs /data/space/state'));
    expect(at('--bind /data/space /data/space')).toBeLessThan(at('--ro-bind /data/space/.git/hooks'));
    expect(argv).toContain('--unshare-all');
    expect(argv).not.toContain('--share-net');
    expect(argv.slice(-6)).toEqual(['--chdir', '/data/space/a', '--', 'bash', '-c', 'ls']);
    const open = bubblewrapArgv('bwrap', { ...policy, allowsNetwork: true }, { argv: ['ls'], cwd: '/' });
    expect(open).toContain('--share-net');
  });

  it('writes a seatbelt profile whose later rules close what earlier ones opened', () => {
    const odd = { ...policy, writable: ['/Users/me/a "b" \\c'] };
    const profile = seatbeltProfile(odd);
    expect(profile).toContain('(allow file-write* (subpath "/Users/me/a \\"b\\" \\\\c"))');
    expect(profile.indexOf('(deny file-write*)')).toBeLessThan(
      profile.indexOf('(allow file-write* (subpath'),
    );
    expect(profile.indexOf('(deny file-write* (subpath')).toBeGreaterThan(
      profile.indexOf('(allow file-write* (subpath'),
    );
    expect(profile).toContain('(deny network*)');
    expect(seatbeltProfile({ ...odd, allowsNetwork: true })).not.toContain('network');
    const status = { isAvailable: true, kind: 'seatbelt', program: '/usr/bin/sandbox-exec' } as const;
    const argv = sandboxArgv(status, odd, { argv: ['ls', '-l'], cwd: '/' });
    expect(argv).toEqual(['/usr/bin/sandbox-exec', '-p', profile, 'ls', '-l']);
  });

  it('guards what exists in the workspace and hides keys and the state of this program', async () => {
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'crosspoint-policy-')));
    for (const folder of ['ws/.git/hooks', 'home/.ssh', 'state'])
      mkdirSync(path.join(base, folder), { recursive: true });
    const places = {
      workspaceRoot: path.join(base, 'ws'),
      stateFolder: path.join(base, 'state'),
      homeFolder: path.join(base, 'home'),
    };
    expect(await workspacePolicy(places, { isOn: true })).toEqual({
      writable: [path.join(base, 'ws')],
      readOnly: [path.join(base, 'ws/.git/hooks')],
      hidden: [path.join(base, 'home/.ssh'), path.join(base, 'state')],
      allowsNetwork: false,
    });
    rmSync(base, { recursive: true });
  });
});

const searchPath = process.env.PATH ?? '';
const status = await sandboxStatus({ searchPath });
const skipped = status.isAvailable ? '' : ` (skipped: ${status.reason})`;

describe.runIf(status.isAvailable && status.kind === 'bubblewrap')(`a sandboxed command${skipped}`, () => {
  let bench: ShellBench;
  beforeAll(() => {
    bench = new ShellBench();
    bench.searchPath = searchPath;
    bench.resources.set(sandboxSettings, { isOn: true });
    bench.put('.git/hooks/sample', '');
  });
  afterAll(() => bench.dispose());

  const run = (command: string) => bench.succeed(runTerminalCommand, { command });

  it('writes in the workspace and nowhere else', async () => {
    const { content, attachments } = await run(
      `mkdir -p sub && cd sub && echo in > made; echo out > ${bench.outside}/made; echo x > ../.git/hooks/pre-commit`,
    );
    expect(readFileSync(path.join(bench.root, 'sub/made'), 'utf8')).toBe('in\n');
    expect(existsSync(path.join(bench.outside, 'made'))).toBe(false);
    expect(existsSync(path.join(bench.root, '.git/hooks/pre-commit'))).toBe(false);
    expect(content).toMatch(/Read-only file system|No such file/);
    expect(attachments?.cwd).toBe(path.join(bench.root, 'sub'));
  });

  it('has a /tmp of its own, no network and no view of the state folder', async () => {
    const name = `crosspoint-${process.pid}`;
    const { content } = await run(
      `echo x > /tmp/${name}; ls -A ${bench.stateFolder}; ls /sys/class/net; cat /proc/net/dev | tail -n +3 | wc -l`,
    );
    expect(existsSync(`/tmp/${name}`)).toBe(false);
    expect(content).not.toContain('.log');
    expect(content).toMatch(/\b1\n?$/);
  });

  it('is ended with everything inside it', async () => {
    const args = { command: 'sleep 91.25 & setsid sleep 91.25', timeout_ms: 200, timeout_behavior: 'cancel' };
    expect((await bench.fail(runTerminalCommand, args)).error.code).toBe('ETIMEDOUT');
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    expect(processes).not.toMatch(/^sleep 91\.25$/m);
  });
});
