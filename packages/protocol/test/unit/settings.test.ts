import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completeSettings,
  DEFAULT_GOVERNOR_SETTINGS,
  governorSettings,
  limitSchedule,
  scheduledLimitTps,
  settingsConflicts,
  WEEKDAYS,
  type LimitSchedule,
} from '../../src/index.ts';

const DOCUMENTED = {
  enabled: true,
  globalLimitTps: 5_000,
  transactionTypes: { LIST: true, GET: true, PUT: true, DELETE: false },
  alarmThresholdPercent: 95,
};

describe('settings beyond the documented ones', () => {
  it('are the documented behaviour by default', () => {
    expect(governorSettings.parse(DEFAULT_GOVERNOR_SETTINGS)).toEqual({
      ...DOCUMENTED,
      globalLimitTps: 10_000,
      allocationPolicy: 'reclaim',
      costModel: 'per-object',
      pacing: { mode: 'off', burstSeconds: 0.05 },
      overshootGuard: false,
      consoleLost: { mode: 'park', safeTps: 10 },
      slowDownReaction: { mode: 'off', floorTps: 100 },
      jobShares: [],
      limitSchedule: null,
    });
  });

  it('keep their values when a change does not mention them, so that an old page resets nothing', () => {
    const before = {
      ...DEFAULT_GOVERNOR_SETTINGS,
      allocationPolicy: 'max-min' as const,
      overshootGuard: true,
      limitSchedule: { timeZone: 'UTC', rules: [] },
    };
    expect(completeSettings(governorSettings.parse(DOCUMENTED), before)).toEqual({ ...before, globalLimitTps: 5_000 });
    expect(completeSettings({ ...DOCUMENTED, limitSchedule: null, overshootGuard: false }, before)).toMatchObject({
      limitSchedule: null,
      overshootGuard: false,
    });
  });

  it.each([
    [{ allocationPolicy: 'fair' }, 'allocationPolicy'],
    [{ costModel: 'free' }, 'costModel'],
    [{ pacing: { mode: 'paced', burstSeconds: 0.01 } }, 'pacing.burstSeconds'],
    [{ pacing: { mode: 'paced', burstSeconds: 11 } }, 'pacing.burstSeconds'],
    [{ overshootGuard: 'yes' }, 'overshootGuard'],
    [{ consoleLost: { mode: 'safe-rate', safeTps: 0 } }, 'consoleLost.safeTps'],
    [{ slowDownReaction: { mode: 'lower-limit', floorTps: 99 } }, 'slowDownReaction.floorTps'],
    [{ jobShares: [{ jobId: 'job_1', weight: 0 }] }, 'jobShares.0.weight'],
    [{ jobShares: [{ jobId: 'job_1' }, { jobId: 'job_1' }] }, 'jobShares'],
    [{ limitSchedule: { timeZone: 'Mars/Olympus', rules: [] } }, 'limitSchedule.timeZone'],
    [
      { limitSchedule: { timeZone: 'UTC', rules: [{ days: ['mon'], from: '25:00', to: '08:00', limitTps: 500 }] } },
      'limitSchedule.rules.0.from',
    ],
    [
      { limitSchedule: { timeZone: 'UTC', rules: [{ days: [], from: '01:00', to: '08:00', limitTps: 500 }] } },
      'limitSchedule.rules.0.days',
    ],
    [
      { limitSchedule: { timeZone: 'UTC', rules: [{ days: ['mon'], from: '01:00', to: '08:00', limitTps: 40 }] } },
      'limitSchedule.rules.0.limitTps',
    ],
  ])('refuses %j and names the field', (change, field) => {
    const result = governorSettings.safeParse({ ...DOCUMENTED, ...change });
    expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });

  it('refuses shares of jobs under the documented policy, and promises beyond the limit', () => {
    const share = { jobId: 'job_1', weight: 2, minimumTps: 6_000 };
    const settings = completeSettings({ ...DOCUMENTED, jobShares: [share] });
    expect(settingsConflicts(settings).map(({ field }) => field)).toEqual(['jobShares', 'jobShares']);
    expect(settingsConflicts({ ...settings, allocationPolicy: 'max-min', globalLimitTps: 6_000 })).toEqual([]);
    expect(settingsConflicts(DEFAULT_GOVERNOR_SETTINGS)).toEqual([]);
  });
});

const BERLIN: LimitSchedule = {
  timeZone: 'Europe/Berlin',
  rules: [
    { days: ['sat', 'sun'], from: '00:00', to: '24:00', limitTps: 20_000 },
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '06:00', limitTps: 8_000 },
    { days: ['mon'], from: '09:00', to: '10:30', limitTps: 500 },
  ],
};

function minutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

describe('a limit schedule', () => {
  it.each([
    ['2026-11-30T09:00:00+01:00', 500],
    ['2026-11-30T10:29:59+01:00', 500],
    ['2026-11-30T10:30:00+01:00', null],
    ['2026-11-30T08:59:59+01:00', null],
    ['2026-11-30T22:00:00+01:00', 8_000],
    ['2026-12-01T05:59:59+01:00', 8_000],
    ['2026-12-01T06:00:00+01:00', null],
    ['2026-12-05T00:00:00+01:00', 20_000],
    ['2026-12-06T23:59:59+01:00', 20_000],
    // Friday night reaches into Saturday, but the first rule that applies counts.
    ['2026-12-05T03:00:00+01:00', 20_000],
    // Sunday is no weekday, so Monday 03:00 belongs to no night.
    ['2026-12-07T03:00:00+01:00', null],
    // Summer time: the same wall clock is an hour earlier.
    ['2026-07-06T09:30:00+02:00', 500],
  ])('at %s it says %s', (at, limit) => {
    expect(scheduledLimitTps(BERLIN, Date.parse(at))).toBe(limit);
  });

  it('goes by the clocks: an hour shown twice counts twice, one that is skipped not at all', () => {
    const night = {
      timeZone: 'Europe/Berlin',
      rules: [{ days: [...WEEKDAYS], from: '02:00', to: '03:00', limitTps: 700 }],
    };
    const minutesOn = (day: string): number => {
      const from = Date.parse(`${day}T00:00:00Z`) - 4 * 3_600_000;
      return Array.from({ length: 24 * 60 }, (_, minute) => from + minute * 60_000).filter(
        (at) => scheduledLimitTps(night, at) === 700,
      ).length;
    };
    expect([minutesOn('2026-10-25'), minutesOn('2026-03-29'), minutesOn('2026-06-01')]).toEqual([120, 0, 60]);
  });

  it('without rules, or none at all, sets nothing', () => {
    expect(scheduledLimitTps(null, 0)).toBeNull();
    expect(scheduledLimitTps({ timeZone: 'UTC', rules: [] }, 0)).toBeNull();
  });

  it('covers exactly the minutes that a rule names, whatever the rule', () => {
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`);
    const days = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 });
    fc.assert(
      fc.property(days, time, time, (on, from, to) => {
        const rule = { days: on, from, to, limitTps: 900 };
        const schedule = limitSchedule.parse({ timeZone: 'UTC', rules: [rule] });
        const monday = Date.parse('2026-11-30T00:00:00Z');
        let covered = 0;
        for (let minute = 0; minute < 7 * 1_440; minute += 1) {
          if (scheduledLimitTps(schedule, monday + minute * 60_000) !== null) covered += 1;
        }
        const length = minutes(to) > minutes(from) ? minutes(to) - minutes(from) : 1_440 - minutes(from) + minutes(to);
        // The same minutes of neighbouring days never overlap: a rule is at most a day long.
        expect(covered).toBe(length * on.length);
      }),
      { numRuns: 5 },
    );
  });
});
