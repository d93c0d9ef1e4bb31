import { createHash, randomBytes } from 'node:crypto';
import { invalidRequest, omitUndefined } from '../core/index.ts';
import type { KeyRecord, NewKey, StoreContext } from './ports.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 40;
const PREFIX_CHARACTERS = 9;
export const TOUCH_INTERVAL_MS = 60_000;

/** `xp_` and 40 characters of base 62: about 238 bits. */
export function newKeySecret(): string {
  let text = 'xp_';
  while (text.length < 3 + SECRET_CHARACTERS) {
    for (const byte of randomBytes(64)) {
      // 248 = 4 × 62: bytes above it would favour the first letters of the alphabet.
      if (byte < 248 && text.length < 3 + SECRET_CHARACTERS) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** A plain hash is enough: the secret is random, so there is nothing to guess that a slow hash would slow down. */
export function hashKeySecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export type KeyState = 'active' | 'revoked' | 'expired';

export function keyState(record: KeyRecord, nowMs: number): KeyState {
  if (record.revokedAtMs !== undefined) return 'revoked';
  if (record.expiresAtMs !== undefined && record.expiresAtMs <= nowMs) return 'expired';
  return 'active';
}

/** Checks what was asked and makes the record; the same for every store. */
export function newKeyRecord(key: NewKey, secret: string, context: StoreContext): KeyRecord {
  const name = key.name.trim();
  if (name === '') throw invalidRequest('A key needs a name that says who uses it.', 'name');
  checkPositive(key.requestsPerMinute, 'requestsPerMinute');
  checkPositive(key.maxConcurrent, 'maxConcurrent');
  const createdAtMs = context.clock();
  if (key.expiresAtMs !== undefined && !(key.expiresAtMs > createdAtMs)) {
    throw invalidRequest(`expiresAtMs is ${key.expiresAtMs}; it must lie in the future.`, 'expiresAtMs');
  }
  return omitUndefined({
    id: context.newId('key_'),
    name,
    prefix: secret.slice(0, PREFIX_CHARACTERS),
    createdAtMs,
    models: key.models === undefined ? undefined : [...key.models],
    requestsPerMinute: key.requestsPerMinute,
    maxConcurrent: key.maxConcurrent,
    expiresAtMs: key.expiresAtMs,
  });
}

function checkPositive(value: number | undefined, field: string): void {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return;
  throw invalidRequest(`${field} is ${value}; it must be a whole number above 0.`, field);
}
