import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../src/names/glob.ts';

/** The slow way: try every length for a star. */
function oracle(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const [head = '', rest] = [pattern[0], pattern.slice(1)];
  if (head === '*') {
    return Array.from({ length: text.length + 1 }, (_, n) => text.slice(n)).some((tail) => oracle(rest, tail));
  }
  return text !== '' && (head === '?' || head === text[0]) && oracle(rest, text.slice(1));
}

describe('patterns', () => {
  it('matches as trying everything does', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
    fc.assert(
      fc.property(pattern, text, (p, t) => {
        expect(matchesGlob(p, t)).toBe(oracle(p, t));
      }),
    );
  });

  it('reads sets, ranges, negation and escapes as Redis does', () => {
    const cases: [string, string, boolean][] = [
      ['h[ae]llo', 'hello', true],
      ['h[^e]llo', 'hello', false],
      ['h[^e]llo', 'hallo', true],
      ['h[a-c]llo', 'hbllo', true],
      ['h[c-a]llo', 'hbllo', true],
      ['a\\*b', 'a*b', true],
      ['a\\*b', 'axb', false],
      ['a[\\]]b', 'a]b', true],
      ['a[b', 'ab', true],
      ['*:u1:*', 'quota:u1:2026', true],
    ];
    for (const [pattern, text, expected] of cases) {
      expect({ pattern, matches: matchesGlob(pattern, text) }).toEqual({ pattern, matches: expected });
    }
  });

  it('needs no more time than pattern times text', () => {
    expect(matchesGlob(`${'a*'.repeat(200)}b`, 'a'.repeat(20_000))).toBe(false);
  });
});
