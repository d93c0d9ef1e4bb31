// Login by browser: the page shows who wants in, the backend hands the tokens to whoever knows the verifier. Known from
// the official CLI and public clients. Guessed: that other backends keep the page under their own address.
import { createHash } from 'node:crypto';
import { GatewayError } from '../../../core/index.ts';
import type { AccountAnswer } from './account-call.ts';
import type { Backend } from './auth-endpoints.ts';
import { decodeGrant, type Grant, isSuccess, refusalWords } from './grant.ts';

const LOGIN_PAGE = 'https://cursor.com';
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;
const WAIT_GROWTH = 1.2;
const MAX_POLLS = 150;
/** A backend that was never reached will not be reached in a quarter of an hour either. */
const MAX_FAILURES_IN_A_ROW = 5;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 410]);

export interface LoginAttempt {
  /** For the browser; holds nothing secret. */
  readonly url: string;
  readonly uuid: string;
  readonly verifier: string;
}

/** `secret` are 32 random bytes; they never leave but to the backend itself. */
export function startBrowserLogin(baseUrl: string, secret: Uint8Array, uuid: string): LoginAttempt {
  const verifier = Buffer.from(secret).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const url = new URL('/loginDeepControl', loginPageOf(baseUrl));
  url.search = new URLSearchParams({ challenge, uuid, mode: 'login', redirectTarget: 'cli' }).toString();
  return { url: url.href, uuid, verifier };
}

function loginPageOf(baseUrl: string): string {
  const { hostname, origin } = new URL(baseUrl);
  return hostname.endsWith('.cursor.sh') ? LOGIN_PAGE : origin;
}

export interface AwaitLoginOptions {
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Asks, ever more slowly, whether the browser is done. */
export async function awaitBrowserLogin(
  { baseUrl, call }: Backend,
  { uuid, verifier }: LoginAttempt,
  { signal, sleep }: AwaitLoginOptions,
): Promise<Grant> {
  const { host } = new URL(baseUrl);
  const path = `/auth/poll?${new URLSearchParams({ uuid, verifier })}`;
  const poll = () => call({ method: 'GET', path, headers: {}, signal });
  let failures = 0;
  for (let polls = 0, waitMs = FIRST_WAIT_MS; polls < MAX_POLLS; polls++) {
    await sleep(waitMs, signal);
    waitMs = Math.min(waitMs * WAIT_GROWTH, LONGEST_WAIT_MS);
    const answer = await poll().catch((thrown: unknown) => passingFault(thrown));
    if (answer instanceof GatewayError) {
      failures++;
      if (failures >= MAX_FAILURES_IN_A_ROW) throw answer;
      continue;
    }
    failures = 0;
    if (isSuccess(answer)) return decodeGrant(answer, host);
    refuseIfFinal(answer, host, verifier);
  }
  throw new GatewayError(
    'deadline-exceeded',
    `Nobody logged in at ${host} in time. Run \`crosspoint login\` again, or log in with an API key: --api-key.`,
  );
}

function passingFault(thrown: unknown): GatewayError {
  const error = GatewayError.from(thrown);
  if (error.retryable) return error;
  throw error;
}

/** 404 means: not yet. What else is no refusal passes, 429 and 5xx included. */
function refuseIfFinal(answer: AccountAnswer, host: string, verifier: string): void {
  if (!REFUSALS.has(answer.status)) return;
  throw new GatewayError(
    'unauthenticated',
    `${host} refused the login (${refusalWords(answer, verifier)}). Run \`crosspoint login\` again.`,
    { detail: { upstreamStatus: answer.status } },
  );
}
