// The browser login of native clients: a page that asks for a gateway key, or for one click where none is needed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import type { Authenticator } from '../auth.ts';
import type { Exchange } from '../exchange.ts';
import { httpStatusOf } from '../http-error.ts';
import type { Route } from '../router.ts';
import { publicError } from '../turn-handler.ts';
import { LOGIN_PAGE_HEADERS, renderLoginPage } from './login-page.ts';
import { checkLogin, type PendingLogins } from './pending-logins.ts';

export interface LoginRoutesOptions {
  readonly authenticator: Authenticator;
  readonly authMode: 'none' | 'keys';
  /** Ties the form of the page to the page. */
  readonly tokenSecret: Buffer;
  readonly redact: (text: string) => string;
  readonly onUnexpected: (thrown: unknown) => void;
}

/** Official clients use the first; the second is known from an older one. */
const LOGIN_PATHS = ['/loginDeepControl', '/loginDeepPage'];
const MAX_FORM_BYTES = 64 * 1024;

export function createLoginRoutes(options: LoginRoutesOptions, logins: PendingLogins): Route[] {
  return LOGIN_PATHS.flatMap((path) => loginRoutes(path, options, logins));
}

function loginRoutes(path: string, options: LoginRoutesOptions, logins: PendingLogins): Route[] {
  const asksForKey = options.authMode === 'keys';
  const seal = ({ uuid, challenge }: { uuid: string; challenge: string }) =>
    createHmac('sha256', options.tokenSecret).update(`login\n${uuid}\n${challenge}`).digest('base64url');

  const showForm = (exchange: Exchange, login: { uuid: string; challenge: string }, problem?: string) => {
    const lines = [
      'A client on your side asks for access to this gateway. Go on only if you have just started a login yourself.',
      `Request ${login.uuid.slice(0, 8)}.`,
      ...(problem === undefined ? [] : [problem]),
    ];
    const hidden = { ...login, seal: seal(login) };
    const page = renderLoginPage({ title: 'Log in', lines, form: { action: path, hidden, asksForKey } });
    exchange.sendBytes(problem === undefined ? 200 : 401, page, LOGIN_PAGE_HEADERS);
  };
  const doc = { summary: 'The page of a browser login', tag: 'native clients', auth: 'none' } as const;

  return [
    {
      method: 'GET',
      path,
      doc,
      handle: guardPage(options, async (exchange) => {
        showForm(exchange, checkLogin(exchange.query.get('uuid'), exchange.query.get('challenge')));
      }),
    },
    {
      method: 'POST',
      path,
      doc,
      handle: guardPage(options, async (exchange) => {
        const form = await readForm(exchange);
        const login = checkLogin(form.get('uuid'), form.get('challenge'));
        // Only our own page knows the seal, and no other page can read ours.
        if (!isSame(form.get('seal') ?? '', seal(login))) {
          throw new GatewayError(
            'permission-denied',
            'This form is not ours; open the link of your client again.',
          );
        }
        const key = form.get('key')?.trim() || undefined;
        try {
          const tokens = await options.authenticator.sessions.open(key, exchange.remoteAddress);
          logins.agree(login.uuid, login.challenge, tokens);
        } catch (thrown) {
          const error = publicError(thrown, options);
          if (error.code !== 'unauthenticated') throw error;
          showForm(exchange, login, error.message);
          return;
        }
        const page = renderLoginPage({
          title: 'Done',
          lines: ['You are logged in. Go back to your client.'],
        });
        exchange.sendBytes(200, page, LOGIN_PAGE_HEADERS);
      }),
    },
  ];
}

/** People read these errors in a browser. */
function guardPage(
  options: LoginRoutesOptions,
  handle: (exchange: Exchange) => Promise<void>,
): Route['handle'] {
  return async (exchange) => {
    try {
      await handle(exchange);
    } catch (thrown) {
      const error = publicError(thrown, options);
      const page = renderLoginPage({ title: 'This login cannot go on', lines: [error.message] });
      exchange.sendBytes(httpStatusOf(error.code), page, LOGIN_PAGE_HEADERS);
    }
  };
}

async function readForm(exchange: Exchange): Promise<URLSearchParams> {
  const type = exchange.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw invalidRequest('This page takes the form it shows and nothing else.');
  }
  const bytes = await exchange.readBody(MAX_FORM_BYTES);
  return new URLSearchParams(Buffer.from(bytes).toString('utf8'));
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
