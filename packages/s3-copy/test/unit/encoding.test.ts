import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeListedKey, encodeKey, encodeQueryText } from '../../src/percent-encoding.ts';
import { urlParts, parseEndpoint } from '../../src/endpoint.ts';
import { compareUtf8 } from '../../src/utf8-order.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });

describe('percent-encoding', () => {
  test('any key survives encoding and decoding, byte for byte', () => {
    fc.assert(
      fc.property(anyText, (key) => {
        expect(decodeListedKey(encodeKey(key))).toEqual({ text: key, exact: true });
        expect(decodeListedKey(encodeQueryText(key))).toEqual({ text: key, exact: true });
      }),
    );
  });

  test('an encoded key holds only characters that need no encoding, and every slash of the key', () => {
    fc.assert(
      fc.property(anyText, (key) => {
        expect(encodeKey(key)).toMatch(/^(?:[A-Za-z0-9\-._~/]|%[0-9A-F]{2})*$/);
        expect(encodeQueryText(key)).toMatch(/^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
        expect(encodeKey(key).split('/')).toHaveLength(key.split('/').length);
      }),
    );
  });

  test.each([
    ['+ %&?#', '%2B%20%25%26%3F%23'],
    ['//a/../b/./', '//a/../b/./'],
    ['é', '%C3%A9'],
    ['e\u0301', 'e%CC%81'],
    ['😀', '%F0%9F%98%80'],
    ['\u0001\u007f', '%01%7F'],
    [`"'*!()`, '%22%27%2A%21%28%29'],
  ])('%j becomes %s', (key, encoded) => {
    expect(encodeKey(key)).toBe(encoded);
  });

  test('listings may write a space as a plus, and a stray percent sign stands for itself', () => {
    expect(decodeListedKey('a+b%2Bc').text).toBe('a b+c');
    expect(decodeListedKey('100%').text).toBe('100%');
    expect(decodeListedKey('%zz%4').text).toBe('%zz%4');
  });

  test('a key that is no valid UTF-8 is marked, not silently changed', () => {
    expect(decodeListedKey('a%FFb')).toEqual({ text: 'a\uFFFDb', exact: false });
    expect(decodeListedKey('%ED%A0%80').exact).toBe(false);
    expect(decodeListedKey('%EF%BB%BFa')).toEqual({ text: '\uFEFFa', exact: true });
  });
});

describe('addresses', () => {
  test('a key is never normalised: neither dots nor slashes disappear', () => {
    const endpoint = parseEndpoint('http://h:9000/', 'r', true);
    expect(urlParts(endpoint, { bucket: 'b', key: '../x//./y/' }).path).toBe('/b/../x//./y/');
    expect(urlParts(endpoint, { bucket: 'b', key: '/x' }).path).toBe('/b//x');
  });

  test('path style and virtual-host style put the bucket where they should', () => {
    const path = parseEndpoint('https://s3.test/base/', 'r', true);
    const host = parseEndpoint('https://s3.test/base/', 'r', false);
    expect(urlParts(path, { bucket: 'b', key: 'k' })).toMatchObject({ host: 's3.test', path: '/base/b/k' });
    expect(urlParts(host, { bucket: 'b', key: 'k' })).toMatchObject({
      host: 'b.s3.test',
      origin: 'https://b.s3.test',
      path: '/base/k',
    });
    expect(urlParts(host, { bucket: 'b', key: null }).path).toBe('/base');
    expect(urlParts(parseEndpoint('http://h', 'r', false), { bucket: 'b', key: null }).path).toBe('/');
  });

  test('a query is sorted by its encoded names, as the signature needs it', () => {
    const endpoint = parseEndpoint('http://h', 'r', true);
    const query = [
      ['prefix', 'a b'],
      ['list-type', '2'],
      ['uploads', ''],
    ] as const;
    expect(urlParts(endpoint, { bucket: 'b', key: null, query }).query).toBe('list-type=2&prefix=a%20b&uploads=');
  });

  test.each(['', 'ftp://x', 'localhost:9000', 'http://'])('%j is refused as an address', (url) => {
    expect(() => parseEndpoint(url, 'r', true)).toThrow(TypeError);
  });
});

describe('order of keys', () => {
  test('is that of their bytes in UTF-8, for any two texts', () => {
    const nearSurrogates = fc.string({
      unit: fc.constantFrom('a', '\u00e9', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.oneof(anyText, nearSurrogates), fc.oneof(anyText, nearSurrogates), (left, right) => {
        const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
        expect(Math.sign(compareUtf8(left, right))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
