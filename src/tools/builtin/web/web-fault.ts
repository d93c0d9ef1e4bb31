import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { ToolContext } from '../../tool-context.ts';
import { type FailureCode, fail, type ToolOutcome } from '../../tool-outcome.ts';

/** A failure that the model can act on, thrown from deep inside and turned into an outcome at the tool's edge. */
export class WebFault extends Error {
  readonly code: FailureCode;
  readonly data: JsonObject | undefined;

  constructor(code: FailureCode, message: string, data?: JsonObject) {
    super(message);
    this.name = 'WebFault';
    this.code = code;
    this.data = data;
  }
}

/** What the network's own error codes mean for whoever reads the answer. */
const NETWORK: Readonly<Record<string, readonly [FailureCode, string]>> = {
  ENOTFOUND: ['ENOENT', 'has no address; check the spelling of the host'],
  EAI_AGAIN: ['UNAVAILABLE', 'could not be looked up; the name server does not answer'],
  ECONNREFUSED: ['UNAVAILABLE', 'refused the connection; nothing listens there'],
  ECONNRESET: ['UNAVAILABLE', 'closed the connection; try again'],
  EPIPE: ['UNAVAILABLE', 'closed the connection; try again'],
  EHOSTUNREACH: ['UNAVAILABLE', 'cannot be reached from this network'],
  ENETUNREACH: ['UNAVAILABLE', 'cannot be reached from this network'],
  ETIMEDOUT: ['ETIMEDOUT', 'did not answer in time'],
  UND_ERR_CONNECT_TIMEOUT: ['ETIMEDOUT', 'did not answer in time'],
  UND_ERR_HEADERS_TIMEOUT: ['ETIMEDOUT', 'did not answer in time'],
  UND_ERR_BODY_TIMEOUT: ['ETIMEDOUT', 'stopped in the middle of its answer'],
  UND_ERR_SOCKET: ['UNAVAILABLE', 'closed the connection; try again'],
  CERT_HAS_EXPIRED: ['FAILED', 'has a certificate that has expired'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['FAILED', 'has a certificate that nobody vouches for'],
  SELF_SIGNED_CERT_IN_CHAIN: ['FAILED', 'has a certificate that nobody vouches for'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['FAILED', 'has a certificate that nobody vouches for'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['FAILED', 'has a certificate for another host'],
};

/** Runs a tool's work; faults and errors of the network become failures that name the host and the remedy. */
export async function settleWeb(
  context: ToolContext,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    context.signal.throwIfAborted();
    return await work();
  } catch (error) {
    if (error instanceof WebFault)
      return fail(error.code, error.message, omitUndefined({ data: error.data }));
    if (context.signal.aborted) return fail('ECANCELED', 'The call was cancelled before it finished.');
    throw error;
  }
}

/** The fault for an error of one request; `host` is what the reader knows the other side by. */
export function networkFault(error: unknown, host: string): WebFault {
  if (error instanceof WebFault) return error;
  const code = codeOf(error);
  const [failure, text] = NETWORK[code] ?? ['FAILED', `could not be read (${code})`];
  return new WebFault(failure, `${host} ${text}.`);
}

/** Codes only, never messages: those of a request may hold its headers. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.cause instanceof Error) return codeOf(error.cause);
  return error.name;
}
