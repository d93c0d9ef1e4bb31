import { GatewayError, omitUndefined } from '../core/index.ts';
import { CURSOR_BASE_URL } from '../dialects/cursor-agent/account/login-advice.ts';
import { readTokenClaims } from '../dialects/cursor-agent/account/token-claims.ts';
import { openVault } from './account-desk.ts';
import { type Ansi, formatTable, printable } from './ansi.ts';
import type { CliContext } from './context.ts';

/** What is known of an account without asking its server, and without its secrets. */
export interface AccountStatus {
  readonly server: string;
  readonly kind: 'login' | 'api-key';
  readonly from: 'stored' | 'CURSOR_API_KEY';
  readonly account?: string;
  /** When the current access token ends; it is renewed before, if it can be. */
  readonly tokenExpiresAt?: string;
  readonly isRenewable: boolean;
}

export interface Accounts {
  readonly accounts: readonly AccountStatus[];
  /** Why stored accounts cannot be shown. */
  readonly error?: string;
}

export async function readAccounts(context: CliContext): Promise<Accounts> {
  const fromEnvironment: AccountStatus[] = context.env.CURSOR_API_KEY
    ? [{ server: new URL(CURSOR_BASE_URL).host, kind: 'api-key', from: 'CURSOR_API_KEY', isRenewable: true }]
    : [];
  try {
    const vault = openVault(context);
    const stored = await Promise.all(
      (await vault.names()).map(async (server): Promise<AccountStatus[]> => {
        const credential = await vault.read(server);
        if (!credential) return [];
        const { kind, account } = credential;
        if (kind === 'api-key')
          return [omitUndefined({ server, kind, from: 'stored' as const, account, isRenewable: true })];
        const { expiresAtMs } = readTokenClaims(credential.accessToken);
        const tokenExpiresAt = expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString();
        const isRenewable = credential.refreshToken !== undefined;
        return [
          omitUndefined({ server, kind, from: 'stored' as const, account, tokenExpiresAt, isRenewable }),
        ];
      }),
    );
    return { accounts: [...fromEnvironment, ...stored.flat()] };
  } catch (thrown) {
    return { accounts: fromEnvironment, error: GatewayError.from(thrown).message };
  }
}

/** One line for each account; nothing where there is none, since not everybody wants one. */
export function formatAccounts({ accounts, error }: Accounts, nowMs: number, ansi: Ansi): string {
  const rows = accounts.map((account) => describeAccount(account, nowMs));
  if (error !== undefined) rows.push(`${ansi.red('✗')} ${printable(error)}`);
  if (rows.length === 0) return '';
  return `${formatTable(rows.map((row, index) => [index === 0 ? 'Accounts' : '', row]))}\n`;
}

function describeAccount(status: AccountStatus, nowMs: number): string {
  const { server, kind, from, account = 'unknown user' } = status;
  if (from !== 'stored') return `${server}  API key from ${from}`;
  const what = kind === 'api-key' ? 'API key' : 'browser login';
  const parts = [printable(server), printable(account), what, describeExpiry(status, nowMs)];
  return parts.filter((part) => part !== undefined).join('  ');
}

function describeExpiry({ tokenExpiresAt, isRenewable }: AccountStatus, nowMs: number): string | undefined {
  if (tokenExpiresAt === undefined) return undefined;
  const day = tokenExpiresAt.slice(0, 10);
  if (Date.parse(tokenExpiresAt) > nowMs)
    return `token until ${day}${isRenewable ? ', renewed by itself' : ''}`;
  return isRenewable
    ? `token expired ${day}, renewed at next use`
    : `expired ${day}: run crosspoint login again`;
}
