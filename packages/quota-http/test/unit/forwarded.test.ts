import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hopsFromRight } from '../../src/forwarded.ts';
import type { ForwardedHeader } from '../../src/forwarded.ts';

function hops(header: ForwardedHeader, value: string): (string | undefined)[] {
  return [...hopsFromRight(header, value)].map((hop) => hop?.text);
}

test('hops of X-Forwarded-For come nearest first', () => {
  expect(hops('x-forwarded-for', '203.0.113.7, 10.0.0.1,10.0.0.2')).toEqual(['10.0.0.2', '10.0.0.1', '203.0.113.7']);
});

test('ports, brackets, zones and mapped IPv4 are read through', () => {
  expect(
    hops(
      'x-forwarded-for',
      '203.0.113.7:8080, [2001:DB8::1]:443, [2001:db8::2], 2001:db8::3, fe80::1%eth0, ::ffff:192.0.2.1',
    ),
  ).toEqual(['192.0.2.1', 'fe80::1', '2001:db8::3', '2001:db8::2', '2001:db8::1', '203.0.113.7']);
});

test('hops of Forwarded come nearest first, whatever the order, case and quoting of their parameters', () => {
  const value =
    'For="[2001:db8:cafe::17]:4711", for=192.0.2.43;proto=https;by=10.0.0.1,proto=http; for="198.51.100.3:80" ;host="a,b;for=1.1.1.1"';
  expect(hops('forwarded', value)).toEqual(['198.51.100.3', '192.0.2.43', '2001:db8:cafe::17']);
});

test('a hop that does not say an address is a hop all the same', () => {
  expect(hops('x-forwarded-for', '203.0.113.7, unknown, 10.0.0.1')).toEqual(['10.0.0.1', undefined, '203.0.113.7']);
  expect(hops('forwarded', 'for=203.0.113.7, for=unknown, for="_hidden", proto=https')).toEqual([
    undefined,
    undefined,
    undefined,
    '203.0.113.7',
  ]);
});

test('empty elements are none', () => {
  expect(hops('x-forwarded-for', '')).toEqual([]);
  expect(hops('x-forwarded-for', ' , ,10.0.0.1,, ')).toEqual(['10.0.0.1']);
  expect(hops('x-forwarded-for', ',10.0.0.1')).toEqual(['10.0.0.1']);
  expect(hops('forwarded', ',for=10.0.0.1,')).toEqual(['10.0.0.1']);
});

test('an escaped quote neither opens nor closes a quoted string', () => {
  expect(hops('forwarded', String.raw`for=10.0.0.1, for=10.0.0.2;host="a\",for=1.1.1.1"`)).toEqual([
    '10.0.0.2',
    '10.0.0.1',
  ]);
});

test.each(['x-forwarded-for', 'forwarded'] as const)(
  'in %s no text that stands before a proxy’s element changes how that element reads',
  (header) => {
    const forged = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(fc.constantFrom('"', '\\', ',', ';', '=', 'for', ' ', '10.0.0.1', '[', ']', '::1', ':'), {
          maxLength: 30,
        })
        .map((parts) => parts.join('')),
    );
    const node = fc.oneof(fc.ipV4(), fc.constant('2001:db8::7'));
    fc.assert(
      fc.property(forged, node, (text, address) => {
        const quoted = address.includes(':') ? `"[${address}]"` : address;
        const element = header === 'forwarded' ? `proto=https;for=${quoted}` : address;
        expect(hops(header, `${text}, ${element}`)[0]).toBe(address);
      }),
      { numRuns: 500 },
    );
  },
);
