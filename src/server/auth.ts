import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from '../config/loopback.ts';
import { GatewayError, omitUndefined, randomId } from '../core/index.ts';
import {
  type Clock,
  type DocumentKey,
  type DocumentStore,
  hashKeySecret,
  type KeyRecord,
  type KeyStore,
  keyState,
} from '../store/index.ts';
import type { Exchange } from './exchange.ts';
import { createKeyLimits } from './key-limits.ts';
import { looksLikeToken, SessionTokens, type TokenPair } from './native/session-tokens.ts';

/** Who sends a request, and what they may do. Empty without keys. */
export interface Identity {
  readonly keyId?: string;
  readonly keyName?: string;
  readonly allowedModels?: readonly string[];
  readonly maxConcurrent?: number;
  readonly requestsPerMinute?: number;
}

/** A request that was let in; release it when its answer is done. */
export interface Admission {
  readonly identity: Identity;
  release(): void;
}

export interface AuthOptions {
  /** `none`: whoever reaches us from this machine is let in. `keys`: a gateway key is needed. */
  readonly mode: 'none' | 'keys';
  readonly keys: KeyStore;
  /** The admin API needs it always, from this machine too. */
  readonly adminToken: string;
  readonly clock: Clock;
  /** For keys without limits of their own, and for everybody in mode `none`. */
  readonly limits?: { readonly requestsPerMinute?: number; readonly maxConcurrent?: number } | undefined;
  /** Lets other machines in without a key; only ever set by somebody who asked for it by name. */
  readonly allowsAnonymousRemote?: boolean | undefined;
  /** Signs the tokens that native clients get for a key and send in its place; without it only keys open anything. */
  readonly tokenSecret?: Buffer | undefined;
  /** Remembers which logins have ended, over restarts too; without it they are forgotten with the process. */
  readonly documents?: Pick<DocumentStore, 'get' | 'put'> | undefined;
}

export interface Authenticator {
  /** Throws `unauthenticated` with the way to get a key. */
  authenticate(headers: Exchange['headers'], remoteAddress: string): Promise<Identity>;
  /** Authenticates and takes a place under the key's limits. */
  admit(exchange: Exchange): Promise<Admission>;
  isAdmin(headers: Exchange['headers']): boolean;
  /** Throws `unauthenticated` without the admin token. */
  requireAdmin(headers: Exchange['headers']): void;
  readonly sessions: Sessions;
}

/** Logins of native clients: a key opens one, its refresh token prolongs it, and it dies with the key. */
export interface Sessions {
  /** Takes a key (any, without keys) or a refresh token, as the clients do. */
  open(secret: string | undefined, remoteAddress: string): Promise<TokenPair>;
  /** Ends the session of this token; false when it is no living one. */
  end(token: string | undefined): Promise<boolean>;
}

const HOW_TO =
  'Create a key with "crosspoint keys create NAME" and send it as "Authorization: Bearer <key>" or "x-api-key: <key>".';

export function createAuthenticator(options: AuthOptions): Authenticator {
  const { mode, keys, clock, tokenSecret } = options;
  const tokens = tokenSecret && new SessionTokens({ secret: tokenSecret, nowMs: clock, newId: randomId });
  const limits = createKeyLimits({ clock });
  const adminHash = sha256(options.adminToken);

  async function authenticate(headers: Exchange['headers'], remoteAddress: string): Promise<Identity> {
    if (mode === 'none') {
      if (options.allowsAnonymousRemote === true || isLoopbackHost(remoteAddress)) {
        return omitUndefined({ ...options.limits });
      }
      throw unauthenticated('Without keys this gateway serves its own machine only.');
    }
    return identityOf(await findActiveKey(presentedSecrets(headers), 'session'));
  }

  /** Tokens of the given type count as the key they were made for. */
  async function findActiveKey(
    secrets: readonly string[],
    tokenType: 'session' | 'refresh',
  ): Promise<KeyRecord> {
    if (secrets.length === 0) throw unauthenticated('The request carries no API key.');
    let refused: KeyRecord | undefined;
    for (const secret of secrets) {
      const record = await findKey(secret, tokenType);
      if (record && keyState(record, clock()) === 'active') {
        // Only a note for people: a store that cannot write it is no reason to refuse.
        keys.touch(record.id).catch(() => {});
        return record;
      }
      refused ??= record;
    }
    if (!refused) {
      throw unauthenticated(
        secrets.some(looksLikeToken)
          ? 'The session token is not one of this gateway, or has expired; log in again.'
          : 'The API key is not one of this gateway.',
      );
    }
    const state = keyState(refused, clock()) === 'revoked' ? 'was revoked' : 'has expired';
    throw unauthenticated(`The API key "${refused.name}" ${state}.`);
  }

  async function findKey(secret: string, tokenType: 'session' | 'refresh'): Promise<KeyRecord | undefined> {
    const claims = looksLikeToken(secret) ? tokens?.read(secret) : undefined;
    if (claims) {
      if (claims.type !== tokenType || claims.keyHash === undefined) return undefined;
      if (await hasEnded(claims.sessionId)) return undefined;
      const stored = await keys.findByHash(claims.keyHash);
      return stored?.record.id === claims.subject ? stored.record : undefined;
    }
    const hash = hashKeySecret(secret);
    const stored = await keys.findByHash(hash);
    return stored && isSameText(stored.secretHash, hash) ? stored.record : undefined;
  }

  /** Whoever logged out before a restart, or through another process, stays logged out. */
  async function hasEnded(sessionId: string): Promise<boolean> {
    return (await options.documents?.get(endedKey(sessionId))) !== undefined;
  }

  const sessions: Sessions = {
    async open(secret, remoteAddress) {
      if (!tokens) throw new GatewayError('unimplemented', 'This gateway hands out no session tokens.');
      const claims = secret === undefined ? undefined : tokens.read(secret);
      if (mode === 'none') {
        await authenticate({}, remoteAddress);
        return tokens.issue('local', undefined, claims?.sessionId);
      }
      if (claims && (await hasEnded(claims.sessionId))) throw unauthenticated('This session was logged out.');
      const record = await findActiveKey(secret === undefined ? [] : [secret], 'refresh');
      const keyHash = claims?.keyHash ?? hashKeySecret(secret ?? '');
      return tokens.issue(record.id, keyHash, claims?.sessionId);
    },
    async end(token) {
      const claims = token === undefined ? undefined : tokens?.read(token);
      if (!claims) return false;
      tokens?.end(claims.sessionId);
      await options.documents?.put(endedKey(claims.sessionId), { endedAtMs: clock() });
      return true;
    },
  };

  function identityOf(record: KeyRecord): Identity {
    return omitUndefined({
      keyId: record.id,
      keyName: record.name,
      allowedModels: record.models,
      maxConcurrent: record.maxConcurrent ?? options.limits?.maxConcurrent,
      requestsPerMinute: record.requestsPerMinute ?? options.limits?.requestsPerMinute,
    });
  }

  function isAdmin(headers: Exchange['headers']): boolean {
    if (options.adminToken === '') return false;
    const presented = headers['x-crosspoint-admin'] ?? bearerOf(headers);
    return presented !== undefined && timingSafeEqual(sha256(presented), adminHash);
  }

  return {
    authenticate,
    async admit(exchange) {
      const identity = await authenticate(exchange.headers, exchange.remoteAddress);
      return { identity, release: limits.enter(identity) };
    },
    isAdmin,
    sessions,
    requireAdmin(headers) {
      if (isAdmin(headers)) return;
      throw new GatewayError(
        'unauthenticated',
        'The admin API needs the admin token as "Authorization: Bearer <token>"; "crosspoint status" shows a link with it.',
      );
    },
  };
}

function endedKey(sessionId: string): DocumentKey {
  return { owner: '', kind: 'ended-session', id: sessionId };
}

/** Claude Code may send two headers, Azure clients use a third: any of them may hold the key. */
function presentedSecrets(headers: Exchange['headers']): string[] {
  const found = [bearerOf(headers), headers['x-api-key'], headers['api-key']];
  return [...new Set(found.filter((secret) => secret !== undefined && secret !== ''))] as string[]; // filtered above
}

export function bearerOf(headers: Exchange['headers']): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

function unauthenticated(problem: string): GatewayError {
  return new GatewayError('unauthenticated', `${problem} ${HOW_TO}`);
}

function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** Hashes have one length, so comparing them tells nothing about the length of what was hashed. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
