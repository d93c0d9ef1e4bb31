// A model that a request brings along: an address and a key of the client's own (Cursor's "bring your own key" in
// ModelDetails). Off unless the operator allows it, and never a way into the gateway's own network.
import { GatewayError, type IdSource } from '../core/index.ts';
import type { Upstream, UpstreamKind } from '../dialects/dialect.ts';
import { isPublicAddress } from '../tools/builtin/web/special-address.ts';

export interface ClientUpstream {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The server is Azure's: the deployment stands in its address and the key in a header of its own. */
  readonly azureDeployment?: string;
}

export interface ClientUpstreamOptions {
  readonly isAllowed: boolean;
  readonly kind: UpstreamKind;
  readonly onSecret: (secret: string) => void;
  readonly newId: IdSource;
}

const TIMEOUTS = { connectMs: 10_000, firstByteMs: 300_000, idleMs: 120_000 };

/** Throws a GatewayError that says why the client's own upstream is not used. The caller closes what it gets. */
export function openClientUpstream(wish: ClientUpstream, options: ClientUpstreamOptions): Upstream {
  if (!options.isAllowed) {
    throw new GatewayError(
      'permission-denied',
      'The request names a model server of its own (base URL and API key), and this gateway does not use those. ' +
        'Choose one of its models instead, or have the operator set agent.clientUpstreams: true.',
      { detail: { reason: 'client_upstream_not_allowed' } },
    );
  }
  const url = parseUrl(wish.baseUrl);
  checkKey(url, wish.apiKey);
  // A short word is no secret, and taking it for one would let a client blacken that word in every log line.
  if (wish.apiKey.length >= MIN_SECRET_LENGTH) options.onSecret(wish.apiKey);
  return options.kind.create({
    name: 'client',
    ...addressOf(url, wish),
    timeouts: TIMEOUTS,
    capabilities: [],
    mayConnect: isPublicAddress,
    newId: options.newId,
  });
}

const MIN_SECRET_LENGTH = 12;
const MAX_KEY_LENGTH = 4_096;

/** What cannot stand in a header would be quoted in the error of whoever tries to write it there. */
function checkKey({ host }: URL, apiKey: string): void {
  if (apiKey.length > MAX_KEY_LENGTH) throw refusal(host, `its key is ${apiKey.length} characters long`);
  if (!/^[\x20-\x7e]*$/.test(apiKey)) throw refusal(host, 'its key has characters that no header can carry');
}

const AZURE_API_VERSION = '2024-10-21';

function addressOf(url: URL, { apiKey, azureDeployment }: ClientUpstream) {
  if (azureDeployment === undefined) return { baseUrl: url.href, apiKey, headers: {} };
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/openai/deployments/${encodeURIComponent(azureDeployment)}`;
  if (!url.searchParams.has('api-version')) url.searchParams.set('api-version', AZURE_API_VERSION);
  return { baseUrl: url.href, headers: { 'api-key': apiKey } };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw refusal(text, 'it is no http:// or https:// address');
  }
  if (url.username !== '' || url.password !== '')
    throw refusal(url.host, 'it carries a user name or password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLiteral = /^[\d.]+$/.test(host) || host.includes(':');
  if (host === 'localhost' || host.endsWith('.localhost') || (isLiteral && !isPublicAddress(host))) {
    throw refusal(url.host, 'it is on the gateway’s own machine or a private network');
  }
  return url;
}

function refusal(address: string, why: string): GatewayError {
  return new GatewayError(
    'invalid-request',
    `The model server ${JSON.stringify(address.slice(0, 200))} that the request names cannot be used: ${why}.`,
    { detail: { param: 'model_details', reason: 'client_upstream_refused' } },
  );
}
