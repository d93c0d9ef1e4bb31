// Whose account it is: aiserver.v1.DashboardService/GetMe, a unary Connect call. Self-hosted backends may answer it with
// nothing or not at all, and nobody must fail to log in for that.
import { fromBinary } from '@bufbuild/protobuf';
import { GetMeResponseSchema } from '../../../gen/aiserver/v1/dashboard_pb.ts';
import type { Backend } from './auth-endpoints.ts';
import type { Grant } from './grant.ts';
import { isSuccess } from './grant.ts';
import { readTokenClaims } from './token-claims.ts';

/** An e-mail address if the backend tells one, else the id in the token, else nothing. */
export async function readAccountName(
  { call }: Backend,
  { accessToken, authId }: Grant,
  signal: AbortSignal,
): Promise<string | undefined> {
  const fallback = authId || readTokenClaims(accessToken).subject;
  try {
    const answer = await call({
      method: 'POST',
      path: '/aiserver.v1.DashboardService/GetMe',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'x-ghost-mode': 'true',
      },
      body: new Uint8Array(),
      signal,
    });
    if (!isSuccess(answer)) return fallback;
    const me = fromBinary(GetMeResponseSchema, answer.body);
    return me.email || me.authId || fallback;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return fallback;
  }
}
