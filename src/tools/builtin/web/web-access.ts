import { lookup } from 'node:dns/promises';
import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';
import { addressFamily, isPublicAddress } from './special-address.ts';
import { networkFault, WebFault } from './web-fault.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface WebAccessOptions {
  /** Hosts of this machine or its network that may be fetched all the same: `localhost`, `wiki.internal:8080`. */
  readonly privateHosts?: readonly string[];
  /** Name lookup; the system's own by default. */
  readonly resolve?: (hostname: string) => Promise<readonly HostAddress[]>;
  /** Asked before a redirect to another host is followed; without it none is. */
  readonly mayFollow?: (url: string, context: ToolContext) => boolean | Promise<boolean>;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** How far `web_fetch` may reach. */
export interface WebAccess {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The addresses to connect to, each of them allowed; throws a fault where one is not. */
  findAddresses(url: URL): Promise<readonly HostAddress[]>;
  mayFollow(url: string, context: ToolContext): boolean | Promise<boolean>;
}

export function createWebAccess(options: WebAccessOptions = {}): WebAccess {
  const privateHosts = new Set((options.privateHosts ?? []).map((host) => host.toLowerCase()));
  const resolve = options.resolve ?? resolveBySystem;
  return {
    timeoutMs: options.timeoutMs ?? 30_000,
    maxBytes: options.maxBytes ?? 5 * 1024 * 1024,
    mayFollow: options.mayFollow ?? (() => false),
    async findAddresses(url) {
      const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
      const family = addressFamily(hostname);
      const found: readonly HostAddress[] =
        family !== undefined
          ? [{ address: hostname, family }]
          : await resolve(hostname).catch((error: unknown) => {
              throw networkFault(error, hostname);
            });
      if (found.length === 0) throw new WebFault('ENOENT', `${hostname} has no address; check its spelling.`);
      if (privateHosts.has(hostname) || privateHosts.has(url.host)) return found;
      // One closed address among open ones is a trap as much as a lone one.
      const closed = found.find(({ address }) => !isPublicAddress(address));
      if (closed === undefined) return found;
      const where = closed.address === hostname ? '' : ` (${closed.address})`;
      throw new WebFault(
        'DENIED',
        `${hostname}${where} is on this machine or a private network, which may not be fetched. Use the shell for local servers, or have the user add the host to tools.web.privateHosts.`,
      );
    },
  };
}

async function resolveBySystem(hostname: string): Promise<HostAddress[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

export const webAccess = defineResource<WebAccess>({ name: 'web-access', create: () => createWebAccess() });
