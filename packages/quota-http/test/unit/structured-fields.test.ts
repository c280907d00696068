import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldBytes, fieldInteger, fieldString, MAX_FIELD_INTEGER } from '../../src/structured-fields.ts';

/** RFC 9651, 4.2.5: reads a String that fills the whole text; anything else is an error. */
function parseString(text: string): string {
  let value = '';
  let at = 1;
  if (text[0] !== '"') throw new Error('no quote');
  for (;;) {
    const char = text[at] ?? '';
    at += 1;
    if (char === '"') break;
    if (char < ' ' || char > '~') throw new Error(`not allowed: ${char}`);
    if (char !== '\\') {
      value += char;
      continue;
    }
    const escaped = text[at] ?? '';
    if (escaped !== '"' && escaped !== '\\') throw new Error('bad escape');
    value += escaped;
    at += 1;
  }
  if (at !== text.length) throw new Error('text after the string');
  return value;
}

test('a name of plain characters stands as it is, with quotes and backslashes escaped', () => {
  expect(fieldString('burst')).toBe('"burst"');
  expect(fieldString('a "b" \\c')).toBe('"a \\"b\\" \\\\c"');
});

test('any text becomes a valid String from which the text can be read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decodeURIComponent(parseString(fieldString(text)))).toBe(text);
    }),
  );
});

test('a lone surrogate does not make a response fail', () => {
  expect(fieldString('a\ud800b')).toBe('"a%EF%BF%BDb"');
});

test('an integer never has more than the 15 digits that the format allows, and is never negative', () => {
  expect(fieldInteger(Number.MAX_SAFE_INTEGER)).toBe(String(MAX_FIELD_INTEGER));
  expect(fieldInteger(-3)).toBe('0');
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e17, max: 1e17 }), (value) => {
      expect(fieldInteger(value)).toMatch(/^\d{1,15}$/);
    }),
  );
});

test('bytes are base64 between colons', () => {
  expect(fieldBytes('trial121323')).toBe(':dHJpYWwxMjEzMjM=:');
  expect(fieldBytes('é')).toBe(':w6k=:');
});
