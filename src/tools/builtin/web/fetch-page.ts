// One GET over HTTP, with redirects followed by hand. Every hop is checked anew, and the connection goes to the very
// addresses that were checked: a name that answers differently a moment later (DNS rebinding) changes nothing.
import { Agent, request } from 'undici';
import type { ToolContext } from '../../tool-context.ts';
import { dropBody, readBody, tooLarge } from './read-body.ts';
import type { WebAccess } from './web-access.ts';
import { networkFault, WebFault } from './web-fault.ts';

export interface FetchedPage {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
}

const MAX_REDIRECTS = 10;
const HEADERS = {
  'user-agent': 'crosspoint-web-fetch',
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en, *;q=0.5',
};

export async function fetchPage(
  given: string,
  access: WebAccess,
  context: ToolContext,
): Promise<FetchedPage> {
  const deadline = AbortSignal.timeout(access.timeoutMs);
  const signal = AbortSignal.any([context.signal, deadline]);
  let url = parseAddress(given);
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await fetchHop(url, access, signal);
      if (answer.type === 'page') return answer.page;
      const next = parseAddress(answer.location, url);
      await checkRedirect(url, next, access, context);
      url = next;
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    if (deadline.aborted)
      throw new WebFault('ETIMEDOUT', `${url.host} did not answer whole within ${access.timeoutMs} ms.`);
    throw networkFault(error, url.host);
  }
  throw new WebFault(
    'FAILED',
    `${given} redirects more than ${MAX_REDIRECTS} times; it may lead in a circle.`,
  );
}

/** Only plain web addresses, without a name and password, which would end up in logs of both sides. */
export function parseAddress(given: string, base?: URL): URL {
  const text = given.trim();
  if (!URL.canParse(text, base?.href))
    throw new WebFault(
      'EINVAL',
      `"${given}" is not an address; give a full URL such as https://example.org/page.`,
    );
  const url = new URL(text, base?.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebFault('EINVAL', `${url.protocol} addresses cannot be fetched, only http: and https:.`);
  if (url.username !== '' || url.password !== '')
    throw new WebFault('EINVAL', `The address of ${url.host} holds a user name or password; leave them out.`);
  url.hash = '';
  return url;
}

/** A host other than the one that was agreed to is agreed to separately. */
async function checkRedirect(from: URL, to: URL, access: WebAccess, context: ToolContext): Promise<void> {
  if (from.protocol === 'https:' && to.protocol === 'http:' && from.hostname === to.hostname)
    throw new WebFault('DENIED', `${from.href} redirects to ${to.href}, which is not encrypted.`);
  const isSameHost = from.hostname === to.hostname && from.port === to.port;
  if (isSameHost || (await access.mayFollow(to.href, context))) return;
  throw new WebFault(
    'DENIED',
    `${from.href} redirects to another host: ${to.href}. Call web_fetch with that address if you want it.`,
    { url: from.href, redirect_url: to.href },
  );
}

type HopAnswer =
  | { readonly type: 'page'; readonly page: FetchedPage }
  | { readonly type: 'redirect'; readonly location: string };

async function fetchHop(url: URL, access: WebAccess, signal: AbortSignal): Promise<HopAnswer> {
  const addresses = await access.findAddresses(url);
  const [first] = addresses;
  const agent = new Agent({
    connect: {
      lookup: (_hostname, options, callback) => {
        if (options.all) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
    },
    connections: 1,
    pipelining: 1,
  });
  try {
    const answer = await request(url, { dispatcher: agent, method: 'GET', headers: HEADERS, signal });
    const header = (name: string) => [answer.headers[name] ?? ''].flat()[0] ?? '';
    const location = header('location');
    if ([301, 302, 303, 307, 308].includes(answer.statusCode) && location !== '') {
      dropBody(answer.body);
      return { type: 'redirect', location };
    }
    const limit = { maxBytes: access.maxBytes, name: url.href };
    const encoding = header('content-encoding');
    if (Number(header('content-length')) > access.maxBytes) {
      dropBody(answer.body);
      throw tooLarge(limit);
    }
    const bytes = await readBody(answer.body, encoding, limit);
    const page = { url: url.href, status: answer.statusCode, contentType: header('content-type'), bytes };
    return { type: 'page', page };
  } finally {
    await agent.destroy();
  }
}
