import * as fc from 'fast-check';
import { DEFAULT_GOVERNOR_SETTINGS, governorSettings, type GovernorSettings } from '@weir/protocol';
import { describe, expect, it } from 'vitest';
import {
  checkDraft,
  draftOf,
  isSameDraft,
  parseWhole,
  settleLimit,
  thresholdError,
} from '../../src/pages/settings/limit-draft.ts';

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

describe('the form', () => {
  it('gives back the settings that filled it, and what it sends is what the wire accepts', () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const checked = checkDraft(draftOf(settings));
        expect(checked).toEqual({ ok: true, settings });
        expect(governorSettings.parse(checked.ok && checked.settings)).toEqual(settings);
      }),
    );
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
