// What an access token says about itself. Cursor's are JSON web tokens whose `exp` lies about 60 days ahead; other
// servers hand out opaque ones, about which nothing is known. Nothing is verified: the token is not for us to judge.
import { isJsonObject, omitUndefined } from '../../../core/index.ts';

export interface TokenClaims {
  readonly expiresAtMs?: number;
  readonly subject?: string;
}

export function readTokenClaims(token: string): TokenClaims {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return {};
  const claims = parseJson(Buffer.from(payload, 'base64url').toString());
  if (!isJsonObject(claims)) return {};
  const { exp, sub } = claims;
  return omitUndefined({
    expiresAtMs: typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined,
    subject: typeof sub === 'string' && sub !== '' ? sub : undefined,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
