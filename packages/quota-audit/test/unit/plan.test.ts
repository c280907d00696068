import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinding, judge } from '../../src/findings/judge.ts';
import type { CounterName } from '../../src/names/counter-name.ts';
import { changeFor, planLine, type FamilyFacts, type FixRules, type PlanLine } from '../../src/repair/plan.ts';
import type { Change } from '../../src/index.ts';
import { NOW_MS, POLICY } from '../support/judging.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DATE: FixRules = { mode: 'date', ...POLICY };
const DELETE: FixRules = { mode: 'delete', ...POLICY };
const BELIEVED = { believed: true, longestLifeMs: 0 };

const periods = fc
  .record({
    lengthMs: fc.constantFrom(1_000, 60_000, HOUR_MS, DAY_MS, 7 * DAY_MS, 31 * DAY_MS),
    ago: fc.double({ min: 0, max: 40, noNaN: true }),
    civil: fc.boolean(),
  })
  .map(({ lengthMs, ago, civil }) => {
    const startMs = Math.floor(NOW_MS - ago * lengthMs);
    return { startMs, endMs: startMs + lengthMs, civil };
  });

const names: fc.Arbitrary<CounterName> = fc
  .record({
    period: fc.option(periods, { nil: undefined }),
    windowMs: fc.option(fc.constant(60_000), { nil: undefined }),
  })
  .map(({ period, windowMs }) => ({
    family: 'f',
    evidence: 'known',
    distinctive: true,
    worded: true,
    subject: 's',
    ...(period === undefined ? {} : { period }),
    ...(windowMs === undefined ? {} : { windowMs }),
  }));

const deadlines = fc.option(fc.integer({ min: NOW_MS + 1, max: NOW_MS + 1_000 * DAY_MS }), { nil: undefined });

function lineOf(name: CounterName, deadlineMs: number | undefined): PlanLine | undefined {
  const facts = { deadlineMs, value: '7' };
  return planLine({ key: 'k', node: 'n' }, name, 'known f', facts, judge(name, facts, POLICY, NOW_MS));
}

function datingOf(line: PlanLine, number: number, family: FamilyFacts): (Change & { do: 'date' }) | undefined {
  // The clock of the store is read between two of its ticks.
  const change = changeFor(line, number, DATE, family, NOW_MS + 0.25);
  return typeof change === 'string' || change.do !== 'date' ? undefined : change;
}

describe('the plan', () => {
  it('lists exactly what has a finding that can be repaired', () => {
    fc.assert(
      fc.property(names, deadlines, (name, deadlineMs) => {
        const verdict = judge(name, { deadlineMs, value: '7' }, POLICY, NOW_MS);
        expect(lineOf(name, deadlineMs) !== undefined).toBe(verdict.undated || verdict.ended || verdict.tooLong);
      }),
    );
  });

  it('dates so that nothing is found afterwards, and never before the period is over', () => {
    fc.assert(
      fc.property(names, deadlines, fc.nat(10_000), fc.constantFrom(0, HOUR_MS), (name, deadlineMs, number, lifeMs) => {
        const line = lineOf(name, deadlineMs);
        fc.pre(line !== undefined);
        const dated = datingOf(line, number, { believed: true, longestLifeMs: lifeMs });
        fc.pre(dated !== undefined);
        expect(dated.deadlineMs).toBeGreaterThan(NOW_MS);
        expect(Number.isInteger(dated.deadlineMs)).toBe(true);
        expect(dated.deadlineMs).toBeGreaterThan(name.period?.endMs ?? 0);
        const after = judge(name, { deadlineMs: dated.deadlineMs, value: '7' }, POLICY, NOW_MS + 1);
        expect(isFinding(after)).toBe(false);
      }),
    );
  });

  it('leaves only those undated whose name, limit and siblings say nothing', () => {
    fc.assert(
      fc.property(names, deadlines, fc.constantFrom(0, HOUR_MS), (name, deadlineMs, lifeMs) => {
        const line = lineOf(name, deadlineMs);
        fc.pre(line !== undefined);
        const speechless = name.period === undefined && name.windowMs === undefined && lifeMs === 0;
        const dated = datingOf(line, 0, { believed: true, longestLifeMs: lifeMs });
        expect(dated === undefined).toBe(speechless && deadlineMs === undefined);
      }),
    );
  });

  it('never dates over a deadline that an undated counter got meanwhile, nor later than a deadline that was found', () => {
    fc.assert(
      fc.property(names, deadlines, (name, deadlineMs) => {
        const line = lineOf(name, deadlineMs);
        fc.pre(line !== undefined);
        const dated = datingOf(line, 0, { believed: true, longestLifeMs: HOUR_MS });
        expect(dated?.only).toBe(deadlineMs === undefined ? 'undated' : 'later');
        expect(dated?.deadlineMs).toBeLessThan(deadlineMs ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  it('deletes only what is of a period that is over in every zone, and only as it was found', () => {
    fc.assert(
      fc.property(names, deadlines, (name, deadlineMs) => {
        const line = lineOf(name, deadlineMs);
        fc.pre(line !== undefined);
        const change = changeFor(line, 0, DELETE, BELIEVED, NOW_MS);
        fc.pre(typeof change !== 'string');
        expect(change).toMatchObject({ do: 'delete', value: '7', undated: deadlineMs === undefined });
        const slackMs = name.period?.civil === true ? 12 * HOUR_MS : 0;
        expect(NOW_MS).toBeGreaterThan((name.period?.endMs ?? Number.NaN) + slackMs);
      }),
    );
  });

  it('touches nothing of a family that turned out not to be one of counters', () => {
    const line = lineOf({ family: 'f', evidence: 'stamp', distinctive: false, worded: false, subject: '' }, undefined);
    for (const rules of [DATE, DELETE]) {
      expect(changeFor(line!, 0, rules, { believed: false, longestLifeMs: HOUR_MS }, NOW_MS)).toBe('not-believed');
      expect(changeFor(line!, 0, rules, undefined, NOW_MS)).toBe('not-believed');
    }
  });

  it("gives a counter without a period the lifetime given, else its limit's window, else what its siblings have", () => {
    const bare = lineOf({ family: 'f', evidence: 'known', distinctive: true, worded: true, subject: '' }, undefined)!;
    const windowed = { ...bare, windowMs: HOUR_MS };
    const family = { believed: true, longestLifeMs: 5_000 };
    expect(changeFor(windowed, 0, { ...DATE, lifetimeMs: 9_000 }, family, NOW_MS)).toMatchObject({
      deadlineMs: NOW_MS + 9_000,
    });
    expect(changeFor(windowed, 0, DATE, family, NOW_MS)).toMatchObject({ deadlineMs: NOW_MS + HOUR_MS + 360_000 });
    expect(changeFor(bare, 0, DATE, family, NOW_MS)).toMatchObject({ deadlineMs: NOW_MS + 5_000 });
    expect(changeFor(bare, 0, DATE, BELIEVED, NOW_MS)).toBe('no-lifetime');
  });
});
