import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePeriodId } from '../../src/period-ids.ts';
import type { PeriodLength, PeriodUnit } from '../../src/period-lengths.ts';
import { periodAt } from '../../src/periods.ts';
import { zoneNamed, type Zone } from '../../src/zones.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

const one = (unit: PeriodUnit, count = 1): PeriodLength => ({ unit, count });
const at = (text: string): number => Date.parse(text);
const utc = zoneNamed('UTC');
const newYork = zoneNamed('America/New_York');
const lordHowe = zoneNamed('Australia/Lord_Howe');
const kathmandu = zoneNamed('Asia/Kathmandu');

function hours(length: PeriodLength, zone: Zone, text: string): number {
  const { startMs, endMs } = periodAt(length, zone, at(text));
  return (endMs - startMs) / HOUR;
}

describe('period ids', () => {
  it.each([
    ['second', 1, '2026-11-30T14:05:09'],
    ['minute', 1, '2026-11-30T14:05'],
    ['hour', 1, '2026-11-30T14'],
    ['day', 1, '2026-11-30'],
    ['week', 1, '2026-W49'],
    ['month', 1, '2026-11'],
    ['minute', 15, '2026-11-30T14:00x15'],
    ['month', 3, '2026-10x3'],
  ] as const)('a %s × %i is spelled out', (unit, count, id) => {
    expect(periodAt(one(unit, count), utc, at('2026-11-30T14:05:09.123Z')).id).toBe(id);
  });

  it('weeks begin on Monday and carry the ISO year of their Thursday', () => {
    expect(periodAt(one('week'), utc, at('2021-01-03T23:59:59.999Z')).id).toBe('2020-W53');
    expect(periodAt(one('week'), utc, at('2021-01-04T00:00:00Z')).id).toBe('2021-W01');
    expect(periodAt(one('week'), utc, at('2024-12-30T00:00:00Z')).id).toBe('2025-W01');
    expect(new Date(periodAt(one('week'), utc, at('2026-11-30T14:00:00Z')).startMs).getUTCDay()).toBe(1);
  });

  it('the two hours that a clock shows twice have two ids', () => {
    const first = periodAt(one('hour'), newYork, at('2026-11-01T05:30:00Z'));
    const second = periodAt(one('hour'), newYork, at('2026-11-01T06:30:00Z'));
    expect([first.id, second.id]).toEqual(['2026-11-01T01@-04:00', '2026-11-01T01@-05:00']);
    expect(first.endMs).toBe(second.startMs);
  });
});

describe('calendar days', () => {
  it('a day in New York ends at local midnight, after 23, 24 or 25 hours', () => {
    expect(hours(one('day'), newYork, '2026-03-08T12:00:00Z')).toBe(23);
    expect(hours(one('day'), newYork, '2026-06-01T12:00:00Z')).toBe(24);
    expect(hours(one('day'), newYork, '2026-11-01T12:00:00Z')).toBe(25);
    expect(periodAt(one('day'), newYork, at('2026-11-01T12:00:00Z')).endMs).toBe(at('2026-11-02T05:00:00Z'));
  });

  it('a day on Lord Howe, whose clocks move by half an hour, ends at local midnight', () => {
    expect(hours(one('day'), lordHowe, '2026-04-04T20:00:00Z')).toBe(24.5);
    expect(hours(one('day'), lordHowe, '2026-10-03T20:00:00Z')).toBe(23.5);
    expect(periodAt(one('day'), lordHowe, at('2026-04-04T20:00:00Z')).endMs).toBe(at('2026-04-05T13:30:00Z'));
  });

  it('a day in Kathmandu, 5:45 ahead, ends at 18:15 UTC', () => {
    const period = periodAt(one('day'), kathmandu, at('2026-11-30T18:14:59Z'));
    expect(period).toEqual({
      id: '2026-11-30@+05:45',
      startMs: at('2026-11-29T18:15:00Z'),
      endMs: at('2026-11-30T18:15:00Z'),
    });
  });

  it('a day whose midnight does not exist begins when the clocks have jumped over it', () => {
    const saoPaulo = zoneNamed('America/Sao_Paulo');
    const period = periodAt(one('day'), saoPaulo, at('2018-11-04T12:00:00Z'));
    expect([period.startMs, period.endMs]).toEqual([at('2018-11-04T03:00:00Z'), at('2018-11-05T02:00:00Z')]);
  });

  it('the date that Samoa skipped is no period', () => {
    const apia = zoneNamed('Pacific/Apia');
    const before = periodAt(one('day'), apia, at('2011-12-30T09:59:59Z'));
    const after = periodAt(one('day'), apia, at('2011-12-30T10:00:00Z'));
    expect(before.id.slice(0, 10)).toBe('2011-12-29');
    expect(after.id.slice(0, 10)).toBe('2011-12-31');
    expect(before.endMs).toBe(after.startMs);
  });

  it('months have 28 to 31 days and leap days count', () => {
    expect(hours(one('month'), utc, '2028-02-10T00:00:00Z')).toBe(29 * 24);
    expect(hours(one('month'), utc, '2026-02-10T00:00:00Z')).toBe(28 * 24);
    expect(hours(one('month'), utc, '2026-01-31T23:59:59Z')).toBe(31 * 24);
    expect(hours(one('month'), newYork, '2026-11-15T00:00:00Z')).toBe(30 * 24 + 1);
    expect(periodAt(one('month', 12), utc, at('2028-02-29T12:00:00Z'))).toEqual({
      id: '2028-01x12',
      startMs: at('2028-01-01T00:00:00Z'),
      endMs: at('2029-01-01T00:00:00Z'),
    });
  });
});

describe('clock periods across a change of the clocks', () => {
  it('six hours are five or seven long, never two quotas in one', () => {
    expect(hours(one('hour', 6), newYork, '2026-03-08T05:30:00Z')).toBe(5);
    expect(hours(one('hour', 6), newYork, '2026-11-01T05:30:00Z')).toBe(7);
    expect(hours(one('hour', 6), newYork, '2026-11-01T10:30:00Z')).toBe(7);
  });

  it('the hour that Lord Howe repeats by half is 90 minutes long', () => {
    expect(hours(one('hour'), lordHowe, '2026-04-04T14:15:00Z')).toBe(1.5);
    expect(hours(one('hour'), lordHowe, '2026-04-04T15:15:00Z')).toBe(1.5);
  });

  it('minutes that are shown twice are periods of their own', () => {
    const first = periodAt(one('minute'), newYork, at('2026-11-01T05:30:10Z'));
    const second = periodAt(one('minute'), newYork, at('2026-11-01T06:30:10Z'));
    expect(first.endMs - first.startMs).toBe(MINUTE);
    expect(first.id).not.toBe(second.id);
  });
});

const zones = [
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Europe/London',
  'America/Havana',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
  'Asia/Tehran',
].map(zoneNamed);
const anyZone = fc.constantFrom(...zones);
const anyLength = fc.oneof(
  fc.record({
    unit: fc.constantFrom<PeriodUnit>('second', 'minute'),
    count: fc.constantFrom(1, 2, 5, 7, 10, 15, 30, 60, 90, 600),
  }),
  fc.record({ unit: fc.constant<PeriodUnit>('hour'), count: fc.integer({ min: 1, max: 25 }) }),
  fc.record({ unit: fc.constantFrom<PeriodUnit>('day', 'week', 'month'), count: fc.integer({ min: 1, max: 13 }) }),
);
const anyTime = fc.oneof(
  fc.integer({ min: at('1995-01-01T00:00:00Z'), max: at('2037-12-31T00:00:00Z') }),
  // Near changes of the clocks.
  fc
    .tuple(
      fc.constantFrom(
        '2026-11-01T06:00:00Z',
        '2026-03-08T07:00:00Z',
        '2026-04-04T15:00:00Z',
        '2026-10-03T15:30:00Z',
        '2011-12-30T10:00:00Z',
        '2026-03-29T01:00:00Z',
        '2026-11-01T05:00:00Z',
      ),
      fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
    )
    .map(([text, shift]) => at(text) + shift),
);

describe('properties of periods', () => {
  it('a period holds its instant, and every instant of it gives the same period', () => {
    fc.assert(
      fc.property(
        anyLength,
        anyZone,
        anyTime,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (length, zone, time, share) => {
          const period = periodAt(length, zone, time);
          expect(period.startMs).toBeLessThanOrEqual(time);
          expect(period.endMs).toBeGreaterThan(time);
          const inside = Math.min(
            period.endMs - 1,
            period.startMs + Math.floor(share * (period.endMs - period.startMs)),
          );
          for (const instant of [period.startMs, inside, period.endMs - 1]) {
            expect(periodAt(length, zone, instant)).toEqual(period);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('periods follow each other without gap or overlap, each with an id of its own', () => {
    fc.assert(
      fc.property(anyLength, anyZone, anyTime, (length, zone, time) => {
        const period = periodAt(length, zone, time);
        const next = periodAt(length, zone, period.endMs);
        const previous = periodAt(length, zone, period.startMs - 1);
        expect(next.startMs).toBe(period.endMs);
        expect(previous.endMs).toBe(period.startMs);
        expect(new Set([previous.id, period.id, next.id]).size).toBe(3);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the boundaries of days, weeks and months are where a slow walk through the wall clock sees the date change', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<PeriodUnit>('day', 'week', 'month'),
        anyZone,
        fc.integer({ min: at('2012-01-01T00:00:00Z'), max: at('2037-12-01T00:00:00Z') }),
        (unit, zone, time) => {
          const period = periodAt(one(unit), zone, time);
          expect(label(unit, zone, period.startMs)).toBe(label(unit, zone, time));
          expect(label(unit, zone, period.endMs - 1)).toBe(label(unit, zone, time));
          expect(label(unit, zone, period.startMs - 1)).not.toBe(label(unit, zone, time));
          expect(label(unit, zone, period.endMs)).not.toBe(label(unit, zone, time));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('an id can be read back: same length, same start', () => {
    fc.assert(
      fc.property(anyLength, anyZone, anyTime, (length, zone, time) => {
        const period = periodAt(length, zone, time);
        const name = parsePeriodId(period.id);
        expect(name).toMatchObject({ ...length, startMs: period.startMs, zoned: !zone.utc });
        expect(Math.abs((name?.endMs ?? 0) - period.endMs)).toBeLessThanOrEqual(zone.utc ? 0 : 25 * HOUR);
      }),
      { numRuns: 1_000 },
    );
  });

  it('text that is no period id is not read as one', () => {
    for (const text of [
      '',
      '2026',
      '2026-13',
      '2026-02-30',
      '2026-W54',
      '2026-11-30T24',
      '2026-11-30x0',
      '2026-11-30x1',
      ' 2026-11',
      '2026-11-30@-5:00',
    ]) {
      expect({ text, name: parsePeriodId(text) }).toEqual({ text, name: undefined });
    }
  });
});

/** An oracle of its own: the local date as the host's formatter writes it. */
function label(unit: PeriodUnit, zone: Zone, time: number): string {
  const date = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone.name,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(time);
  if (unit === 'day') return date;
  if (unit === 'month') return date.slice(0, 7);
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
