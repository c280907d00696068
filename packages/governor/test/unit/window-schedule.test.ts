import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstWindow, nextWindow, type WindowSchedule } from '../../src/window-schedule.ts';

const W = 30_000;

describe('what a heartbeat is paid for', () => {
  const begun = firstWindow(null, 0, W);

  it('on time: a whole window, the next due a whole window later', () => {
    expect(begun).toEqual({ dueAtMs: 30_000, creditMs: 30_000 });
    expect(nextWindow(begun, 30_000, W)).toEqual({ dueAtMs: 60_000, creditMs: 30_000 });
  });

  it('up to 1 s early counts as on time, and does not move the due time', () => {
    expect(nextWindow(begun, 29_000, W)).toEqual({ dueAtMs: 60_000, creditMs: 30_000 });
    expect(nextWindow(begun, 28_999, W)).toEqual({ dueAtMs: 58_999, creditMs: 28_999 });
  });

  it('in short windows the tolerance is 5 % of the window', () => {
    const short = firstWindow(null, 0, 2_000);
    expect(nextWindow(short, 1_900, 2_000).creditMs).toBe(2_000);
    expect(nextWindow(short, 1_899, 2_000).creditMs).toBe(1_899);
  });

  it('early: the time that passed, then a whole window until the next', () => {
    expect(nextWindow(begun, 10_000, W)).toEqual({ dueAtMs: 40_000, creditMs: 10_000 });
  });

  it('late: one window, not two, counted from now', () => {
    expect(nextWindow(begun, 85_000, W)).toEqual({ dueAtMs: 115_000, creditMs: 30_000 });
  });

  it('idle and back inside a window earns no second one', () => {
    expect(firstWindow(begun, 4_000, W)).toEqual({ dueAtMs: 34_000, creditMs: 4_000 });
    expect(firstWindow(begun, 30_000, W)).toEqual({ dueAtMs: 60_000, creditMs: 30_000 });
  });

  it('never pays for more than the time since the first grant and one window', () => {
    const gaps = fc.array(
      fc.tuple(fc.boolean(), fc.oneof(fc.nat(2_000), fc.integer({ min: 28_000, max: 32_000 }), fc.nat(200_000))),
      { maxLength: 100 },
    );
    fc.assert(
      fc.property(gaps, (steps) => {
        let now = 0;
        let schedule: WindowSchedule = firstWindow(null, now, W);
        let paidMs = schedule.creditMs;
        for (const [pause, gapMs] of steps) {
          now += gapMs;
          schedule = pause ? firstWindow(schedule, now, W) : nextWindow(schedule, now, W);
          paidMs += schedule.creditMs;
          // 1 s: the last heartbeat may be early within its tolerance. 1 ms a heartbeat: no window is shorter.
          expect(paidMs).toBeLessThanOrEqual(now + W + 1_000 + steps.length);
          expect(schedule.creditMs).toBeGreaterThan(0);
          expect(schedule.creditMs).toBeLessThanOrEqual(W);
        }
      }),
      { numRuns: 500 },
    );
  });
});
