import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deadlineAt, defaultMarginMs, LATEST_DEADLINE_MS, periodDeadline } from '../../src/deadlines.ts';
import type { PeriodUnit } from '../../src/period-lengths.ts';
import { checkDefinition } from '../../src/rules.ts';
import { CounterTracker } from '../../src/tracker.ts';
import { Breaker } from '../../src/breaker.ts';
import { World } from '../world.ts';

const DAY = 86_400_000;

describe('deadlines', () => {
  it.each([
    [1_000, 60_000],
    [600_000, 60_000],
    [3_600_000, 360_000],
    [DAY, 8_640_000],
    [31 * DAY, DAY],
  ])('the margin of a period of %d ms is %d ms: the larger of 60 s and 10 %%, at most a day', (period, margin) => {
    expect(defaultMarginMs(period)).toBe(margin);
  });

  it.each([0, -1, 999.2, 1_000, Number.NaN, Number.POSITIVE_INFINITY, LATEST_DEADLINE_MS + 1])(
    'a deadline at %d is refused at time 1,000: passed, no number or past the year 9999',
    (at) => {
      expect(() => deadlineAt(at, 1_000)).toThrow(expect.objectContaining({ code: 'invalid-deadline' }));
    },
  );

  it('a fraction of a ms is rounded up, never to 0', () => {
    expect(deadlineAt(1_000.1, 1_000)).toBe(1_001);
    expect(periodDeadline(0.5, 0.1, 0)).toBe(1);
  });

  it('whatever the quota, the clock and the moment, the counter outlives its period and is dated the same by every server', () => {
    const { profile } = new World().memory();
    const definition = fc.record(
      {
        id: fc.constant('q'),
        limit: fc.nat(),
        period: fc.record({
          unit: fc.constantFrom<PeriodUnit>('second', 'minute', 'hour', 'day', 'week', 'month'),
          count: fc.integer({ min: 1, max: 12 }),
        }),
        zone: fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
        marginMs: fc.integer({ min: 1_000, max: DAY }),
      },
      { requiredKeys: ['id', 'limit', 'period'] },
    );
    const time = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(definition, time, fc.double({ min: 0, max: 1, noNaN: true }), (written, nowMs, share) => {
        const rules = checkDefinition(written, profile);
        const engine = { instance: 'e', laneOf: () => ({ name: '', breaker: new Breaker() }) };
        const { period } = new CounterTracker(rules, engine, 10).at('s', nowMs);
        expect(Number.isSafeInteger(period.deadline)).toBe(true);
        expect(period.deadline).toBeGreaterThanOrEqual(period.endMs + 1_000);
        expect(period.deadline).toBeLessThanOrEqual(period.endMs + DAY);
        const laterMs = Math.min(period.endMs - 1, nowMs + Math.floor(share * (period.endMs - nowMs)));
        expect(new CounterTracker(rules, engine, 10).at('s', laterMs).period.deadline).toBe(period.deadline);
      }),
      { numRuns: 500 },
    );
  });
});
