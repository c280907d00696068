import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_GOVERNOR_SETTINGS,
  errorBody,
  fieldChanges,
  governorSettingsChanges,
  listChanges,
  madeFrom,
  quotaChanges,
  quotaInput,
  quotaView,
  type CompleteGovernorSettings,
  type ScheduleRule,
} from '../../src/index.ts';

const rule = (from: string, limitTps = 500): ScheduleRule => ({ days: ['tue', 'mon'], from, to: '18:00', limitTps });
const settings = (change: Partial<CompleteGovernorSettings>): CompleteGovernorSettings => ({
  ...DEFAULT_GOVERNOR_SETTINGS,
  ...change,
});
const scheduled = (...rules: ScheduleRule[]): CompleteGovernorSettings =>
  settings({ limitSchedule: { timeZone: 'UTC', rules } });

describe('changes of fields', () => {
  it('names what is different, and what is on one side only', () => {
    expect(fieldChanges({ a: 1, b: 2, gone: true }, { a: 1, b: 3, made: 'x' })).toEqual([
      { field: 'b', before: 2, after: 3 },
      { field: 'made', before: null, after: 'x' },
      { field: 'gone', before: true, after: null },
    ]);
  });

  it('says of a list what was put in, taken out and replaced, and nothing of what only moved along', () => {
    expect(listChanges('l', ['b', 'c'], ['a', 'b', 'c'])).toEqual([{ field: 'l.0', before: null, after: 'a' }]);
    expect(listChanges('l', ['a', 'b', 'c'], ['a', 'c'])).toEqual([{ field: 'l.1', before: 'b', after: null }]);
    expect(listChanges('l', ['a', 'b'], ['b', 'a'])).toEqual([
      { field: 'l.0', before: 'a', after: 'b' },
      { field: 'l.1', before: 'b', after: 'a' },
    ]);
  });

  it('lists lead from one to the other by their changes, and equal ones have none', () => {
    const list = fc.array(fc.constantFrom<string>('a', 'b', 'c'), { maxLength: 6 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const changes = listChanges('l', before, after);
        expect(changes.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
        const removed = changes.flatMap((change) => change.before ?? []);
        const added = changes.flatMap((change) => change.after ?? []);
        const from = Number(changes[0]?.field.slice(2) ?? 0);
        expect(before.toSpliced(from, removed.length, ...added.map(String))).toEqual(after);
      }),
    );
  });
});

describe('changes of the governor settings', () => {
  it('names each setting by its path, also those within others', () => {
    const changed = settings({
      enabled: false,
      pacing: { mode: 'paced', burstSeconds: 0.05 },
      consoleLost: { mode: 'safe-rate', safeTps: 25 },
    });
    expect(governorSettingsChanges(DEFAULT_GOVERNOR_SETTINGS, changed)).toEqual([
      { field: 'enabled', before: true, after: false },
      { field: 'pacing.mode', before: 'off', after: 'paced' },
      { field: 'consoleLost.mode', before: 'park', after: 'safe-rate' },
      { field: 'consoleLost.safeTps', before: 10, after: 25 },
    ]);
  });

  it('shows rules of the schedule and shares of jobs one by one, as a line each', () => {
    expect(governorSettingsChanges(scheduled(rule('08:00')), scheduled(rule('07:00', 900), rule('08:00')))).toEqual([
      { field: 'limitSchedule.rules.0', before: null, after: 'mon tue 07:00-18:00 900 TPS' },
    ]);
    expect(governorSettingsChanges(DEFAULT_GOVERNOR_SETTINGS, scheduled(rule('08:00')))).toEqual([
      { field: 'limitSchedule.timeZone', before: null, after: 'UTC' },
      { field: 'limitSchedule.rules.0', before: null, after: 'mon tue 08:00-18:00 500 TPS' },
    ]);
    const one = { jobId: 'job_1', weight: 1, minimumTps: 0 };
    const two = { jobId: 'job_2', weight: 1, minimumTps: 5 };
    const changes = governorSettingsChanges(
      settings({ jobShares: [one, two] }),
      settings({ jobShares: [two, { ...one, weight: 2 }] }),
    );
    expect(changes).toEqual([
      { field: 'jobShares.job_1', before: 'weight 1, minimum 0 TPS', after: 'weight 2, minimum 0 TPS' },
    ]);
  });

  it('finds none where only the order differs in which days or jobs are listed', () => {
    const turned = { ...rule('08:00'), days: ['mon' as const, 'tue' as const] };
    expect(governorSettingsChanges(scheduled(rule('08:00')), scheduled(turned))).toEqual([]);
  });

  it('misses no setting: whatever is set otherwise is named', () => {
    const others: CompleteGovernorSettings = {
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
      limitSchedule: { timeZone: 'UTC', rules: [rule('08:00')] },
    };
    const named = new Set(governorSettingsChanges(DEFAULT_GOVERNOR_SETTINGS, others).map(({ field }) => field));
    const leaves = (value: unknown, path: string): string[] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).flatMap(([name, part]) => leaves(part, path === '' ? name : `${path}.${name}`))
        : [path];
    const missed = leaves(others, '').filter(
      (leaf) => ![...named].some((field) => field === leaf || field.startsWith(`${leaf}.`)),
    );
    expect(missed).toEqual([]);
  });
});

describe('changes of a quota', () => {
  const given = { storeId: 'memory', quota: 'api', limit: 5, period: { unit: 'day', count: 1 } };
  it('misses no field of the definition', () => {
    const before = quotaInput.parse(given);
    const after = quotaInput.parse({
      storeId: 'qst_1',
      quota: 'other',
      limit: 6,
      period: { unit: 'hour', count: 2 },
      zone: 'Europe/Berlin',
      outage: 'open',
      shadow: true,
      subjects: 'address',
    });
    const fields = quotaChanges(before, after).map(({ field }) => field);
    expect(new Set(fields)).toEqual(new Set(Object.keys(quotaInput.shape)));
    expect(quotaChanges(before, before)).toEqual([]);
  });
});

describe('what a save is made from', () => {
  it('is refused when it is misspelt, which would mean that the last one wins', () => {
    expect(madeFrom.safeParse({ ifmatch: '1-5' }).success).toBe(false);
    expect(madeFrom.parse({})).toEqual({});
  });

  it('answers may say more than this version knows: of a quota, of a refusal', () => {
    const view = {
      ...quotaInput.parse({ storeId: 'memory', quota: 'api', limit: 5, period: { unit: 'day', count: 1 } }),
      definitionId: 'q',
      storeName: 'x',
      storeKind: 'memory',
      builtIn: false,
      changedAtMs: 1,
      changedBy: 'a',
      takes: 0,
      refused: 0,
      refusedLastHour: 0,
      problem: null,
    };
    expect(quotaView.parse({ ...view, ofTheFuture: 1 })).toEqual(view);
    expect(errorBody.safeParse({ error: { code: 'wrong-state', message: 'm', ofTheFuture: 1 } }).success).toBe(true);
  });
});
