import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AuthAnswer, makeToken, startAuthServer } from '../../../test/support/auth-server.ts';
import { statePaths } from '../../config/index.ts';
import { GatewayError } from '../../core/index.ts';
import type { CliContext } from '../context.ts';
import { createTestCli } from '../fixtures/test-context.ts';
import { runCli } from '../program.ts';
import type { Terminal } from '../terminal.ts';
import { createLoginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { statusCommand } from './status.ts';

const EXCHANGE = 'POST /auth/exchange_user_api_key';
const POLL = 'GET /auth/poll';
const API_KEY = 'crsr_0123456789abcdef';
const TOKEN = makeToken(Date.UTC(2026, 2, 3), 'auth0|ada');

interface Scene {
  readonly answers?: Readonly<Record<string, AuthAnswer>>;
  readonly terminal?: Partial<Terminal>;
  readonly overrides?: Partial<CliContext>;
  readonly isTerminal?: boolean;
}

/** A command line with an account server beside it, and a terminal that does what a test wants. */
async function setUp({ answers = {}, terminal = {}, overrides = {}, isTerminal = false }: Scene = {}) {
  const server = await startAuthServer(answers);
  onTestFinished(() => server.close());
  const printed = { output: '', errors: '' };
  const listeners = new Set<(signal: 'SIGINT') => void>();
  const { context } = createTestCli({
    fetch,
    stdout: {
      isTerminal,
      write: (text) => {
        printed.output += text;
      },
    },
    stderr: {
      isTerminal,
      write: (text) => {
        printed.errors += text;
      },
    },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...overrides,
  });
  const opened: string[] = [];
  const quiet: Terminal = {
    isInteractive: false,
    columns: undefined,
    askSecret: () => Promise.reject(new Error('nobody is there to type')),
    readInput: async () => '',
    openUrl: async (url) => {
      opened.push(url);
      return true;
    },
    sleep: async () => {},
    ...terminal,
  };
  const commands = [createLoginCommand(quiet), logoutCommand, statusCommand];
  const run = async (...argv: string[]) => {
    printed.output = '';
    printed.errors = '';
    const code = await runCli(argv, context, commands);
    return { code, ...printed };
  };
  const at = ['--base-url', server.baseUrl];
  const file = path.join(statePaths(context).home, 'credentials.json');
  const stored = () => JSON.parse(readFileSync(file, 'utf8')).accounts[server.baseUrl];
  const interrupt = () => listeners.forEach((listener) => void listener('SIGINT'));
  return { server, run, at, file, stored, opened, interrupt, listeners };
}

describe('login with an API key', () => {
  const answers = { [EXCHANGE]: { json: { accessToken: TOKEN, refreshToken: 'refresh-secret' } } };

  it('takes it from standard input, tries it and keeps it', async () => {
    const readInput = async () => `${API_KEY}\n`;
    const { run, at, stored, file, server } = await setUp({ answers, terminal: { readInput } });
    const { code, output, errors } = await run('login', '--api-key', ...at);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toBe(`Logged in to ${server.host} as auth0|ada. Saved in ${file}.\n`);
    expect(stored()).toEqual({
      kind: 'api-key',
      apiKey: API_KEY,
      account: 'auth0|ada',
      savedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      'user-agent': 'crosspoint/9.9.9',
    });
  });

  it('asks for it in the dark at a terminal', async () => {
    const questions: string[] = [];
    const askSecret = async (question: string) => {
      questions.push(question);
      return ` ${API_KEY} `;
    };
    const { run, at, stored, server } = await setUp({
      answers,
      terminal: { isInteractive: true, askSecret },
    });
    const { code, output } = await run('login', '--api-key', ...at);
    expect(code).toBe(0);
    expect(questions).toEqual([`API key for ${server.host} (not shown): `]);
    expect(stored().apiKey).toBe(API_KEY);
    expect(output).not.toContain(API_KEY);
  });

  it('keeps nothing when the server refuses it, and does not print it', async () => {
    const { run, at, file } = await setUp({
      answers: { [EXCHANGE]: { status: 401, json: { message: `Invalid key ${API_KEY}` } } },
      terminal: { readInput: async () => API_KEY },
    });
    const { code, output, errors } = await run('login', '--api-key', ...at);
    expect(code).toBe(1);
    expect(errors).toContain('does not accept the API key (status 401: Invalid key [redacted])');
    expect(output + errors).not.toContain(API_KEY);
    expect(existsSync(file)).toBe(false);
  });

  it('is wrong usage without a key, or with one among the arguments', async () => {
    const { run, at, server } = await setUp({ answers });
    const empty = await run('login', '--api-key', ...at);
    expect(empty.code).toBe(2);
    expect(empty.errors).toContain('No API key was given.');
    const shown = await run('login', '--api-key', API_KEY, ...at);
    expect(shown.code).toBe(2);
    expect(shown.errors).not.toContain(API_KEY);
    expect(server.requests).toEqual([]);
  });

  it('ends with 4 when nobody answers and 130 when it is interrupted', async () => {
    const readInput = async () => API_KEY;
    const { run, at, server } = await setUp({ terminal: { readInput } });
    await server.close();
    const dead = await run('login', '--api-key', ...at);
    expect(dead.code).toBe(4);
    expect(dead.errors).toContain(`${server.host} cannot be reached (ECONNREFUSED).`);
    const typed = () => Promise.reject(new GatewayError('cancelled', 'Interrupted.'));
    const left = await setUp({ terminal: { isInteractive: true, askSecret: typed } });
    expect((await left.run('login', '--api-key', ...left.at)).code).toBe(130);
  });
});

describe('login by browser', () => {
  /** Not yet, then done. */
  function pollOnce(): AuthAnswer {
    let polls = 0;
    return () =>
      ++polls < 2
        ? { status: 404 }
        : { json: { accessToken: TOKEN, refreshToken: 'refresh-secret', authId: 'auth0|ada' } };
  }

  it('shows the address and its code, opens it, waits and keeps the tokens', async () => {
    const { run, at, stored, opened, server, listeners } = await setUp({
      answers: { [POLL]: pollOnce() },
      isTerminal: true,
      terminal: { columns: 80 },
    });
    const { code, output, errors } = await run('login', ...at);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const [url = ''] = opened;
    expect(url).toMatch(
      /\/loginDeepControl\?challenge=[\w-]{43}&uuid=[\da-f-]{36}&mode=login&redirectTarget=cli$/,
    );
    expect(output).toContain(`\n  ${url}\n`);
    expect(output).toContain('▄▄▄▄▄');
    expect(output).toContain('A browser was opened.');
    expect(stored()).toMatchObject({ kind: 'login', accessToken: TOKEN, refreshToken: 'refresh-secret' });
    for (const secret of [TOKEN, 'refresh-secret', server.requests[0]?.query.get('verifier') ?? 'none']) {
      expect(output).not.toContain(secret);
    }
    expect(listeners.size).toBe(0);
  });

  it('opens nothing with --no-browser, and draws nothing where it does not fit', async () => {
    const { run, at, opened } = await setUp({
      answers: { [POLL]: pollOnce() },
      isTerminal: true,
      terminal: { columns: 40 },
    });
    const { code, output } = await run('login', '--no-browser', ...at);
    expect(code).toBe(0);
    expect(opened).toEqual([]);
    expect(output).not.toContain('█');
    expect(output).not.toContain('A browser was opened.');
  });

  it('writes plain text into a pipe and opens nothing', async () => {
    const { run, at, opened } = await setUp({ answers: { [POLL]: pollOnce() } });
    const { output } = await run('login', ...at);
    expect(opened).toEqual([]);
    expect(output).not.toContain('█');
  });

  it('stops at Ctrl-C with 130 and keeps nothing', async () => {
    const scene: { interrupt?: () => void } = {};
    const { run, at, file, interrupt } = await setUp({
      answers: { [POLL]: { status: 404 } },
      terminal: { sleep: async () => scene.interrupt?.() },
    });
    scene.interrupt = interrupt;
    expect((await run('login', ...at)).code).toBe(130);
    expect(existsSync(file)).toBe(false);
  });
});

describe('the address of the server', () => {
  it.each([
    ['nonsense', 'It must be an http:// or https:// address.'],
    ['http://ada:secret@example.org', 'It must not hold a user name or password.'],
  ])('%s is wrong usage', async (url, reason) => {
    const { run } = await setUp();
    const { code, errors } = await run('login', '--base-url', url);
    expect(code).toBe(2);
    expect(errors).toContain(reason);
  });

  it('draws a warning when others could listen, and when another key wins', async () => {
    const { run } = await setUp({
      terminal: { readInput: async () => API_KEY },
      overrides: {
        env: { CURSOR_API_KEY: 'crsr_other' },
        fetch: async () => new Response(JSON.stringify({ accessToken: 'opaque' })),
      },
    });
    const clear = await run('login', '--api-key', '--base-url', 'http://backend.example.org');
    expect(clear.errors).toBe(
      '! backend.example.org is reached without TLS: the credential crosses the network in clear. Use https:// if it can.\n',
    );
    const covered = await run('login', '--api-key');
    expect(covered.errors).toContain('! CURSOR_API_KEY is set, and wins over what is stored.');
    expect(covered.errors).not.toContain('crsr_other');
  });
});

describe('logout', () => {
  async function loggedIn(answers: Readonly<Record<string, AuthAnswer>> = {}) {
    const done = { json: { accessToken: TOKEN, refreshToken: 'refresh-secret' } };
    const scene = await setUp({ answers: { [POLL]: done, ...answers } });
    await scene.run('login', ...scene.at);
    return scene;
  }

  it('ends the session at the server and forgets the account', async () => {
    const { run, at, file, server } = await loggedIn({ 'POST /auth/logout': {} });
    expect(await run('logout', ...at)).toEqual({
      code: 0,
      output: `Logged out of ${server.host}. The session is over.\n`,
      errors: '',
    });
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(existsSync(file)).toBe(false);
    expect((await run('logout', ...at)).output).toBe(`No account for ${server.host} is stored here.\n`);
  });

  it('forgets it also when the server is of no help', async () => {
    const { run, at, file } = await loggedIn({ 'POST /auth/logout': { status: 500 } });
    expect((await run('logout', ...at)).output).toContain('The server did not confirm it');
    expect(existsSync(file)).toBe(false);
  });

  it('says that a key goes on working, and asks no server', async () => {
    const { run, at, server } = await setUp({
      answers: { [EXCHANGE]: { json: { accessToken: 'opaque' } } },
      terminal: { readInput: async () => API_KEY },
    });
    await run('login', '--api-key', ...at);
    const before = server.requests.length;
    const { output } = await run('logout', ...at);
    expect(output).toContain('The key itself still works');
    expect(output).not.toContain(API_KEY);
    expect(server.requests).toHaveLength(before);
  });
});

describe('the accounts in status', () => {
  it('are shown with owner, kind and expiry, and without their tokens', async () => {
    const done = { json: { accessToken: TOKEN, refreshToken: 'refresh-secret' } };
    const { run, at, server } = await setUp({ answers: { [POLL]: done } });
    await run('login', ...at);
    const { code, output } = await run('status');
    expect(code).toBe(1); // no gateway runs
    expect(output).toContain(
      `\nAccounts  ${server.baseUrl}  auth0|ada  browser login  token until 2026-03-03, renewed by itself\n`,
    );
    const json = await run('status', '--json');
    expect(JSON.parse(json.output).accounts).toEqual([
      {
        server: server.baseUrl,
        kind: 'login',
        from: 'stored',
        account: 'auth0|ada',
        tokenExpiresAt: '2026-03-03T00:00:00.000Z',
        isRenewable: true,
      },
    ]);
    expect(output + json.output).not.toMatch(/refresh-secret|eyJ/);
  });

  it.each([
    [
      { kind: 'login', accessToken: makeToken(0), refreshToken: 'r' },
      'token expired 1970-01-01, renewed at next use',
    ],
    [{ kind: 'login', accessToken: makeToken(0) }, 'expired 1970-01-01: run crosspoint login again'],
    [{ kind: 'login', accessToken: 'opaque' }, 'unknown user  browser login\n'],
    [{ kind: 'api-key', apiKey: API_KEY, account: 'a\u001b[2J' }, 'a\\x1b[2J  API key\n'],
  ])('tell %j', async (credential, words) => {
    const { run, file, at } = await setUp({
      answers: { [EXCHANGE]: { json: { accessToken: 'opaque' } } },
      terminal: { readInput: async () => API_KEY },
    });
    await run('login', '--api-key', ...at);
    writeFileSync(file, JSON.stringify({ accounts: { 'example.org': { ...credential, savedAtMs: 0 } } }));
    expect((await run('status')).output).toContain(words);
  });

  it('include the key of the environment, which is not shown, and survive a damaged file', async () => {
    const { run, file, at } = await setUp({
      answers: { [EXCHANGE]: { json: { accessToken: 'opaque' } } },
      terminal: { readInput: async () => API_KEY },
      overrides: { env: { CURSOR_API_KEY: 'crsr_other' } },
    });
    await run('login', '--api-key', ...at);
    writeFileSync(file, 'x');
    const { output } = await run('status');
    expect(output).toContain('Accounts  api2.cursor.sh  API key from CURSOR_API_KEY\n');
    expect(output).toContain(`✗ The credentials in ${file} are damaged.`);
    expect(output).not.toContain('crsr_other');
  });
});
