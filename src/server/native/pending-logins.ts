// Browser logins of native clients, as the official ones do them: the client keeps a verifier, opens a page with its
// SHA-256 (PKCE, RFC 7636) and polls with the verifier until somebody has agreed on the page.
import { createHash } from 'node:crypto';
import { GatewayError, invalidRequest } from '../../core/index.ts';
import type { TokenPair } from './session-tokens.ts';

interface AgreedLogin {
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

  /**
   * Somebody agreed: whoever holds the verifier of this challenge may fetch the tokens. Kept by both, so that knowing a
   * uuid is not enough to push a login aside; and the first agreement stays, so that nobody slips a key of their own into
   * a login that has been agreed to.
   */
  agree(uuid: string, challenge: string, tokens: TokenPair): void {
    const nowMs = this.#nowMs();
    for (const [known, { expiresAtMs }] of this.#agreed) {
      if (expiresAtMs <= nowMs || this.#agreed.size >= MAX_PENDING) this.#agreed.delete(known);
    }
    const name = nameOf(uuid, challenge);
    if (this.#agreed.has(name)) {
      throw new GatewayError(
        'conflict',
        'Somebody has agreed to this login already. If that was not you, start it anew from your client.',
      );
    }
    this.#agreed.set(name, { tokens, expiresAtMs: nowMs + KEEP_MS });
  }

  /** Undefined while nobody has agreed, and for a verifier that belongs to no login. The same client may fetch twice. */
  fetch(uuid: string, verifier: string): TokenPair | undefined {
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const login = this.#agreed.get(nameOf(uuid, challenge));
    return login && login.expiresAtMs > this.#nowMs() ? login.tokens : undefined;
  }
}

function nameOf(uuid: string, challenge: string): string {
  return `${uuid} ${challenge}`;
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
