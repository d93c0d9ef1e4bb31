import { Command } from 'commander';
import type { StoredCredential } from '../../config/credentials.ts';
import { type AccountDesk, openAccountDesk, parseBaseUrl } from '../account-desk.ts';
import { type CreateCommand, examples } from '../command.ts';
import type { CliContext } from '../context.ts';

const TIMEOUT_MS = 10_000;

export const logoutCommand: CreateCommand = (context) =>
  new Command('logout')
    .summary('forget a Cursor account')
    .description(
      'Removes the stored account, and ends its session at the server if it came from a login by browser.',
    )
    .option('--base-url <url>', 'another server of the same protocol', parseBaseUrl)
    .addHelpText(
      'after',
      examples(
        ['crosspoint logout', "forgets the account at Cursor's servers"],
        ['crosspoint logout --base-url http://127.0.0.1:9000', 'the one at a backend of your own'],
      ),
    )
    .action((flags: { baseUrl?: string }) => logout(context, flags.baseUrl));

async function logout(context: CliContext, wantedUrl: string | undefined): Promise<void> {
  const { CURSOR_BASE_URL } = await import('../../dialects/cursor-agent/account/index.ts');
  const desk = openAccountDesk(context, wantedUrl ?? CURSOR_BASE_URL);
  const stored = await desk.vault.read(desk.name);
  if (stored) {
    const note = await tellServer(context, desk, stored);
    await desk.vault.remove(desk.name);
    context.stdout.write(`Logged out of ${desk.host}. ${note}\n`);
  } else context.stdout.write(`No account for ${desk.host} is stored here.\n`);
  if (context.env.CURSOR_API_KEY && desk.baseUrl === CURSOR_BASE_URL) {
    context.stderr.write('! CURSOR_API_KEY is still set in the environment and goes on being used.\n');
  }
}

/** What became of the account at its server. Being forgotten here must not depend on it. */
async function tellServer(context: CliContext, desk: AccountDesk, stored: StoredCredential): Promise<string> {
  if (stored.kind === 'api-key') {
    return 'The key itself still works: revoke it where it was made if nobody needs it.';
  }
  const { createFetchCall, endSession } = await import('../../dialects/cursor-agent/account/index.ts');
  const { baseUrl } = desk;
  const userAgent = `crosspoint/${context.version}`;
  const call = createFetchCall({ baseUrl, fetch: context.fetch, timeoutMs: TIMEOUT_MS, userAgent });
  const isEnded = await endSession(
    { baseUrl, call },
    stored.accessToken,
    AbortSignal.timeout(TIMEOUT_MS),
  ).catch(() => false);
  return isEnded
    ? 'The session is over.'
    : 'The server did not confirm it; the session there ends when its token expires.';
}
