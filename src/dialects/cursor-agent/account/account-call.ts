// Plain requests to the account endpoints of an agent backend: small, JSON, a few a day. How they travel is a parameter,
// so that an upstream may send them through its own connections and proxy.
import { GatewayError } from '../../../core/index.ts';

export interface AccountRequest {
  readonly method: 'GET' | 'POST';
  /** From the base URL on, query included. It may hold secrets: it is not for messages. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

export interface AccountAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/** Resolves with any status; throws a GatewayError when there is no answer at all. */
export type AccountCall = (request: AccountRequest) => Promise<AccountAnswer>;

export interface FetchCallOptions {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs?: number;
  readonly userAgent?: string;
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

export function createFetchCall(options: FetchCallOptions): AccountCall {
  const { baseUrl, timeoutMs = TIMEOUT_MS, userAgent = 'crosspoint' } = options;
  const { host } = new URL(baseUrl);
  return async ({ method, path, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await options.fetch(baseUrl.replace(/\/+$/, '') + path, {
        method,
        headers: { 'user-agent': userAgent, ...headers },
        ...(body === undefined ? {} : { body }),
        // A redirect would carry the key to another host.
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      });
      return { status: response.status, body: await readBounded(response, host) };
    } catch (thrown) {
      if (thrown instanceof GatewayError) throw thrown;
      if (signal.aborted) throw new GatewayError('cancelled', 'The request was cancelled.');
      if (timeout.aborted) {
        throw new GatewayError('deadline-exceeded', `${host} did not answer within ${timeoutMs} ms.`);
      }
      throw unreachable(host, thrown);
    }
  };
}

async function readBounded(response: Response, host: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Node's streams are async iterables; the type of the DOM does not say so.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      throw new GatewayError('upstream-malformed', `${host} answered more than ${MAX_ANSWER_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** fetch says only "fetch failed"; what happened is in the cause, as a code or (a port that fetch blocks) in words. */
function unreachable(host: string, thrown: unknown): GatewayError {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const message = `${host} cannot be reached (${faultOf(cause)}). Check the network and the base URL.`;
  return new GatewayError('upstream-unavailable', message, { cause: thrown });
}

function faultOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no reason given';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
