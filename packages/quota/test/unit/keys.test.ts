import { createHash } from 'node:crypto';
import { isIPv6, SocketAddress } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressSubject } from '../../src/addresses.ts';
import { escapeText, unescapeText } from '../../src/key-text.ts';
import { companionKey, counterKey, keyPrefix, MAX_KEY_BYTES, parseKey } from '../../src/keys.ts';
import { sha256Hex } from '../../src/sha256.ts';

/** Any JavaScript string, halves of surrogate pairs included, with a taste for the characters that matter here. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(':', '{', '}', '%', '~', '*', 'a', 'é', '\ud800', '\udc00', ' '),
    minLength: 1,
    maxLength: 8,
  }),
  fc.string({ minLength: 90, maxLength: 300 }),
);
const anyQuotaId = fc.string({ unit: fc.constantFrom('a', ':', '-', 'B', '.'), minLength: 1, maxLength: 10 });
const period = '2026-11-30T14:05:09x604800@+05:45:15';

describe('keys', () => {
  it('spell out quota, subject and period', () => {
    expect(counterKey('api', 'tenant-7', '2026-11-30')).toBe('wq1:api:{tenant-7}:2026-11-30');
    expect(companionKey(keyPrefix('api', 'tenant-7'), 'once', 'order 9')).toBe('wq1:api:{tenant-7}:once:order%209');
  });

  it('never let two pairs of quota and subject share a counter', () => {
    expect(counterKey('login', 'ip:1', '2026')).not.toBe(counterKey('login:ip', '1', '2026'));
    fc.assert(
      fc.property(anyQuotaId, anyText, anyQuotaId, anyText, (quotaA, subjectA, quotaB, subjectB) => {
        const same = quotaA === quotaB && subjectA === subjectB;
        expect(counterKey(quotaA, subjectA, period) === counterKey(quotaB, subjectB, period)).toBe(same);
      }),
      { numRuns: 3_000 },
    );
  });

  it('can be read back, are printable, have no pattern characters and at most 250 bytes', () => {
    fc.assert(
      fc.property(anyQuotaId, anyText, fc.string({ unit: 'binary', maxLength: 100 }), (quotaId, subject, rest) => {
        const counter = counterKey(quotaId, subject, period);
        const companion = companionKey(keyPrefix(quotaId, subject), 'refund', rest);
        for (const key of [counter, companion]) {
          expect(key).toMatch(/^[!-~]+$/);
          expect(key).not.toMatch(/[*?[\]\\^]/);
          expect(key.length).toBeLessThanOrEqual(MAX_KEY_BYTES);
        }
        const name = parseKey(counter);
        expect(name).toMatchObject({ quotaId, kind: 'counter', rest: period });
        const known = name?.subject ?? '?';
        expect(name?.shortened === true ? subject.startsWith(known) : subject === known).toBe(true);
        expect(parseKey(companion)).toMatchObject({ quotaId, kind: 'refund' });
      }),
      { numRuns: 2_000 },
    );
  });

  it('have the subject as the hash tag of a Redis Cluster', () => {
    fc.assert(
      fc.property(anyQuotaId, anyText, (quotaId, subject) => {
        const prefix = keyPrefix(quotaId, subject);
        expect(tag(`${prefix}2026`)).toBe(tag(companionKey(prefix, 'holds', '2026')));
        expect(tag(`${prefix}2026`)).toBe(tag(keyPrefix('other', subject)));
      }),
    );
  });

  it('of others are not read as keys of this schema', () => {
    for (const key of [
      '',
      'rl:1',
      'wq2:a:{b}:2026',
      'wq1:a:{}:2026',
      'wq1:a:{b}:',
      'wq1:a:{b c}:2026',
      'wq1:a:{%zz}:2026',
    ]) {
      expect({ key, name: parseKey(key) }).toEqual({ key, name: undefined });
    }
  });

  it('escaped text is unescaped to itself, and only text that was escaped is unescaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => unescapeText(escapeText(text)) === text),
      { numRuns: 2_000 },
    );
    for (const wrong of ['%', '%4', '%41', '%C3', '%C3%28', '%F8%80%80%80', '%e9', 'a b', '{']) {
      expect({ wrong, text: unescapeText(wrong) }).toEqual({ wrong, text: undefined });
    }
  });
});

describe('sha256Hex', () => {
  it('agrees with the host, for every length around the block size and beyond', () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
      maxLength: 300,
    });
    fc.assert(
      fc.property(ascii, (text) => sha256Hex(text) === createHash('sha256').update(text, 'latin1').digest('hex')),
      { numRuns: 500 },
    );
    for (let length = 0; length <= 130; length++) {
      const text = 'x'.repeat(length);
      expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }
  });
});

describe('addressSubject', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:0207', '192.0.2.7'],
    ['[2001:db8:1:2:3:4:5:6]', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b::/64'],
  ])('%s is charged as %s', (address, subject) => {
    expect(addressSubject(address)).toBe(subject);
  });

  it('cuts to any prefix, as the host would', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.integer({ min: 1, max: 128 }), (groups, bits) => {
        const text = groups.map((value) => value.toString(16)).join(':');
        const [network = '', length] = addressSubject(text, bits).split('/');
        fc.pre(!network.includes('.'));
        const value = (address: string): bigint =>
          new SocketAddress({ address, family: 'ipv6' }).address === '' ? -1n : expand(address);
        expect(isIPv6(network)).toBe(true);
        expect(value(network) >> BigInt(128 - bits)).toBe(expand(text) >> BigInt(128 - bits));
        expect(value(network) & ((1n << BigInt(128 - bits)) - 1n)).toBe(0n);
        expect(length).toBe(bits === 128 ? undefined : String(bits));
      }),
    );
  });

  it.each(['', 'localhost', '1.2.3', '1.2.3.256', '1:2', '::1::', ':::', '1:2:3:4:5:6:7:8:9', 'g::1', '12345::'])(
    'refuses %j',
    (address) => {
      expect(() => addressSubject(address)).toThrow(expect.objectContaining({ code: 'invalid-subject' }));
    },
  );

  it.each([0, 129, 1.5, Number.NaN])('refuses a prefix of %d bits', (bits) => {
    expect(() => addressSubject('::1', bits)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});

/** What a Redis Cluster hashes of a key. */
function tag(key: string): string {
  return /\{([^}]+)\}/.exec(key)?.[1] ?? key;
}

function expand(address: string): bigint {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
