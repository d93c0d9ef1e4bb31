/** The host of an http(s) address as rules write it; undefined for anything else. */
export function hostOf(url: string): { readonly name: string; readonly withPort: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, host } = new URL(url);
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return undefined;
  return { name: hostname.replace(/\.$/, ''), withPort: host.replace(/\.(?=:|$)/, '') };
}

/** `example.org` is that host alone, `*.example.org` the ones below it, `*` any. */
export function matchesHost(
  pattern: string,
  host: { readonly name: string; readonly withPort: string },
): boolean {
  const wanted = pattern.toLowerCase().replace(/\.$/, '');
  if (wanted === '*') return true;
  if (wanted.startsWith('*.')) return host.name.endsWith(wanted.slice(1)) && host.name !== wanted.slice(2);
  return host.name === wanted || host.withPort === wanted;
}

/** This machine and its neighbours: reachable from here and from nowhere else, so `*` is not meant for them. */
export function isPrivateHost(name: string): boolean {
  // URL has already turned every spelling of an IPv4 address into four decimals, and put IPv6 into brackets.
  if (name.startsWith('[')) return /^\[(?:::|f[cd]|fe[89ab]|64:ff9b:)/i.test(name);
  if (/^\d+(?:\.\d+){3}$/.test(name)) return PRIVATE_IPV4.test(name);
  return !name.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(name);
}

const PRIVATE_IPV4 =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
