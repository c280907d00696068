import { QuotaError } from './errors.ts';

/** Bits of an IPv6 address that one customer usually owns; the default prefix. */
export const DEFAULT_IPV6_PREFIX = 64;

/**
 * The subject for a calling network address: IPv4 in dotted form; IPv6 cut to a prefix, because one caller owns all addresses
 * below it; an IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`) is the IPv4 address, not the common /64 of all.
 * @param address as a socket or a trusted proxy gives it; brackets and a zone (`%eth0`) are ignored.
 * @param prefixBits 1 to 128, default 64.
 * @throws {QuotaError} `invalid-subject` when it is no address, `invalid-argument` for a wrong prefix.
 */
export function addressSubject(address: string, prefixBits: number = DEFAULT_IPV6_PREFIX): string {
  if (!Number.isInteger(prefixBits) || prefixBits < 1 || prefixBits > 128) {
    throw new QuotaError('invalid-argument', `an IPv6 prefix has 1 to 128 bits, got ${prefixBits}`);
  }
  const text = address
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '');
  const four = parseIpv4(text);
  if (four !== undefined) return four.join('.');
  const groups = parseIpv6(text);
  if (groups === undefined) {
    throw new QuotaError('invalid-subject', `not a network address: ${JSON.stringify(address.slice(0, 60))}`);
  }
  const mapped = mappedIpv4(groups);
  if (mapped !== undefined) return mapped;
  const cut = groups.map((group, index) => {
    const bits = Math.min(16, Math.max(0, prefixBits - 16 * index));
    return group & ((0xffff << (16 - bits)) & 0xffff);
  });
  return prefixBits === 128 ? formatIpv6(cut) : `${formatIpv6(cut)}/${prefixBits}`;
}

function parseIpv4(text: string): number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** The eight groups of an IPv6 address. */
function parseIpv6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':').flatMap(parseGroup)));
  const known = [...(head ?? []), ...(tail ?? [])];
  const missing = 8 - known.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = tail === undefined ? known : [...(head ?? []), ...Array<number>(missing).fill(0), ...tail];
  return groups.some(Number.isNaN) ? undefined : groups;
}

/** One group of hex digits, or a dotted IPv4 tail as two groups. */
function parseGroup(text: string): number[] {
  if (/^[0-9a-fA-F]{1,4}$/.test(text)) return [Number.parseInt(text, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = parseIpv4(text) ?? [Number.NaN];
  return [a * 256 + b, c * 256 + d];
}

function mappedIpv4(groups: readonly number[]): string | undefined {
  const [, , , , , marker, high = 0, low = 0] = groups;
  if (marker !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** RFC 5952: lower case, the longest run of zero groups as `::`. */
function formatIpv6(groups: readonly number[]): string {
  let best = { at: -1, length: 1 };
  for (let at = 0; at < groups.length; at++) {
    let length = 0;
    while (groups[at + length] === 0) length += 1;
    if (length > best.length) best = { at, length };
  }
  if (best.at < 0) return hex(groups);
  return `${hex(groups.slice(0, best.at))}::${hex(groups.slice(best.at + best.length))}`;
}

function hex(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
