import { addressSubject, QuotaError } from '@weir/quota';

/** A network address in its one spelling, and its bytes: 4, or 16 for IPv6. IPv4 mapped into IPv6 is IPv4. */
export interface Address {
  readonly text: string;
  readonly bytes: readonly number[];
}

/** Reads an address; `undefined` when it is none. Brackets and a zone (`%eth0`) are ignored. */
export function parseAddress(text: string): Address | undefined {
  try {
    const canonical = addressSubject(text, 128);
    return {
      text: canonical,
      bytes: canonical.includes(':') ? bytesOfIpv6(canonical) : canonical.split('.').map(Number),
    };
  } catch {
    return undefined;
  }
}

/** @param canonical as RFC 5952 spells it. */
function bytesOfIpv6(canonical: string): number[] {
  const [head = '', tail] = canonical.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(half: string): number[] {
  return half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16));
}

interface Network {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/**
 * A test for membership in any of these networks.
 * @param networks addresses, or blocks of them as `10.0.0.0/8`, `2001:db8::/32`.
 * @throws {QuotaError} `invalid-argument` with everything that is wrong, a block of all addresses included.
 */
export function networkTest(networks: readonly string[]): (address: Address) => boolean {
  const problems: string[] = [];
  const known = networks.flatMap((text) => {
    const network = parseNetwork(text);
    if (typeof network !== 'string') return [network];
    problems.push(network);
    return [];
  });
  if (problems.length > 0) throw new QuotaError('invalid-argument', problems.join('; '));
  return (address) => known.some((network) => contains(network, address));
}

/** The network, or what is wrong with it. */
function parseNetwork(text: string): Network | string {
  const shown = JSON.stringify(text);
  const [base = '', suffix, ...rest] = text.split('/');
  const address = parseAddress(base);
  if (address === undefined || rest.length > 0) return `not a network: ${shown}`;
  const width = address.bytes.length * 8;
  if (suffix === undefined) return { bytes: address.bytes, bits: width };
  // A prefix that was written for the mapped form counts the 96 bits before the IPv4 address.
  const offset = width === 32 && base.includes(':') ? 96 : 0;
  const bits = /^\d{1,3}$/.test(suffix) ? Number(suffix) - offset : Number.NaN;
  if (bits === 0) return `${shown} trusts every address, so every client could choose its own`;
  return bits >= 1 && bits <= width ? { bytes: address.bytes, bits } : `not a network: ${shown}`;
}

function contains({ bytes, bits }: Network, address: Address): boolean {
  if (bytes.length !== address.bytes.length) return false;
  return bytes.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - 8 * index));
    const mask = (0xff << (8 - kept)) & 0xff;
    return ((byte ^ (address.bytes[index] ?? 0)) & mask) === 0;
  });
}
