import { auth } from '@modelcontextprotocol/client';
import { McpFault } from './mcp-fault.ts';
import type { OAuthSession } from './oauth-session.ts';
import { orAbort } from './or-abort.ts';

/** A browser, and an address that it can be sent back to; whoever may open sockets and windows provides it. */
export interface SignInPort {
  begin(server: string, signal: AbortSignal): Promise<SignInAttempt>;
}

export interface SignInAttempt {
  readonly redirectUrl: string;
  /** Leads the user to the address; it may be opened or printed. */
  show(url: URL): void | Promise<void>;
  /** What the browser came back with. */
  readonly answer: Promise<URLSearchParams>;
  close(): void | Promise<void>;
}

export interface SignInOptions {
  readonly server: string;
  readonly url: URL;
  readonly session: OAuthSession;
  readonly port: SignInPort;
  readonly signal: AbortSignal;
}

/** Returns when the server's tokens are stored. */
export async function signIn({ server, url, session, port, signal }: SignInOptions): Promise<void> {
  const attempt = await port.begin(server, signal);
  // Nobody may be listening any more when it comes.
  attempt.answer.catch(() => undefined);
  try {
    session.beginSignIn(attempt.redirectUrl, (address) => attempt.show(address));
    if ((await auth(session, { serverUrl: url })) === 'AUTHORIZED') return;
    const answer = await orAbort(
      attempt.answer,
      signal,
      () => new McpFault('ECANCELED', `The sign-in to ${server} was cancelled.`),
    );
    if (!session.isOwnState(answer.get('state')))
      throw new McpFault(
        'EACCES',
        `The answer to the sign-in to ${server} does not belong to it. Start again.`,
      );
    const code = answer.get('code');
    const iss = answer.get('iss');
    if (code === null) {
      const reason = /^[a-z_]{1,40}$/.exec(answer.get('error') ?? '')?.[0] ?? 'no code';
      throw new McpFault('EACCES', `The sign-in to ${server} was refused (${reason}).`);
    }
    const options = { serverUrl: url, authorizationCode: code };
    await auth(session, iss === null ? options : { ...options, iss });
  } finally {
    session.endSignIn();
    await attempt.close();
  }
}
