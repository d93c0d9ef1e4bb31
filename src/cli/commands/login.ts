import { randomBytes, randomUUID } from 'node:crypto';
import { Command } from 'commander';
import type { StoredCredential } from '../../config/credentials.ts';
import { GatewayError, omitUndefined } from '../../core/index.ts';
import type { Backend, Grant } from '../../dialects/cursor-agent/account/index.ts';
import { type AccountDesk, cleartextWarning, openAccountDesk, parseBaseUrl } from '../account-desk.ts';
import { printable } from '../ansi.ts';
import { type CreateCommand, examples, stdoutAnsi } from '../command.ts';
import type { CliContext } from '../context.ts';
import { drawQrCode, qrCodeWidth } from '../draw-qr-code.ts';
import { encodeQrCode } from '../qr-code.ts';
import { processTerminal, type Terminal } from '../terminal.ts';

interface LoginFlags {
  readonly apiKey?: boolean;
  readonly browser: boolean;
  readonly baseUrl?: string;
}

export function createLoginCommand(terminal: Terminal): CreateCommand {
  return (context) =>
    new Command('login')
      .summary('log in to a Cursor account')
      .description(
        'Stores an account for upstreams of the kind cursor-agent: an API key (recommended), or a login by browser. ' +
          "Its use with Cursor's servers is your own decision under Cursor's terms.",
      )
      .option('--api-key', 'store an API key instead; it is asked for, or read from standard input')
      .option('--no-browser', 'only show the address and its QR code')
      .option('--base-url <url>', 'another server of the same protocol', parseBaseUrl)
      .addHelpText(
        'after',
        examples(
          ['crosspoint login --api-key', 'asks for the key'],
          ['crosspoint login --api-key < key.txt', 'for scripts'],
          ['crosspoint login', 'by browser'],
          ['crosspoint login --no-browser', 'with the browser of another machine or a phone'],
          ['crosspoint login --base-url http://127.0.0.1:9000', 'a backend of your own'],
        ),
      )
      .action((flags: LoginFlags) => login(context, terminal, flags));
}

export const loginCommand: CreateCommand = createLoginCommand(processTerminal);

type AccountModule = typeof import('../../dialects/cursor-agent/account/index.ts');

async function login(context: CliContext, terminal: Terminal, flags: LoginFlags): Promise<void> {
  const account = await import('../../dialects/cursor-agent/account/index.ts');
  const baseUrl = flags.baseUrl ?? account.CURSOR_BASE_URL;
  const userAgent = `crosspoint/${context.version}`;
  const call = account.createFetchCall({ baseUrl, fetch: context.fetch, userAgent });
  const backend: Backend = { baseUrl, call };
  const desk = openAccountDesk(context, baseUrl);
  context.stderr.write(cleartextWarning(baseUrl));
  const interrupt = new AbortController();
  const stopListening = context.onSignal(() => interrupt.abort());
  try {
    const attempt = { context, terminal, account, backend, desk, signal: interrupt.signal };
    await (flags.apiKey ? loginWithKey(attempt) : loginWithBrowser(attempt, flags.browser));
  } finally {
    stopListening();
  }
}

interface Attempt {
  readonly context: CliContext;
  readonly terminal: Terminal;
  readonly account: AccountModule;
  readonly backend: Backend;
  readonly desk: AccountDesk;
  readonly signal: AbortSignal;
}

async function loginWithKey(attempt: Attempt): Promise<void> {
  const { terminal, account, backend, desk, signal } = attempt;
  const apiKey = await readKey(terminal, desk.host);
  const grant = await account.exchangeApiKey(backend, apiKey, signal);
  await keep(attempt, grant, { kind: 'api-key', apiKey });
}

async function readKey(terminal: Terminal, host: string): Promise<string> {
  const typed = terminal.isInteractive
    ? await terminal.askSecret(`API key for ${host} (not shown): `)
    : await terminal.readInput();
  const apiKey = typed.trim();
  if (apiKey !== '') return apiKey;
  throw new GatewayError(
    'invalid-request',
    'No API key was given. Type it at the prompt, or pipe it in: crosspoint login --api-key < key.txt',
  );
}

async function loginWithBrowser(attempt: Attempt, wantsBrowser: boolean): Promise<void> {
  const { context, terminal, account, backend, desk, signal } = attempt;
  const started = account.startBrowserLogin(backend.baseUrl, randomBytes(32), randomUUID());
  context.stdout.write(`Log in to ${desk.host} in a browser, at this address:\n\n  ${started.url}\n\n`);
  context.stdout.write(drawAddress(context, terminal, started.url));
  const isOpen =
    wantsBrowser && context.stdout.isTerminal && (await terminal.openUrl(started.url, context.env));
  context.stdout.write(`${isOpen ? 'A browser was opened. ' : ''}Waiting for the login; Ctrl-C stops.\n`);
  const { sleep } = terminal;
  const grant = await account.awaitBrowserLogin(backend, started, { signal, sleep });
  const { accessToken, refreshToken } = grant;
  await keep(attempt, grant, omitUndefined({ kind: 'login' as const, accessToken, refreshToken }));
}

/** For eyes only, and only where it fits: half a code helps nobody. */
function drawAddress(context: CliContext, terminal: Terminal, url: string): string {
  if (!context.stdout.isTerminal) return '';
  const code = encodeQrCode(url);
  if (terminal.columns !== undefined && terminal.columns < qrCodeWidth(code)) return '';
  const isColoured = !context.env.NO_COLOR && context.env.TERM !== 'dumb';
  return `${drawQrCode(code, isColoured)}\n\n`;
}

/** Distributes over the union, which a plain Omit does not. */
type Unsaved<Kind> = Kind extends unknown ? Omit<Kind, 'savedAtMs' | 'account'> : never;

async function keep(attempt: Attempt, grant: Grant, unsaved: Unsaved<StoredCredential>): Promise<void> {
  const { context, account, backend, desk, signal } = attempt;
  const owner = await account.readAccountName(backend, grant, signal);
  const credential = omitUndefined({ ...unsaved, account: owner, savedAtMs: context.nowMs() });
  const place = await desk.vault.write(desk.name, credential);
  const who = stdoutAnsi(context).bold(printable(owner ?? 'a user without a name'));
  context.stdout.write(`Logged in to ${desk.host} as ${who}. Saved in ${place}.\n`);
  if (context.env.CURSOR_API_KEY && desk.baseUrl === account.CURSOR_BASE_URL) {
    context.stderr.write(
      '! CURSOR_API_KEY is set, and wins over what is stored. Unset it to use this account.\n',
    );
  }
}
