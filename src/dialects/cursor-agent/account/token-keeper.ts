import { GatewayError } from '../../../core/index.ts';
import type { AgentCredentials } from '../agent-connection.ts';
import { readTokenClaims } from './token-claims.ts';

/** Something that tokens can be fetched with. */
export interface TokenSource {
  /** Tells one source from another; never shown. */
  readonly secret: string;
  /** A token that came with it and may still be good. */
  readonly token?: string;
  renew(signal: AbortSignal): Promise<RenewedToken>;
}

export interface RenewedToken {
  readonly token: string;
  /** The secret of the source from now on; refresh tokens may be good for one use only. */
  readonly secret: string;
}

export interface TokenKeeperOptions {
  readonly host: string;
  /** Asked whenever a token is needed; throws when there is nobody to log in as. */
  readonly findSource: () => Promise<TokenSource>;
  readonly nowMs: () => number;
  readonly onSecret?: (secret: string) => void;
}

const MINUTE_MS = 60_000;
const RENEW_BEFORE_MS = 5 * MINUTE_MS;
/** The least time between two renewals, whatever clocks and tokens say. */
const RENEW_PAUSE_MS = 30_000;
/** A token refused this soon was never good; after two of them in a row nothing is fetched for as long. */
const FRESH_MS = MINUTE_MS;
const RENEWAL_TIMEOUT_MS = 2 * MINUTE_MS;
const MAX_REFUSED = 16;

interface HeldToken {
  readonly token: string;
  readonly secret: string;
  readonly expiresAtMs: number;
  /** Absent for a token that was stored: nobody knows how old it is. */
  readonly fetchedAtMs?: number;
  renewAtMs: number;
}

/** Holds the current token, fetches the next one once for all who wait, and does not hammer a backend that says no. */
export class TokenKeeper implements AgentCredentials {
  readonly #options: TokenKeeperOptions;
  #held: HeldToken | undefined;
  /** The newest last; older ones are long expired or forgotten by all. */
  readonly #refused = new Set<string>();
  #freshRefusals = 0;
  #renewal: Promise<string> | undefined;
  #blocked: { readonly secret: string; readonly error: GatewayError; readonly untilMs: number } | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  async accessToken(signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw cancelled();
    const held = this.#held;
    if (held && !this.#refused.has(held.token) && this.#options.nowMs() < held.renewAtMs) return held.token;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return unlessAborted(this.#renewal, signal);
  }

  refuse(token: string): void {
    const held = this.#held;
    // Several turns hear of the same refusal; only the first one is news.
    if (held?.token !== token || this.#refused.has(token)) return;
    this.#refused.add(token);
    for (const oldest of this.#refused) if (this.#refused.size > MAX_REFUSED) this.#refused.delete(oldest);
    const nowMs = this.#options.nowMs();
    const isFresh = held.fetchedAtMs !== undefined && nowMs - held.fetchedAtMs < FRESH_MS;
    this.#freshRefusals = isFresh ? this.#freshRefusals + 1 : 0;
    if (this.#freshRefusals < 2) return;
    this.#freshRefusals = 0;
    this.#block(held.secret, this.#refusedError());
  }

  /** Belongs to all callers, so that none of them can cancel it for the others. */
  async #renew(): Promise<string> {
    const { findSource, nowMs } = this.#options;
    const source = await findSource();
    this.#tellSecrets(source);
    const adopted = this.#adopt(source);
    if (adopted !== undefined) return adopted;
    try {
      const blocked = this.#blocked;
      if (blocked?.secret === source.secret && nowMs() < blocked.untilMs) throw blocked.error;
      const renewed = await source.renew(AbortSignal.timeout(RENEWAL_TIMEOUT_MS));
      this.#tellSecrets(renewed);
      const { token, secret } = renewed;
      if (this.#refused.has(token)) throw this.#refusedError();
      this.#hold(token, secret, nowMs());
      return token;
    } catch (thrown) {
      const error = GatewayError.from(thrown);
      if (error.code === 'unauthenticated' && error !== this.#blocked?.error)
        this.#block(source.secret, error);
      return this.#makeDo(source, error);
    }
  }

  /** The token in hand works until it expires, even though a new one is due and does not come. */
  #makeDo(source: TokenSource, error: GatewayError): string {
    const held = this.#held;
    const nowMs = this.#options.nowMs();
    if (held?.secret !== source.secret || this.#refused.has(held.token) || nowMs >= held.expiresAtMs)
      throw error;
    held.renewAtMs = Math.min(nowMs + RENEW_PAUSE_MS, held.expiresAtMs);
    return held.token;
  }

  /** A stored token that is not refused is better than none, but returned only when it is not yet due for renewal. */
  #adopt({ token, secret }: TokenSource): string | undefined {
    if (token === undefined || this.#refused.has(token)) return undefined;
    const isGood = this.#options.nowMs() < expiryOf(token) - RENEW_BEFORE_MS;
    if (isGood || this.#held === undefined) this.#hold(token, secret);
    return isGood ? token : undefined;
  }

  #hold(token: string, secret: string, fetchedAtMs?: number): void {
    const expiresAtMs = expiryOf(token);
    const held = { token, secret, expiresAtMs };
    if (fetchedAtMs === undefined) {
      this.#held = { ...held, renewAtMs: expiresAtMs - RENEW_BEFORE_MS };
      return;
    }
    const marginMs = Math.min(RENEW_BEFORE_MS, Math.max(0, expiresAtMs - fetchedAtMs) / 10);
    // A clock that is wrong makes every new token look old.
    const renewAtMs = Math.max(expiresAtMs - marginMs, fetchedAtMs + RENEW_PAUSE_MS);
    this.#held = { ...held, renewAtMs, fetchedAtMs };
  }

  #tellSecrets({ token, secret }: { readonly token?: string; readonly secret: string }): void {
    this.#options.onSecret?.(secret);
    if (token !== undefined) this.#options.onSecret?.(token);
  }

  #block(secret: string, error: GatewayError): void {
    this.#blocked = { secret, error, untilMs: this.#options.nowMs() + FRESH_MS };
  }

  #refusedError(): GatewayError {
    return new GatewayError(
      'unauthenticated',
      `${this.#options.host} refuses even tokens that it has just handed out. Check the account and its plan, then ` +
        'run `crosspoint login` again or set another CURSOR_API_KEY.',
    );
  }
}

/** Opaque tokens are good until they are refused. */
function expiryOf(token: string): number {
  return readTokenClaims(token).expiresAtMs ?? Number.POSITIVE_INFINITY;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function cancelled(): GatewayError {
  return new GatewayError('cancelled', 'The request was cancelled.');
}
