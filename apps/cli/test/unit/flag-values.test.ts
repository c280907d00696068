import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysByKind, listed, moment, sizeInBytes } from '../../src/commands/flag-values.ts';

function outcomeOf(work: () => number): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('sizes', () => {
  it.each([
    ['0', 0],
    ['4096', 4_096],
    ['4K', 4_096],
    ['4KiB', 4_096],
    ['8mib', 8_388_608],
    ['1.5G', 1_610_612_736],
    ['5 TiB', 5_497_558_138_880],
    ['100B', 100],
  ])('%s', (text, bytes) => expect(sizeInBytes(text)).toBe(bytes));

  it.each(['', '-1', 'x', '1X', '1e9', '4 K B', '99999999T'])('refuses %j', (text) => {
    expect(() => sizeInBytes(text)).toThrow('It must be a number of bytes');
  });
});

describe('moments', () => {
  const now = Date.UTC(2026, 10, 30, 12);
  const at = moment(() => now);

  it('are dates in UTC, moments with a zone, or ages', () => {
    expect(at('2026-11-30')).toBe(Date.UTC(2026, 10, 30));
    expect(at('2026-11-30T14:00Z')).toBe(Date.UTC(2026, 10, 30, 14));
    expect(at('2026-11-30T14:00:30.5+02:00')).toBe(Date.UTC(2026, 10, 30, 12, 0, 30, 500));
    expect(at('36h')).toBe(now - 36 * 3_600_000);
    expect(at('7d')).toBe(now - 7 * 86_400_000);
  });

  it('refuses everything else', () => {
    const wrong = ['', '2026', '30.11.2026', '2026-13-01', '2026-11-30T14:00', 'yesterday', '7w', '-1d'];
    for (const text of wrong) expect(() => at(text)).toThrow('It must be a date');
    fc.assert(
      fc.property(fc.string(), (text) => {
        const outcome = outcomeOf(() => at(text));
        expect(Number.isFinite(outcome) || String(outcome).includes('It must be a date')).toBe(true);
      }),
    );
  });
});

describe('lists', () => {
  it('are separated by commas, or the option is repeated', () => {
    expect(listed('10.0.0.7, 10.1.0.0/16')).toEqual(['10.0.0.7', '10.1.0.0/16']);
    expect(listed('b,c', ['a'])).toEqual(['a', 'b', 'c']);
  });

  it('of days name a kind each, and a later one wins', () => {
    expect(daysByKind('jobs=90,audit=1000')).toEqual({ jobs: 90, audit: 1_000 });
    expect(daysByKind('jobs=30', { jobs: 90, alarms: 7 })).toEqual({ jobs: 30, alarms: 7 });
    for (const wrong of ['', 'jobs', 'jobs=', 'jobs=-1', 'jobs=1.5', '90', 'jobs=1,']) {
      expect(() => daysByKind(wrong)).toThrow('jobs=90,audit=1000');
    }
  });
});
