// Which addresses belong to the open internet. IANA's special-purpose registries (RFC 6890 and its successors) say what
// does not; 168.63.129.16 is Azure's own host inside an otherwise public block.

type Range = readonly [network: string, bits: number];

const CLOSED_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

const CLOSED_IPV6: readonly Range[] = [
  ['2001::', 23], // Teredo, benchmarking, ORCHID
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 carries an IPv4 address that no check here would see
  ['3fff::', 20],
];
const GLOBAL_IPV6: Range = ['2000::', 3];
/** IPv4 in the last 32 bits: mapped, and translated by NAT64, which networks without IPv4 put into their answers. */
const EMBEDDING_IPV6: readonly Range[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** False for loopback, private, link-local, metadata, multicast, reserved, and for what is not an address at all. */
export function isPublicAddress(address: string): boolean {
  const family = addressFamily(address);
  if (family === undefined) return false;
  if (family === 4) return !CLOSED_IPV4.some((range) => isWithin(ipv4Bits(address), range, 32));
  const bits = ipv6Bits(address);
  if (EMBEDDING_IPV6.some((range) => isWithin(bits, range, 128)))
    return isPublicAddress(formatIpv4(bits & 0xffff_ffffn));
  return isWithin(bits, GLOBAL_IPV6, 128) && !CLOSED_IPV6.some((range) => isWithin(bits, range, 128));
}

/** 4 or 6 for an address in its usual form, undefined for anything else, zone ids included. */
export function addressFamily(text: string): 4 | 6 | undefined {
  if (IPV4.test(text)) return 4;
  return /^[\da-f:.]*:[\da-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]/`) ? 6 : undefined;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function isWithin(bits: bigint, [network, length]: Range, width: number): boolean {
  const shift = BigInt(width - length);
  return bits >> shift === (width === 32 ? ipv4Bits(network) : ipv6Bits(network)) >> shift;
}

function ipv4Bits(address: string): bigint {
  return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function formatIpv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');
}

/** `address` is known to be IPv6; URL writes every form of it in hexadecimal groups. */
function ipv6Bits(address: string): bigint {
  const hex = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = hex.split('::');
  const groupsOf = (text: string | undefined) => (text ? text.split(':') : []);
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
