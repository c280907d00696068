import { DEFAULT_GOVERNOR_SETTINGS, governorSettingsChanges, quotaInput, type QuotaInput } from '@weir/protocol';
import { completeSettings, quotaChanges } from '@weir/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isQuotaFieldTyped, quotaDraftOf, rebaseQuota } from '../../src/pages/quotas/quota-draft.ts';
import { checkDraft, draftOf, type LimitDraft } from '../../src/pages/settings/limit-draft.ts';
import { NEW_RULE } from '../../src/pages/settings/beyond-draft.ts';
import { isTyped, rebaseDraft } from '../../src/pages/settings/rebase-draft.ts';

const BASE = draftOf(DEFAULT_GOVERNOR_SETTINGS, 'Europe/Berlin');
const beyond = (part: Partial<LimitDraft['beyond']>): LimitDraft => ({ ...BASE, beyond: { ...BASE.beyond, ...part } });

/** What saving leads from the one to the other. */
const changed = (from: LimitDraft, to: LimitDraft): Map<string, unknown> => {
  const [a, b] = [checkDraft(from), checkDraft(to)];
  if (!a.ok || !b.ok) throw new Error('a draft cannot be saved');
  const changes = governorSettingsChanges(completeSettings(a.settings), completeSettings(b.settings));
  return new Map(changes.map(({ field, after }) => [field, after]));
};

describe('what was typed, on top of what somebody else saved', () => {
  it('keeps what was typed and takes over every other field', () => {
    const mine = { ...BASE, limitText: '9000', types: { ...BASE.types, DELETE: true } };
    const theirs = { ...beyond({ guard: true }), limitText: '8000', thresholdText: '80' };
    expect(rebaseDraft(mine, BASE, theirs)).toEqual({ ...theirs, limitText: '9000', types: mine.types });
  });

  it('keeps together what belongs together: hours and their zone, a choice and its number', () => {
    const mine = beyond({ rules: [NEW_RULE], paced: true });
    const theirs = beyond({ zone: 'UTC', rules: [{ ...NEW_RULE, limitText: '500' }], burstText: '2', guard: true });
    expect(rebaseDraft(mine, BASE, theirs)).toEqual(beyond({ rules: [NEW_RULE], paced: true, guard: true }));
  });

  it('keeps also what cannot be saved yet', () => {
    const mine = { ...BASE, limitText: 'abc' };
    expect(rebaseDraft(mine, BASE, { ...BASE, enabled: false })).toEqual({ ...mine, enabled: false });
  });

  it('loses no change of either side, whoever changed what', () => {
    const drafts = fc.record({
      enabled: fc.boolean(),
      limitText: fc.constantFrom('10000', '9000', '500'),
      thresholdText: fc.constantFrom('95', '80'),
      guard: fc.boolean(),
      paced: fc.boolean(),
      DELETE: fc.boolean(),
    });
    const draftWith = ({ enabled, limitText, thresholdText, guard, paced, DELETE }: Drawn): LimitDraft => ({
      ...beyond({ guard, paced }),
      enabled,
      limitText,
      thresholdText,
      types: { ...BASE.types, DELETE },
    });
    type Drawn = typeof drafts extends fc.Arbitrary<infer One> ? One : never;
    fc.assert(
      fc.property(drafts, drafts, drafts, (from, to, there) => {
        const [base, mine, theirs] = [draftWith(from), draftWith(to), draftWith(there)];
        const merged = changed(base, rebaseDraft(mine, base, theirs));
        expect(merged).toEqual(new Map([...changed(base, theirs), ...changed(base, mine)]));
      }),
    );
  });

  it('knows which of their changes are of fields that were typed in', () => {
    const mine = beyond({ burstText: '2' });
    expect(isTyped(mine, BASE, 'pacing.mode')).toBe(true);
    expect(isTyped(mine, BASE, 'globalLimitTps')).toBe(false);
    expect(isTyped(beyond({ rules: [NEW_RULE] }), BASE, 'limitSchedule.rules.0')).toBe(true);
  });
});

describe('the same for a quota', () => {
  const input: QuotaInput = quotaInput.parse({
    storeId: 'memory',
    quota: 'api',
    limit: 5,
    period: { unit: 'day', count: 1 },
  });
  const view = (change: Partial<QuotaInput>) =>
    quotaDraftOf({
      ...input,
      ...change,
      definitionId: 'q',
      storeName: 'x',
      storeKind: 'memory',
      builtIn: false,
      changedAtMs: 1,
      changedBy: 'ada',
      takes: 0,
      refused: 0,
      refusedLastHour: 0,
      problem: null,
    });
  const base = view({});

  it('keeps what was typed and takes over every other field; a period is one thing', () => {
    const mine = { ...base, limitText: '9', countText: '2' };
    const theirs = view({ limit: 7, shadow: true, period: { unit: 'hour', count: 3 } });
    expect(rebaseQuota(mine, base, theirs)).toEqual({ ...mine, shadow: true });
  });

  it('knows of every field of a change whether it was typed in', () => {
    const all = view({
      storeId: 'other',
      quota: 'other',
      limit: 6,
      period: { unit: 'hour', count: 2 },
      zone: 'Europe/Berlin',
      outage: 'open',
      shadow: true,
      subjects: 'address',
    });
    const fields = quotaChanges(input, { ...input, storeId: 'b', quota: 'b', limit: 1, zone: 'Z', outage: 'open' });
    expect(fields.map(({ field }) => isQuotaFieldTyped(all, base, field))).toEqual(fields.map(() => true));
    expect(isQuotaFieldTyped(base, base, 'limit')).toBe(false);
  });
});
