import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkTest, parseAddress } from '../../src/networks.ts';

function isIn(network: string, address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) throw new Error(`not an address: ${address}`);
  return networkTest([network])(parsed);
}

/** The first bits of an address, counted out one by one. */
function bitsOf(address: string): string {
  return (parseAddress(address)?.bytes ?? []).map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

test('a block holds exactly the addresses that share its first bits', () => {
  const v4 = fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 1, max: 32 }));
  const v6 = fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 1, max: 128 }));
  fc.assert(
    fc.property(fc.oneof(v4, v6), ([network, address, bits]) => {
      // Mapped IPv4 that the generator may come upon counts its bits otherwise.
      fc.pre(bitsOf(network).length === bitsOf(address).length && (bits <= 32 || bitsOf(network).length === 128));
      const same = bitsOf(network).slice(0, bits) === bitsOf(address).slice(0, bits);
      expect(isIn(`${network}/${bits}`, address)).toBe(same);
      expect(isIn(`${network}/${bits}`, network)).toBe(true);
    }),
  );
});

test('blocks end where they say', () => {
  expect(isIn('10.0.0.0/8', '10.255.255.255')).toBe(true);
  expect(isIn('10.0.0.0/8', '11.0.0.0')).toBe(false);
  expect(isIn('192.0.2.128/25', '192.0.2.127')).toBe(false);
  expect(isIn('2001:db8::/33', '2001:db8:7fff::1')).toBe(true);
  expect(isIn('2001:db8::/33', '2001:db8:8000::1')).toBe(false);
  expect(isIn('::1', '::1')).toBe(true);
  expect(isIn('127.0.0.1', '127.0.0.2')).toBe(false);
});

test('an IPv4 address is itself in its mapped form, on both sides', () => {
  expect(isIn('10.0.0.0/8', '::ffff:10.1.2.3')).toBe(true);
  expect(isIn('::ffff:10.0.0.0/104', '10.1.2.3')).toBe(true);
  expect(isIn('::ffff:10.0.0.0/104', '11.1.2.3')).toBe(false);
  expect(isIn('::/1', '10.1.2.3')).toBe(false);
});

test('a wrong list is refused at once, with everything that is wrong with it', () => {
  expect(() => networkTest(['10.0.0.0/33', 'proxy.local', '10.0.0.0/8', '::1/-1', '10.0.0.0/8/8'])).toThrow(
    'not a network: "10.0.0.0/33"; not a network: "proxy.local"; not a network: "::1/-1"; not a network: "10.0.0.0/8/8"',
  );
});

test('a list that trusts everybody is refused', () => {
  expect(() => networkTest(['0.0.0.0/0'])).toThrow(/every client could choose its own/);
  expect(() => networkTest(['::/0'])).toThrow(/every client could choose its own/);
  expect(() => networkTest(['::ffff:0.0.0.0/96'])).toThrow(/every client could choose its own/);
});
