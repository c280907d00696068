import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../support/memory-store.ts';
import { NOW_MS, reportOn, tallyOf, undated } from '../support/judging.ts';

const DAY_MS = 86_400_000;

function isoDay(daysAgo: number): string {
  return new Date(NOW_MS - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

/** Entries with these keys, all numbers without a deadline: the most suspicious that they can be. */
function numbers(keys: readonly string[]): [string, Entry][] {
  return keys.map((key) => [key, undated()]);
}

function range(length: number, key: (n: number) => string): string[] {
  return Array.from({ length }, (_, n) => key(n));
}

/** Epoch seconds at which the n-th hour before now began. */
function startOf(n: number): number {
  return (Math.floor(NOW_MS / 3_600_000) - n) * 3_600;
}

describe('names that no limiter we know writes', () => {
  it('never calls anything a counter in a store of sessions, caches, ids, bookings and birthdays, even if all are numbers', () => {
    const word = fc.constantFrom('user', 'order', 'cart', 'sku', 'post', 'tenant', 'job', 'lock', 'flag', 'cache');
    const shape = fc.oneof(
      fc.uuid().map((id) => `sess:${id}`),
      fc.tuple(word, fc.integer({ min: 1, max: 10_000_000 })).map(([name, id]) => `${name}:${id}`),
      fc.tuple(word, fc.integer({ min: 1_000_000_000, max: 9_999_999_999 })).map(([name, id]) => `${name}:${id}`),
      fc.tuple(word, fc.integer({ min: 1e12, max: 9.9e12 })).map(([name, id]) => `${name}/${id}`),
      fc.tuple(word, fc.stringMatching(/^[a-f0-9]{32}$/)).map(([name, id]) => `${name}:${id}:version`),
      fc.ipV4().map((address) => `geo:${address}`),
      fc.ipV6().map((address) => `geo6:${address}`),
      fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }).map((text) => `cache:${text}`),
      fc.integer({ min: 1, max: 700 }).map((ahead) => `event:${isoDay(-ahead)}:seats`),
      fc.integer({ min: 1, max: 700 }).map((ago) => `event:${isoDay(ago)}:seats`),
      fc.integer({ min: 4_000, max: 30_000 }).map((ago) => `born:${isoDay(ago)}`),
    );
    fc.assert(
      fc.property(fc.uniqueArray(shape, { minLength: 200, maxLength: 400 }), (keys) => {
        // Bookings are made for the future as well.
        const all = [...keys, `event:${isoDay(-3)}:seats`, `event:${isoDay(-90)}:seats`];
        const report = reportOn(numbers(all));
        expect(report.families.map(({ family, examples }) => `${family}: ${examples.join()}`)).toEqual([]);
        expect(report.findings.keys).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('does not take ids in the range of dates for dates', () => {
    expect(reportOn(numbers(range(3_000, (n) => `user:${20_250_000 + n}`))).findings.keys).toBe(0);
    expect(reportOn(numbers(range(3_000, (n) => `order:${1_760_000_000 + n * 37}`))).findings.keys).toBe(0);
  });

  it('takes no single number in a name for a date, whatever the words beside it', () => {
    expect(reportOn(numbers(['limit:20260105', 'usage_of:1760000040'])).findings.keys).toBe(0);
  });

  it('does so when the names hold a word of limiters, too', () => {
    const dated: [string, Entry][] = range(3_000, (n) => `ratelimit:${20_250_000 + n}`).map((key) => [
      key,
      { value: '1', deadlineMs: NOW_MS + 60_000 },
    ]);
    const { findings } = reportOn([...dated, ...numbers(['ratelimit:20250105', 'ratelimit:20259999'])]);
    // Both are undated counters of ids; neither is one of the 5th of January.
    expect(findings.ended.keys).toBe(0);
    expect(findings.undated.keys).toBeGreaterThan(0);
  });

  it('finds home-made counters with periods: by words, by several periods, by siblings that have deadlines', () => {
    expect(reportOn(numbers([`quota:u1:${isoDay(9)}`])).findings.ended.keys).toBe(1);
    expect(reportOn(numbers(range(5, (n) => `u17:${isoDay(n + 2)}`))).findings.ended.keys).toBe(5);
    const dated: [string, Entry][] = range(5, (n) => `x:${n}:${isoDay(0)}`).map((key) => [
      key,
      { value: '1', deadlineMs: NOW_MS + DAY_MS },
    ]);
    expect(reportOn([...dated, ...numbers([`x:9:${isoDay(0)}`])]).findings.undated.keys).toBe(1);
  });

  it('finds windows named by epoch seconds when all of them are aligned', () => {
    expect(reportOn(numbers(range(40, (n) => `edge_users_u${n}_${startOf(n + 2)}`))).findings.undated.keys).toBe(40);
    expect(reportOn(numbers(range(40, (n) => `edge_users_u${n}_${startOf(n) + n * 13 + 1}`))).findings.keys).toBe(0);
  });

  it('finds undated counters without a period only beside dated ones: alone they may be settings', () => {
    const alone = numbers(range(20, (n) => `quota:tenant-${n}`));
    expect(reportOn(alone).findings.keys).toBe(0);
    expect(reportOn(alone).unjudged[0]).toMatchObject({ names: 'quota:*', keys: 20, undated: 1 });
    const dated: [string, Entry][] = range(30, (n) => `quota:u${n}`).map((key) => [
      key,
      { value: '1', deadlineMs: NOW_MS + 60_000 },
    ]);
    expect(reportOn([...dated, ...alone]).findings.undated.keys).toBe(20);
  });

  it('does not believe a family of dates whose values are mostly no numbers', () => {
    const texts: [string, Entry][] = range(20, (n) => `report:${isoDay(n + 2)}:${n}`).map((key) => [
      key,
      { value: '{"a":1}', deadlineMs: undefined },
    ]);
    const few = numbers(range(5, (n) => `report:${isoDay(n + 2)}:total`));
    expect(reportOn([...texts, ...few]).findings.keys).toBe(0);
  });

  it('keeps the number of families bounded whatever the names are', () => {
    const keys = range(5_000, (n) => `${String.fromCodePoint(0x4e00 + n)}:${isoDay(3)}`);
    const { families } = reportOn(numbers(keys));
    // Each of them is one key with one date: nothing that would be believed, together or alone.
    expect(families).toEqual([]);
    expect(tallyOf(numbers(keys)).families.size).toBeLessThan(1_010);
  });
});
