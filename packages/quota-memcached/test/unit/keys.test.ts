import { QuotaError } from '@weir/quota';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classicKey, MAX_BINARY_KEY_BYTES, MAX_KEY_BYTES, metaKey } from '../../src/keys.ts';

const anyKey = fc.uint8Array({ minLength: 1, maxLength: 150 });
const trickyKey = fc.oneof(
  anyKey,
  fc.stringMatching(/^~b64~[!-~]{0,40}$/).map((text) => Buffer.from(text)),
  anyKey.map((bytes) => Buffer.from(`~b64~${Buffer.from(bytes).toString('base64')}`)),
);
const SENDABLE = /^[!-~]{1,250}$/;

describe('meta keys', () => {
  test('keys of any bytes are sendable, and the server decodes them back to the same bytes', () => {
    fc.assert(
      fc.property(trickyKey, (bytes) => {
        const { text, flag } = metaKey(bytes);
        expect(text).toMatch(SENDABLE);
        const stored = flag === ' b' ? Buffer.from(text, 'base64') : Buffer.from(text, 'latin1');
        expect([...stored]).toEqual([...bytes]);
      }),
    );
  });

  test('a text and its UTF-8 bytes are one key', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }), (text) => {
        expect(metaKey(text)).toEqual(metaKey(Buffer.from(text, 'utf8')));
      }),
    );
  });
});

test('two keys never become one in the classic protocol', () => {
  fc.assert(
    fc.property(trickyKey, trickyKey, (one, other) => {
      const same = Buffer.from(one).equals(Buffer.from(other));
      expect(classicKey(one)).toMatch(SENDABLE);
      expect(classicKey(one) === classicKey(other)).toBe(same);
    }),
    { examples: [[Buffer.from('a b'), Buffer.from('~b64~YSBi')]] },
  );
});

test('lengths are bounded as memcached bounds them', () => {
  expect(metaKey('x'.repeat(MAX_KEY_BYTES)).flag).toBe('');
  expect(metaKey('é'.repeat(MAX_BINARY_KEY_BYTES / 2)).text).toHaveLength(248);
  for (const bad of ['', 'x'.repeat(MAX_KEY_BYTES + 1), ' '.repeat(MAX_BINARY_KEY_BYTES + 1)]) {
    expect(() => metaKey(bad)).toThrow(QuotaError);
    expect(() => classicKey(bad)).toThrow(QuotaError);
  }
});
