import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAddress } from '../../src/addresses.ts';
import { pauseMs } from '../../src/backoff.ts';
import { spreadOver } from '../../src/spreading.ts';

const names = ['10.0.0.1:11211', '10.0.0.2:11211', '10.0.0.3:11211', '10.0.0.4:11211', '10.0.0.5:11211'];
const keys = Array.from({ length: 20_000 }, (_, index) => `wq1:api:{tenant-${index}}:2026-11-30`);

test('keys spread evenly: no server holds 10 % more or less than its part', () => {
  const indexOf = spreadOver(names);
  const held = names.map(() => 0);
  for (const key of keys) held[indexOf(key)]! += 1;
  const part = keys.length / names.length;
  for (const count of held) expect(Math.abs(count - part)).toBeLessThan(part / 10);
});

test('a server that leaves moves only its own keys, whatever the order of the list', () => {
  const before = spreadOver(names);
  const left = ['10.0.0.5:11211', '10.0.0.1:11211', '10.0.0.4:11211', '10.0.0.2:11211'];
  const after = spreadOver(left);
  const stayed = keys.filter((key) => names[before(key)] !== '10.0.0.3:11211');
  expect(stayed.map((key) => left[after(key)])).toEqual(stayed.map((key) => names[before(key)]));
});

test('every key has a server, always the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const index = spreadOver(names)(key);
      expect(names[index]).toBeDefined();
      expect(spreadOver(names)(key)).toBe(index);
      expect(spreadOver(['one'])(key)).toBe(0);
    }),
  );
});

test('addresses are read in every form, and nonsense is named', () => {
  expect(parseAddress('cache')).toMatchObject({ name: 'cache:11211', host: 'cache', port: 11_211, tls: false });
  expect(parseAddress('127.0.0.1:1')).toMatchObject({ name: '127.0.0.1:1', port: 1 });
  expect(parseAddress('memcached://cache:22122/')).toMatchObject({ name: 'cache:22122', tls: false });
  expect(parseAddress('memcacheds://cache')).toMatchObject({ name: 'cache:11211', tls: true });
  expect(parseAddress('[::1]:5')).toMatchObject({ name: '[::1]:5', host: '::1', port: 5 });
  expect(parseAddress('unix:/run/cache.sock')).toMatchObject({ path: '/run/cache.sock', name: '/run/cache.sock' });
  for (const bad of ['', ':1', 'cache:0', 'cache:65536', 'cache:x', 'redis://cache', 'user:pw@cache', 'a b', '::1']) {
    expect(() => parseAddress(bad)).toThrow(/host:port/);
  }
});

test('pauses between attempts double up to 2 s, half of each by chance', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (failures, random) => {
        const ceiling = Math.min(2_000, 50 * 2 ** (failures - 1));
        const pause = pauseMs(failures, random);
        expect(pause).toBeGreaterThanOrEqual(ceiling / 2);
        expect(pause).toBeLessThan(ceiling);
      },
    ),
  );
});
