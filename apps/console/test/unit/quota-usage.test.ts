import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { POINT_MS, POINTS, refusalSeries } from '../../src/quotas/refusal-series.ts';
import { UsageBook } from '../../src/quotas/usage-book.ts';

const DAY_MS = POINT_MS * POINTS;
const NOW = Date.parse('2026-11-30T12:03:00Z');
const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, n) => all + (n ?? 0), 0);

test('every minute of the last day is in exactly one point, and no count is lost', () => {
  const minute = fc.record({
    agoMinutes: fc.integer({ min: 0, max: 1_600 }),
    admitted: fc.nat(1_000),
    refused: fc.nat(1_000),
    subjectsAtLimit: fc.option(fc.nat(50)),
  });
  fc.assert(
    fc.property(fc.uniqueArray(minute, { selector: ({ agoMinutes }) => agoMinutes, maxLength: 60 }), (given) => {
      const minutes = given.map(({ agoMinutes, ...counts }) => ({
        definitionId: 'q',
        atMs: Math.floor(NOW / 60_000) * 60_000 - agoMinutes * 60_000,
        ...counts,
      }));
      const series = refusalSeries(minutes, NOW);
      const [first = 0] = series.atMs;
      const shown = minutes.filter(({ atMs }) => atMs >= first);
      expect(sum(series.refused)).toBe(shown.reduce((all, { refused }) => all + refused, 0));
      expect(sum(series.admitted)).toBe(shown.reduce((all, { admitted }) => all + admitted, 0));
      expect(series.refused.map((n) => n === null)).toEqual(series.admitted.map((n) => n === null));
      const points = new Set(shown.map(({ atMs }) => Math.floor(atMs / POINT_MS)));
      expect(series.refused.filter((n) => n !== null)).toHaveLength(points.size);
    }),
  );
});

test('the picture is a day long and ends now', () => {
  const { atMs } = refusalSeries([], NOW);
  expect(atMs).toHaveLength(POINTS);
  expect(NOW - (atMs.at(-1) ?? 0)).toBeLessThan(POINT_MS);
  expect((atMs.at(-1) ?? 0) - (atMs[0] ?? 0)).toBe(DAY_MS - POINT_MS);
});

const taken = (subject: string | null, refused: boolean, resetAtMs: number) => ({
  subject,
  refused,
  used: 5,
  limit: 5,
  resetAtMs,
});

test('refusals are counted for an hour, and by subject until its period ends', () => {
  const book = new UsageBook();
  book.note(taken('a', true, NOW + 60_000), NOW);
  book.note(taken('a', true, NOW + 60_000), NOW + 1_000);
  book.note(taken(null, true, NOW + 60_000), NOW + 2_000);
  expect(book.subjects(NOW + 3_000)).toMatchObject([{ subject: 'a', refused: 2 }]);
  book.note(taken('a', true, NOW + 120_000), NOW + 61_000);
  expect(book.subjects(NOW + 61_000)).toMatchObject([{ subject: 'a', refused: 1 }]);
  expect(book.subjects(NOW + 120_000)).toEqual([]);
  expect(book.refusedLastHour(NOW + 59 * 60_000)).toBe(4);
  expect(book.refusedLastHour(NOW + 60 * 60_000)).toBe(1);
  expect(book.refusedLastHour(NOW + 61 * 60_000)).toBe(0);
  expect({ takes: book.takes, refused: book.refused }).toEqual({ takes: 4, refused: 4 });
});

test('a minute is handed out once', () => {
  const book = new UsageBook();
  book.note(taken('a', false, NOW + 60_000), NOW);
  book.note(taken('a', true, NOW + 60_000), NOW);
  expect(book.takeMinute()).toEqual({ admitted: 1, refused: 1 });
  expect(book.takeMinute()).toEqual({ admitted: 0, refused: 0 });
});

test('a flood of subjects does not grow the book', () => {
  const book = new UsageBook();
  for (let n = 0; n < 5_000; n += 1) book.note(taken(`s${n}`, false, NOW + 60_000), NOW);
  expect(book.subjects(NOW)).toHaveLength(1_000);
});
