import * as fc from 'fast-check';
import {
  completeSettings,
  DEFAULT_GOVERNOR_SETTINGS,
  governorSettings,
  settingsConflicts,
  WEEKDAYS,
  type GovernorSettings,
} from '@weir/protocol';
import { describe, expect, it } from 'vitest';
import { checkDraft, draftOf, isSameDraft, settleLimit, thresholdError } from '../../src/pages/settings/limit-draft.ts';
import { parseWhole } from '../../src/pages/settings/numbers-typed.ts';

const DRAFT = draftOf(DEFAULT_GOVERNOR_SETTINGS);

describe('the global limit', () => {
  it.each([
    ['10000', '10000', null],
    [' 10000 ', '10000', null],
    ['10,000', '10000', null],
    ['1 000 000', '1000000', null],
    ['100', '100', null],
  ])('%j settles as %s', (text, settled, error) => {
    expect(settleLimit(text)).toEqual({ text: settled, error, note: null });
  });

  it.each(['40', '0', '99', '-5'])('%j is raised to 100 with a note', (text) => {
    const settled = settleLimit(text);
    expect(settled).toMatchObject({ text: '100', error: null });
    expect(settled.note).toContain(`from ${text} to 100`);
  });

  it.each(['abc', '', '99.5', '1e4', '10.000,5', '0x10', '١٠٠', '1,00', 'Infinity'])(
    '%j is an error that stays in the field',
    (text) => {
      expect(settleLimit(text)).toEqual({
        text,
        error: 'Enter a whole number of TPS, for example 10000.',
        note: null,
      });
    },
  );

  it('is at most the highest limit that the console accepts', () => {
    expect(settleLimit('1000000000').error).toBeNull();
    expect(settleLimit('1000000001').error).toContain('1,000,000,000');
  });

  it('reads every whole number back as it was written', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(parseWhole(String(value))).toBe(value);
        expect(parseWhole(value.toLocaleString('en-US').replace(/^-/, ''))).toBe(Math.abs(value));
      }),
    );
  });
});

describe('the alarm threshold', () => {
  it.each(['1', '95', '97.5', '97,5', '100', '95 %'])('accepts %j', (text) => {
    expect(thresholdError(text)).toBeNull();
  });

  it.each(['0', '0.9', '101', 'abc', '', '-5'])('refuses %j', (text) => {
    expect(thresholdError(text)).toMatch(/from 1 to 100/);
  });
});

const anySettings: fc.Arbitrary<GovernorSettings> = fc.record({
  enabled: fc.boolean(),
  globalLimitTps: fc.integer({ min: 100, max: 1_000_000_000 }),
  transactionTypes: fc.record({ LIST: fc.boolean(), GET: fc.boolean(), PUT: fc.boolean(), DELETE: fc.boolean() }),
  alarmThresholdPercent: fc.integer({ min: 10, max: 1_000 }).map((tenths) => tenths / 10),
});

const time = fc
  .record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) })
  .map(({ hour, minute }) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);

const completed = fc.record({
  documented: anySettings,
  beyond: fc.record({
    allocationPolicy: fc.constantFrom('reclaim', 'max-min'),
    costModel: fc.constantFrom('per-object', 'per-request'),
    pacing: fc.record({
      mode: fc.constantFrom('off', 'paced'),
      burstSeconds: fc.integer({ min: 2, max: 1_000 }).map((hundredths) => hundredths / 100),
    }),
    overshootGuard: fc.boolean(),
    consoleLost: fc.record({
      mode: fc.constantFrom('park', 'safe-rate'),
      safeTps: fc.integer({ min: 1, max: 1_000_000 }),
    }),
    slowDownReaction: fc.record({
      mode: fc.constantFrom('off', 'lower-limit'),
      floorTps: fc.integer({ min: 100, max: 1_000_000_000 }),
    }),
    jobShares: fc.uniqueArray(
      fc.record({
        jobId: fc.integer({ min: 0, max: 99 }).map((n) => `job_${n}`),
        weight: fc.integer({ min: 1, max: 1_000 }).map((tenths) => tenths / 10),
        minimumTps: fc.integer({ min: 0, max: 50 }),
      }),
      { selector: ({ jobId }) => jobId, maxLength: 2 },
    ),
    limitSchedule: fc.option(
      fc.record({
        timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
        rules: fc.array(
          fc.record({
            days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
            from: time,
            to: time,
            limitTps: fc.integer({ min: 100, max: 1_000_000_000 }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
      }),
    ),
  }),
});

describe('the form', () => {
  it('gives back the settings that filled it, and what it sends is what the wire accepts', () => {
    fc.assert(
      fc.property(completed, ({ documented, beyond }) => {
        const settings = completeSettings(governorSettings.parse({ ...documented, ...beyond }));
        const checked = checkDraft(draftOf(settings));
        const conflicts = settingsConflicts(settings);
        const [conflict] = conflicts;
        const errors = { jobShares: `They ${conflict?.problem}.` };
        expect(checked).toEqual(conflict === undefined ? { ok: true, settings } : { ok: false, errors });
      }),
    );
  });

  it('keeps settings that it was not told of as the defaults', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        expect(checkDraft(draftOf(settings))).toEqual({ ok: true, settings: completeSettings(settings) });
      }),
    );
  });

  it('does not mind a wrong number that its choice hides, and names one that counts', () => {
    const beyond = { ...DRAFT.beyond, burstText: 'x', safeText: '', floorText: '1' };
    expect(checkDraft({ ...DRAFT, beyond: { ...beyond, floorText: 'x' } }).ok).toBe(true);
    const shown = checkDraft({
      ...DRAFT,
      beyond: {
        ...beyond,
        paced: true,
        safeRate: true,
        lowerLimit: true,
        rules: [{ days: [], from: '08:00', to: '18:00', limitText: '50' }],
      },
    });
    expect(Object.keys(shown.ok ? {} : shown.errors).toSorted()).toEqual([
      'consoleLost.safeTps',
      'limitSchedule.rules.0.days',
      'limitSchedule.rules.0.limitTps',
      'pacing.burstSeconds',
      'slowDownReaction.floorTps',
    ]);
  });

  it('names each field that is wrong, all at once', () => {
    const checked = checkDraft({ ...DRAFT, limitText: 'abc', thresholdText: '200' });
    expect(checked.ok).toBe(false);
    expect(Object.keys(checked.ok ? {} : checked.errors).sort()).toEqual(['alarmThresholdPercent', 'globalLimitTps']);
  });

  it('saves a limit below 100 as 100 even when the field was never left', () => {
    expect(checkDraft({ ...DRAFT, limitText: '40' })).toMatchObject({ ok: true, settings: { globalLimitTps: 100 } });
  });

  it('is unchanged by another way of writing the same number, and changed by each value', () => {
    expect(isSameDraft(DRAFT, { ...DRAFT, limitText: '10,000', thresholdText: '95.0' })).toBe(true);
    expect(isSameDraft(DRAFT, { ...DRAFT, limitText: '10001' })).toBe(false);
    expect(isSameDraft(DRAFT, { ...DRAFT, limitText: 'abc' })).toBe(false);
    expect(isSameDraft(DRAFT, { ...DRAFT, enabled: false })).toBe(false);
    expect(isSameDraft(DRAFT, { ...DRAFT, thresholdText: '90' })).toBe(false);
    for (const type of ['LIST', 'GET', 'PUT', 'DELETE'] as const) {
      expect(isSameDraft(DRAFT, { ...DRAFT, types: { ...DRAFT.types, [type]: !DRAFT.types[type] } })).toBe(false);
    }
  });
});
