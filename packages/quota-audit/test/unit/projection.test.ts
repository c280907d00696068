import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growthOf, project } from '../../src/findings/projection.ts';

const TODAY = 20_000;

describe('growth and projection', () => {
  it('finds the rate of a leak that is the same every day, however long it has been there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 1_000 }), (days, perDay) => {
        const ended = new Map(Array.from({ length: days }, (_, n) => [TODAY - 1 - n, perDay] as const));
        const growth = growthOf(ended, 90, TODAY);
        expect(growth.keysPerDay).toBe(perDay);
        expect(growth.bytesPerDay).toBe(perDay * 90);
        expect(growth.days).toBe(Math.min(30, days));
      }),
    );
  });

  it('does not let the present day lower the rate, nor a leak that was repaired raise it', () => {
    expect(
      growthOf(
        new Map([
          [TODAY, 3],
          [TODAY - 1, 100],
        ]),
        90,
        TODAY,
      ).keysPerDay,
    ).toBe(100);
    expect(growthOf(new Map([[TODAY - 60, 1_000]]), 90, TODAY).keysPerDay).toBe(0);
  });

  it('knows no growth when no dead counter tells', () => {
    expect(growthOf(new Map(), 90, TODAY)).toEqual({ days: 0, keysPerDay: 0, bytesPerDay: 0, series: [] });
    expect(growthOf(new Map([[TODAY, 5]]), 90, TODAY).days).toBe(0);
  });

  it('spreads what comes once a month over the month', () => {
    const { keysPerDay, series } = growthOf(
      new Map([
        [TODAY - 40, 300],
        [TODAY - 10, 300],
      ]),
      90,
      TODAY,
    );
    expect(keysPerDay).toBe(10);
    expect(series).toHaveLength(30);
    expect(series[20]).toBe(300);
  });

  it('projects in a straight line from what is wasted now', () => {
    const growth = { days: 30, keysPerDay: 10, bytesPerDay: 900, series: [] };
    expect(project({ keys: 5, bytes: 450 }, growth)).toEqual([
      { days: 30, keys: 305, bytes: 27_450 },
      { days: 90, keys: 905, bytes: 81_450 },
      { days: 365, keys: 3_655, bytes: 328_950 },
    ]);
  });
});
