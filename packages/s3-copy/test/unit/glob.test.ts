import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlob } from '../../src/glob.ts';

function matching(pattern: string, keys: string[]): string[] {
  return keys.filter(compileGlob(pattern));
}

/** The same meaning, written down as a regular expression; for patterns without braces and escapes. */
function asRegExp(pattern: string): RegExp {
  const anchored = pattern.startsWith('/');
  let rest = anchored ? pattern.slice(1) : pattern;
  let source = anchored ? '' : '(?:[^]*\\/)?';
  let begins = true;
  while (rest !== '') {
    const folders = begins ? /^\*\*+\//.exec(rest) : null;
    const stars = /^\*+/.exec(rest);
    if (folders !== null) {
      source += '(?:[^]*\\/)?';
      rest = rest.slice(folders[0].length);
      continue;
    }
    if (stars !== null) source += stars[0].length > 1 ? '[^]*' : '[^/]*';
    else if (rest[0] === '?') source += '[^/]';
    else source += rest[0]!.replace(/[/.]/, '\\$&');
    begins = rest[0] === '/';
    rest = rest.slice(stars?.[0].length ?? 1);
  }
  return new RegExp(`^${source}${begins ? '[^]*' : ''}$`);
}

describe('a glob', () => {
  const keys = ['a.jpg', 'b/a.jpg', 'b/c/a.jpg', 'b/a.jpgx', 'xa.jpg', 'b/', 'b'];

  test('without a slash in front matches a name at any depth, with one only at the prefix', () => {
    expect(matching('a.jpg', keys)).toEqual(['a.jpg', 'b/a.jpg', 'b/c/a.jpg']);
    expect(matching('/a.jpg', keys)).toEqual(['a.jpg']);
    expect(matching('c/a.jpg', keys)).toEqual(['b/c/a.jpg']);
  });

  test('takes * within a segment, ** across segments, ? for one character', () => {
    expect(matching('/*.jpg', keys)).toEqual(['a.jpg', 'xa.jpg']);
    expect(matching('/b/*.jpg', keys)).toEqual(['b/a.jpg']);
    expect(matching('/b/**.jpg', keys)).toEqual(['b/a.jpg', 'b/c/a.jpg']);
    expect(matching('/b/**/a.jpg', keys)).toEqual(['b/a.jpg', 'b/c/a.jpg']);
    expect(matching('/?a.jpg', keys)).toEqual(['xa.jpg']);
    expect(matching('**', keys)).toEqual(keys);
  });

  test('that ends in a slash means all that is below', () => {
    expect(matching('b/', keys)).toEqual(['b/a.jpg', 'b/c/a.jpg', 'b/a.jpgx', 'b/']);
    expect(matching('/c/', keys)).toEqual([]);
  });

  test('knows classes, braces and escapes; what is left open stands for itself', () => {
    expect(matching('/[a-cx]*.{jpg,png{,2}}', ['a.jpg', 'x1.png', 'd.jpg', 'b.png2'])).toEqual([
      'a.jpg',
      'x1.png',
      'b.png2',
    ]);
    expect(matching('/[!a]', ['a', 'b', '/', '!'])).toEqual(['b', '!']);
    expect(matching('/[]a]', [']', 'a', 'b'])).toEqual([']', 'a']);
    expect(matching('/\\*\\{a,b\\}', ['*{a,b}', 'xa'])).toEqual(['*{a,b}']);
    expect(matching('/{a', ['{a', 'a'])).toEqual(['{a']);
    expect(matching('/[a', ['[a', 'a'])).toEqual(['[a']);
    expect(matching('/{x{a,b}', ['{xa', '{xb', 'xa'])).toEqual(['{xa', '{xb']);
    expect(matching('/a\\/', ['a/', 'a/b'])).toEqual(['a/']);
  });

  test('counts a character outside of the basic plane as one', () => {
    expect(matching('/?', ['😀', 'é', 'ab'])).toEqual(['😀', 'é']);
    expect(matching('/[😀-😂]x', ['😁x', '😃x'])).toEqual(['😁x']);
  });

  test('means the same as its definition, for any pattern and key', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '**', '?', '.', '**/', '/**/');
    const pattern = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '\n'), maxLength: 10 });
    fc.assert(
      fc.property(pattern, fc.array(key, { minLength: 1, maxLength: 8 }), (glob, texts) => {
        const matches = compileGlob(glob);
        const expected = asRegExp(glob);
        for (const text of texts) expect([text, matches(text)]).toEqual([text, expected.test(text)]);
      }),
      { numRuns: 3_000 },
    );
  });

  test('matches a key that is written out with escapes, and no other', () => {
    const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(key, key, (name, other) => {
        const written = Array.from(name, (character) => `\\${character}`).join('');
        const matches = compileGlob(`/${written}`);
        expect(matches(name)).toBe(true);
        expect(matches(other)).toBe(other === name);
      }),
    );
  });

  test('braces mean the same as their alternatives one by one', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 3 });
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 4 }), word, key, (before, words, after, text) => {
        const each = words.map((middle) => `/${before}${middle}${after}`);
        expect(compileGlob(`/${before}{${words.join(',')}}${after}`)(text)).toBe(
          each.some((pattern) => compileGlob(pattern)(text)),
        );
      }),
    );
  });

  test('takes time by its length, not by all the ways to match: no pattern can hold up a run', () => {
    const matches = compileGlob(`/${'*a**a'.repeat(40)}b`);
    const started = performance.now();
    expect(matches(`${'a'.repeat(1_023)}b`.slice(0, 1_023))).toBe(false);
    expect(matches(`${'a'.repeat(1_000)}c/b`)).toBe(false);
    // Going back for each star would take longer than the universe has lasted.
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('is refused when it is empty, too long, or stands for too many alternatives', () => {
    expect(() => compileGlob('')).toThrow(RangeError);
    expect(() => compileGlob('a'.repeat(2_049))).toThrow(/2048 characters/);
    expect(() => compileGlob('{a,b}'.repeat(9))).toThrow(/256 alternatives/);
    expect(compileGlob('{a,b}'.repeat(8))('abababab')).toBe(true);
  });
});
