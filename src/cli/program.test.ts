import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../core/index.ts';
import { createAnsi, formatTable, printable } from './ansi.ts';
import { exitCodeOf } from './exit-codes.ts';
import { createTestCli } from './fixtures/test-context.ts';
import { formatDuration } from './gateway-status.ts';
import { readVersion } from './read-version.ts';

const VERBS = [
  'serve',
  'status',
  'models',
  'keys',
  'connect',
  'login',
  'logout',
  'tools',
  'modes',
  'policy',
  'approvals',
  'doctor',
  'demo',
];

describe('the program', () => {
  it('shows every command without arguments and with --help', async () => {
    const cli = createTestCli();
    for (const argv of [[], ['--help']]) {
      const { code, output } = await cli.run(...argv);
      expect(code).toBe(0);
      for (const verb of VERBS) expect(output).toMatch(new RegExp(`^  ${verb} `, 'm'));
    }
  });

  it.each([
    ...VERBS.map((verb) => [verb]),
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'revoke'],
    ['policy', 'check'],
  ])('has a help text with examples for %s %s', async (...argv) => {
    const { code, output, errors } = await createTestCli().run(...argv.filter(Boolean), '--help');
    expect(code).toBe(0);
    expect(errors).toBe('');
    expect(output).toContain(`Usage: crosspoint ${argv.filter(Boolean).join(' ')}`);
    expect(output).toContain('Examples:\n  ');
  });

  it('prints its version', async () => {
    expect(await createTestCli().run('--version')).toMatchObject({ code: 0, output: '9.9.9\n' });
    const manifest: unknown = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(manifest).toMatchObject({ version: readVersion() });
  });

  it.each([
    [['sevre'], "unknown command 'sevre'"],
    [['serve', '--prot', '1'], "unknown option '--prot'"],
    [['connect'], "missing required argument 'client'"],
    [['connect', 'emacs'], 'Allowed choices are opencode'],
    [['keys', 'create', 'x', '--rpm', 'many'], 'It must be a whole number above zero.'],
    [['serve', '--config', 'nope.yaml'], 'There is no configuration file'],
    [['serve', '--upstream', 'x'], 'the kind is missing'],
  ])('ends %j with exit code 2 and a reason', async (argv, reason) => {
    const { code, output, errors } = await createTestCli().run(...argv);
    expect(code).toBe(2);
    expect(output).toBe('');
    expect(errors).toContain(reason);
  });

  it('maps failures to the exit codes it promises', () => {
    expect(exitCodeOf(new GatewayError('invalid-request', ''))).toBe(2);
    expect(exitCodeOf(new GatewayError('permission-denied', ''))).toBe(3);
    expect(exitCodeOf(new GatewayError('upstream-unavailable', ''))).toBe(4);
    expect(exitCodeOf(new GatewayError('cancelled', ''))).toBe(130);
    expect(exitCodeOf(new Error('x'))).toBe(1);
  });

  it('keeps secrets out of error messages', async () => {
    const startGateway = () => Promise.reject(new Error('refused: Bearer sk-abcdefghijklmnop123'));
    const { code, errors } = await createTestCli({ startGateway }).run('serve');
    expect(code).toBe(1);
    expect(errors).not.toContain('sk-abcdefghijklmnop123');
  });
});

describe('text for the terminal', () => {
  it('is coloured on a terminal only, and never against NO_COLOR', () => {
    expect(createAnsi(true, {}).red('x')).toBe('\u001b[31mx\u001b[39m');
    expect(createAnsi(false, {}).red('x')).toBe('x');
    expect(createAnsi(true, { NO_COLOR: '1' }).red('x')).toBe('x');
  });

  it('cannot be steered by strangers', () => {
    expect(printable('a\u001b[2Jb\tc\n')).toBe('a\\x1b[2Jb\tc\n');
  });

  it('stands in columns', () => {
    expect(
      formatTable([
        ['a', 'bb', 'c'],
        ['aaa', 'b', ''],
      ]),
    ).toBe('a    bb  c\naaa  b');
  });

  it.each([
    [0, '0 s'],
    [59_000, '59 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ])('says %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
