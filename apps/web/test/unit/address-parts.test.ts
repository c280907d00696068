import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressParts } from '../../src/format/address-parts.ts';

it('keeps scheme, labels and port whole', () => {
  expect(addressParts('https://s3.fra.example.net:9021')).toEqual([
    'https://',
    's3',
    '.fra',
    '.example',
    '.net',
    ':9021',
  ]);
  expect(addressParts('redis://[fd00::7]:6380/0')).toEqual(['redis://', '[fd00', ':', ':7]', ':6380', '/0']);
  expect(addressParts('memory')).toEqual(['memory']);
  expect(addressParts('')).toEqual([]);
});

it('loses nothing of any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.webUrl(), fc.string(), fc.string({ unit: fc.constantFrom('.', ':', '/', 'a', '@', '\n') })),
      (text) => {
        expect(addressParts(text).join('')).toBe(text);
      },
    ),
  );
});
