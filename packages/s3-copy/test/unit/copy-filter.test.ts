import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_FILTER, compileFilter, problemsOfFilter } from '../../src/copy-filter.ts';
import type { CopyFilter } from '../../src/copy-filter.ts';

const object = (key: string, sizeBytes = 10, lastModifiedMs = 1_000) => ({ key, sizeBytes, lastModifiedMs });

function passing(filter: Partial<CopyFilter>, objects: ReturnType<typeof object>[], prefix = ''): string[] {
  return objects.filter(compileFilter({ ...NO_FILTER, ...filter }, prefix)).map(({ key }) => key);
}

describe('a filter', () => {
  test('lets everything pass when it says nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.nat(), (key, size, time) => {
        expect(passing({}, [object(key, size, time)])).toEqual([key]);
      }),
    );
  });

  test('looks at keys without the prefix of the source', () => {
    const objects = [object('photos/a.jpg'), object('photos/x/b.jpg'), object('photos/c.txt')];
    expect(passing({ include: ['/*.jpg'] }, objects, 'photos/')).toEqual(['photos/a.jpg']);
    expect(passing({ exclude: ['photos/**'] }, objects, 'photos/')).toHaveLength(3);
  });

  test('wants one of the included patterns and none of the excluded ones; excluding wins', () => {
    const objects = [object('a.jpg'), object('tmp/b.jpg'), object('c.txt')];
    expect(passing({ include: ['*.jpg', 'c.*'], exclude: ['tmp/'] }, objects)).toEqual(['a.jpg', 'c.txt']);
    expect(passing({ exclude: ['*.jpg'] }, objects)).toEqual(['c.txt']);
  });

  test('bounds sizes on both sides inclusively, and times from "at or after" to "before"', () => {
    const optional = fc.option(fc.nat(5), { nil: null });
    fc.assert(
      fc.property(
        optional,
        optional,
        optional,
        optional,
        fc.nat(6),
        fc.nat(6),
        (min, max, after, before, size, time) => {
          const filter = { minBytes: min, maxBytes: max, modifiedAfterMs: after, modifiedBeforeMs: before };
          fc.pre(problemsOfFilter({ ...NO_FILTER, ...filter }).length === 0);
          const sizeFits = size >= (min ?? 0) && size <= (max ?? 9);
          const timeFits = time === 0 || (time >= (after ?? 0) && time < (before ?? 9));
          expect(passing(filter, [object('k', size, time)])).toEqual(sizeFits && timeFits ? ['k'] : []);
        },
      ),
    );
  });

  test('two spans of time that meet share no object and lose none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (cut, time) => {
        const older = passing({ modifiedBeforeMs: cut }, [object('k', 1, time)]);
        const newer = passing({ modifiedAfterMs: cut }, [object('k', 1, time)]);
        expect([...older, ...newer]).toEqual(['k']);
      }),
    );
  });

  test('that can pass nothing or says nonsense is refused, with everything that is wrong', () => {
    const filter = {
      include: ['', 'ok'],
      exclude: ['{a,b}'.repeat(9)],
      minBytes: 5,
      maxBytes: 4,
      modifiedAfterMs: Number.NaN,
      modifiedBeforeMs: -1,
    };
    expect(problemsOfFilter(filter).map(({ field }) => field)).toEqual([
      'include.0',
      'exclude.0',
      'modifiedAfterMs',
      'modifiedBeforeMs',
      'minBytes',
    ]);
    expect(() => compileFilter(filter, '')).toThrow(expect.objectContaining({ code: 'invalid-filter' }));
    expect(problemsOfFilter({ ...NO_FILTER, include: Array.from({ length: 1_001 }, () => '*') })).toHaveLength(1);
    expect(problemsOfFilter({ ...NO_FILTER, modifiedAfterMs: 5, modifiedBeforeMs: 5 })).toHaveLength(1);
  });
});
