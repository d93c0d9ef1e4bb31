// Session tokens in the form native clients expect: JSON web tokens (RFC 7519) signed with HMAC-SHA-256 (RFC 7518), so
// that a client can read when one expires. Signed and checked here, with one algorithm and nothing to choose.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IdSource, omitUndefined } from '../../core/index.ts';

export interface SessionClaims {
  /** `session` opens calls, `refresh` only buys new tokens. */
  readonly type: 'session' | 'refresh';
  /** The key id, or `local` without keys. */
  readonly subject: string;
  /** The hash under which the store knows the key; it opens nothing by itself. Absent without keys. */
  readonly keyHash?: string;
  /** Shared by all tokens of one login. */
  readonly sessionId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

export interface SessionTokensOptions {
  readonly secret: Buffer;
  readonly nowMs: () => number;
  readonly newId: IdSource;
}

export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const DAY_MS = 24 * 60 * 60_000;
/** Longer than any run; what a key may do is looked up at every call anyway. */
const ACCESS_MS = DAY_MS;
/** No longer than documents are kept: the note that a session was ended must not die before its tokens. */
const REFRESH_MS = 30 * DAY_MS;
const ISSUER = 'crosspoint';
const HEADER = encodeJson({ alg: 'HS256', typ: 'JWT' });

/** Sessions that were ended; more than this nobody ends within the life of their tokens. */
const MAX_ENDED = 10_000;

export class SessionTokens {
  readonly #options: SessionTokensOptions;
  readonly #ended = new Set<string>();

  constructor(options: SessionTokensOptions) {
    if (options.secret.length < 32) throw new Error('A token secret needs at least 32 bytes.');
    this.#options = options;
  }

  issue(subject: string, keyHash?: string, sessionId = this.#options.newId('session_')): TokenPair {
    return {
      accessToken: this.#sign('session', ACCESS_MS, subject, keyHash, sessionId),
      refreshToken: this.#sign('refresh', REFRESH_MS, subject, keyHash, sessionId),
    };
  }

  /** Undefined for everything that is no living token of ours. */
  read(token: string): SessionClaims | undefined {
    const [header, payload, signature, ...rest] = token.split('.');
    if (header !== HEADER || !payload || !signature || rest.length > 0) return undefined;
    const expected = this.#signature(`${header}.${payload}`);
    const presented = Buffer.from(signature, 'base64url');
    if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined;
    const claims = decodeClaims(payload);
    if (!claims || claims.expiresAtMs <= this.#options.nowMs()) return undefined;
    return this.#ended.has(claims.sessionId) ? undefined : claims;
  }

  /** The tokens of this session open nothing any more, as long as this process lives and remembers. */
  end(sessionId: string): void {
    this.#ended.add(sessionId);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #sign(
    type: SessionClaims['type'],
    lifeMs: number,
    subject: string,
    keyHash: string | undefined,
    sessionId: string,
  ): string {
    const nowMs = this.#options.nowMs();
    const payload = encodeJson(
      omitUndefined({
        iss: ISSUER,
        aud: ISSUER,
        sub: subject,
        type,
        sid: sessionId,
        kh: keyHash,
        iat: Math.floor(nowMs / 1000),
        exp: Math.floor((nowMs + lifeMs) / 1000),
      }),
    );
    const signed = `${HEADER}.${payload}`;
    return `${signed}.${this.#signature(signed).toString('base64url')}`;
  }

  #signature(text: string): Buffer {
    return createHmac('sha256', this.#options.secret).update(text).digest();
  }
}

/** Tells a token from a key at a glance; whether it is one of ours only `read` knows. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith(`${HEADER}.`);
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The signature is ours, so that the payload is too; the checks tell this kind of token from other kinds. */
function decodeClaims(payload: string): SessionClaims | undefined {
  let claims: Record<string, unknown>;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>; // checked below
  } catch {
    return undefined;
  }
  const { iss, aud, sub, type, sid, kh, iat, exp } = claims;
  if (iss !== ISSUER || aud !== ISSUER || (type !== 'session' && type !== 'refresh')) return undefined;
  if (typeof sub !== 'string' || typeof sid !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined;
  return {
    type,
    subject: sub,
    ...(typeof kh === 'string' ? { keyHash: kh } : {}),
    sessionId: sid,
    issuedAtMs: iat * 1000,
    expiresAtMs: exp * 1000,
  };
}
