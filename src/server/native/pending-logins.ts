// Browser logins of native clients, as the official ones do them: the client keeps a verifier, opens a page with its
// SHA-256 (PKCE, RFC 7636) and polls with the verifier until somebody has agreed on the page.
import { createHash, timingSafeEqual } from 'node:crypto';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import type { TokenPair } from './session-tokens.ts';

interface AgreedLogin {
  readonly challenge: string;
  readonly tokens: TokenPair;
  readonly expiresAtMs: number;
}

/** Clients poll for some minutes; what nobody fetches by then is forgotten. */
const KEEP_MS = 10 * 60_000;
const MAX_PENDING = 1_000;

export class PendingLogins {
  readonly #nowMs: () => number;
  readonly #agreed = new Map<string, AgreedLogin>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Somebody agreed: whoever holds the verifier of this challenge may fetch the tokens. */
  agree(uuid: string, challenge: string, tokens: TokenPair): void {
    const nowMs = this.#nowMs();
    for (const [known, { expiresAtMs }] of this.#agreed) {
      if (expiresAtMs <= nowMs || this.#agreed.size >= MAX_PENDING) this.#agreed.delete(known);
    }
    this.#agreed.set(uuid, { challenge, tokens, expiresAtMs: nowMs + KEEP_MS });
  }

  /** Undefined while nobody has agreed; throws for a wrong verifier. The same client may fetch twice. */
  fetch(uuid: string, verifier: string): TokenPair | undefined {
    const login = this.#agreed.get(uuid);
    if (!login || login.expiresAtMs <= this.#nowMs()) return undefined;
    const challenge = createHash('sha256').update(verifier).digest();
    if (!timingSafeEqual(challenge, Buffer.from(login.challenge, 'base64url'))) {
      throw new GatewayError(
        'permission-denied',
        'The verifier does not belong to this login; start it anew.',
      );
    }
    return login.tokens;
  }
}

/** Both come from a stranger's link. */
export function checkLogin(
  uuid: string | null | undefined,
  challenge: string | null | undefined,
): { readonly uuid: string; readonly challenge: string } {
  if (!uuid || !/^[\w-]{8,128}$/.test(uuid)) {
    throw invalidRequest('The link has no usable uuid; start the login anew from your client.', 'uuid');
  }
  if (!challenge || !/^[\w-]{43}$/.test(challenge)) {
    throw invalidRequest(
      'The link has no usable challenge (a SHA-256 in base64url); start the login anew from your client.',
      'challenge',
    );
  }
  return { uuid, challenge };
}
