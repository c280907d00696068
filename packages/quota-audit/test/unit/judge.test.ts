import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinding, judge, LEAVING_MS, type EntryFacts, type Verdict } from '../../src/findings/judge.ts';
import type { CounterName } from '../../src/names/counter-name.ts';
import { NOW_MS, POLICY } from '../support/judging.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function day(daysAgo: number): CounterName {
  const startMs = Math.floor(NOW_MS / DAY_MS) * DAY_MS - daysAgo * DAY_MS;
  return named({ startMs, endMs: startMs + DAY_MS, civil: false });
}

function named(period?: CounterName['period']): CounterName {
  const name = { family: 'f', evidence: 'known', distinctive: true, worded: true, subject: 's' } as const;
  return period === undefined ? name : { ...name, period };
}

function judged(name: CounterName, facts: Partial<EntryFacts>): Verdict {
  return judge(name, { value: '7', deadlineMs: undefined, ...facts }, POLICY, NOW_MS);
}

describe('judging an entry', () => {
  it('never calls a value a counter that is no whole number', () => {
    const values = fc.string({ unit: 'binary' }).filter((value) => !/^-?\d{1,20} *$/.test(value));
    fc.assert(
      fc.property(values, fc.option(fc.integer({ min: 0 }), { nil: undefined }), (value, deadlineMs) => {
        const verdict = judged(day(40), { value, deadlineMs });
        expect(verdict).toMatchObject({
          isCounter: false,
          undated: false,
          ended: false,
          tooLong: false,
          wasted: false,
        });
      }),
    );
    expect(isFinding(judged(day(40), { value: null }))).toBe(false);
  });

  it('reports a value that is no number only under a name that nothing else has', () => {
    expect(judged(named(), { value: 'abc' }).notANumber).toBe(true);
    expect(judged({ ...named(), distinctive: false }, { value: 'abc' }).notANumber).toBe(false);
    expect(judged(named(), { value: null }).notANumber).toBe(false);
  });

  it('finds every counter without a deadline', () => {
    expect(judged(named(), {})).toMatchObject({ undated: true, ended: false, wasted: true });
    expect(judged(day(0), {})).toMatchObject({ undated: true, ended: false });
    expect(judged(day(3), {})).toMatchObject({ undated: true, ended: true });
  });

  it('calls a period ended only after its margin', () => {
    const period = { startMs: NOW_MS - 25 * HOUR_MS, endMs: NOW_MS - HOUR_MS, civil: false };
    expect(judged(named(period), {}).ended).toBe(false);
    const older = { startMs: NOW_MS - 27 * HOUR_MS, endMs: NOW_MS - 3 * HOUR_MS, civil: false };
    expect(judged(named(older), {}).ended).toBe(true);
  });

  it('leaves healthy limiters alone: dated by the last write, with jitter, or two periods ahead', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1_000, 60_000, HOUR_MS, DAY_MS, 30 * DAY_MS),
        fc.integer({ min: 0, max: 2 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 300_000 }),
        (lengthMs, lateBy, into, jitterMs) => {
          // Written somewhere in its period, some periods ago; kept for up to two periods from then.
          const startMs = NOW_MS - lateBy * lengthMs - into * lengthMs;
          const writtenMs = startMs + into * lengthMs;
          const deadlineMs = writtenMs + 2 * lengthMs + jitterMs;
          fc.pre(deadlineMs > NOW_MS);
          const verdict = judged(named({ startMs, endMs: startMs + lengthMs, civil: false }), { deadlineMs });
          expect(isFinding(verdict)).toBe(false);
        },
      ),
    );
  });

  it('finds counters of ended periods that will stay, and not those that are about to go', () => {
    expect(judged(day(10), { deadlineMs: NOW_MS + 30 * DAY_MS })).toMatchObject({ ended: true, undated: false });
    expect(judged(day(10), { deadlineMs: NOW_MS + LEAVING_MS })).toMatchObject({ ended: false, wasted: false });
  });

  it('finds deadlines longer than the policy or than the period explains', () => {
    expect(judged(named(), { deadlineMs: NOW_MS + POLICY.maxLifetimeMs + 1 }).tooLong).toBe(true);
    expect(judged(named(), { deadlineMs: NOW_MS + POLICY.maxLifetimeMs }).tooLong).toBe(false);
    expect(judged(day(0), { deadlineMs: NOW_MS + 30 * DAY_MS })).toMatchObject({ tooLong: true, wasted: false });
    // 261,311 years: what doubling back-offs come to.
    expect(judged(named(), { deadlineMs: 8.2e15 }).tooLong).toBe(true);
  });

  it('finds negative counters', () => {
    expect(judged(named(), { value: '-1', deadlineMs: NOW_MS + 1 })).toMatchObject({ isCounter: true, negative: true });
  });
});
