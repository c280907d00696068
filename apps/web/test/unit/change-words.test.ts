import { DEFAULT_GOVERNOR_SETTINGS, governorSettingsChanges, quotaChanges, quotaInput } from '@weir/protocol';
import { describe, expect, it } from 'vitest';
import { changeWords } from '../../src/words/change-words.ts';

describe('words for changes', () => {
  it.each([
    [{ field: 'globalLimitTps', before: 10_000, after: 8_000 }, 'Global Limit', '10,000 TPS', '8,000 TPS'],
    [{ field: 'pacing.burstSeconds', before: 0.05, after: 2.5 }, 'Burst after a lull', '0.05 s', '2.5 s'],
    [{ field: 'alarmThresholdPercent', before: 95, after: 80 }, 'Alarm Threshold', '95%', '80%'],
    [{ field: 'overshootGuard', before: false, after: true }, 'Overshoot guard', 'off', 'on'],
    [{ field: 'transactionTypes.DELETE', before: false, after: true }, 'DELETE', 'not counted', 'counted'],
    [
      { field: 'limitSchedule.timeZone', before: null, after: 'Europe/Berlin' },
      'Time zone of the hours',
      'none',
      'Europe/Berlin',
    ],
    [
      { field: 'limitSchedule.rules.1', before: null, after: 'mon tue 08:00-18:00 500 TPS' },
      'Hours, rule 2',
      'none',
      'Mon Tue 08:00-18:00 500 TPS',
    ],
    [
      { field: 'jobShares.job_1', before: 'weight 1, minimum 0 TPS', after: null },
      'Share of job_1',
      'weight 1, minimum 0 TPS',
      'none',
    ],
    [{ field: 'period', before: '1 hour', after: '2 hour' }, 'Period', '1 hour', '2 hours'],
    [{ field: 'outage', before: 'closed', after: 'open' }, 'While the store does not answer', 'Refuse', 'Admit'],
    [{ field: 'role', before: 'viewer', after: 'operator' }, 'Role', 'viewer', 'operator'],
    [{ field: 'ofTheFuture', before: 1, after: 'monday' }, 'ofTheFuture', '1', 'monday'],
  ])('%j', (change, label, before, after) => {
    expect(changeWords(change)).toEqual({ label, before, after });
  });

  it('name every setting and every field of a quota as its form does, none by its path', () => {
    const settings = governorSettingsChanges(DEFAULT_GOVERNOR_SETTINGS, {
      enabled: false,
      globalLimitTps: 5_000,
      transactionTypes: { LIST: false, GET: false, PUT: false, DELETE: true },
      alarmThresholdPercent: 80,
      allocationPolicy: 'max-min',
      costModel: 'per-request',
      pacing: { mode: 'paced', burstSeconds: 1 },
      overshootGuard: true,
      consoleLost: { mode: 'safe-rate', safeTps: 20 },
      slowDownReaction: { mode: 'lower-limit', floorTps: 200 },
      jobShares: [{ jobId: 'job_1', weight: 2, minimumTps: 0 }],
      limitSchedule: { timeZone: 'UTC', rules: [{ days: ['sun'], from: '08:00', to: '24:00', limitTps: 100 }] },
    });
    const period = { unit: 'day', count: 1 } as const;
    const quotas = quotaChanges(
      quotaInput.parse({ storeId: 'memory', quota: 'api', limit: 5, period }),
      quotaInput.parse({
        storeId: 'other',
        quota: 'other',
        limit: 6,
        period: { unit: 'hour', count: 2 },
        zone: 'Europe/Berlin',
        outage: 'open',
        shadow: true,
        subjects: 'address',
      }),
    );
    const unnamed = [...settings, ...quotas].filter((change) => changeWords(change).label === change.field);
    expect(unnamed).toEqual([]);
    expect(settings.length).toBeGreaterThan(17);
    expect(quotas).toHaveLength(8);
  });
});
