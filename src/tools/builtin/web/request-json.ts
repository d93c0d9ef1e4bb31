// Calls to services the user has configured: search, code hosts, picture makers. Their addresses are the user's own
// choice, so private ones are fine; redirects are not followed, so that a key goes nowhere else.
import { request } from 'undici';
import type { JsonValue } from '../../../core/index.ts';
import type { FailureCode } from '../../tool-outcome.ts';
import { readBody } from './read-body.ts';
import { networkFault, WebFault } from './web-fault.ts';

export interface ServiceRequest {
  readonly url: string;
  /** What people call the service, for messages. */
  readonly service: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 1024 * 1024;

export async function requestJson(call: ServiceRequest): Promise<unknown> {
  const text = await requestText({ ...call, headers: { accept: 'application/json', ...call.headers } });
  try {
    return JSON.parse(text);
  } catch {
    throw new WebFault(
      'FAILED',
      `${call.service} did not answer in JSON; check its address in the configuration.`,
    );
  }
}

export async function requestText(call: ServiceRequest): Promise<string> {
  const deadline = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
  const name = `${call.service} (${new URL(call.url).host})`;
  try {
    const answer = await request(call.url, {
      method: call.method ?? 'GET',
      headers: {
        'user-agent': 'crosspoint',
        'accept-encoding': 'gzip, br',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: AbortSignal.any([call.signal, deadline]),
    });
    const encoding = [answer.headers['content-encoding'] ?? ''].flat()[0] ?? '';
    const limit = { maxBytes: call.maxBytes ?? MAX_BYTES, name: `The answer of ${name}` };
    const bytes = await readBody(answer.body, encoding, limit);
    if (answer.statusCode < 200 || answer.statusCode > 299) throw statusFault(answer.statusCode, name);
    return bytes.toString('utf8');
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason;
    if (deadline.aborted) throw new WebFault('ETIMEDOUT', `${name} did not answer in time; try again.`);
    throw networkFault(error, name);
  }
}

/** The body of an error is not shown: some services repeat the key in it. */
function statusFault(status: number, name: string): WebFault {
  const [code, remedy] = REMEDIES[status] ?? [
    'FAILED',
    status >= 500 ? 'try again later' : 'check the request',
  ];
  return new WebFault(code, `${name} answered ${status}; ${remedy}.`, {
    status,
  });
}

const REMEDIES: Readonly<Record<number, readonly [FailureCode, string]>> = {
  401: ['EACCES', 'the key or token in the configuration is missing or wrong'],
  403: ['EACCES', 'the key or token in the configuration does not allow it, or too many requests were made'],
  404: ['ENOENT', 'it does not exist there, or the token may not see it'],
  422: ['EINVAL', 'it does not understand the request'],
  429: ['UNAVAILABLE', 'too many requests were made; wait before the next'],
};
