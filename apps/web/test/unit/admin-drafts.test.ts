import { describe, expect, it } from 'vitest';
import {
  checkAccount,
  EMPTY_ACCOUNT,
  EMPTY_PASSWORDS,
  passwordErrors,
} from '../../src/pages/accounts/account-draft.ts';
import { checkQuota, emptyQuota } from '../../src/pages/quotas/quota-draft.ts';
import { limitWords } from '../../src/words/quota-words.ts';

describe('a new account', () => {
  it('needs a name that the console takes, and a password only when one is typed', () => {
    expect(checkAccount({ ...EMPTY_ACCOUNT, username: ' ann ' })).toEqual({
      ok: true,
      input: { username: 'ann', role: 'viewer' },
    });
    expect(checkAccount(EMPTY_ACCOUNT)).toMatchObject({ ok: false, errors: { username: 'Enter a user name.' } });
    expect(checkAccount({ ...EMPTY_ACCOUNT, username: 'Ann Smith' }).ok).toBe(false);
    expect(checkAccount({ ...EMPTY_ACCOUNT, username: 'ann', typed: true, password: 'short' })).toMatchObject({
      errors: { password: expect.stringContaining('8 characters') },
    });
  });
});

describe('the own password', () => {
  it('names what is missing, too short, the same, or typed differently', () => {
    const full = { currentPassword: 'old-password', newPassword: 'new-password', again: 'new-password' };
    expect(passwordErrors(full)).toEqual({});
    expect(Object.keys(passwordErrors(EMPTY_PASSWORDS))).toEqual(['currentPassword', 'newPassword']);
    expect(Object.keys(passwordErrors({ ...full, again: 'new-passwort' }))).toEqual(['again']);
    expect(Object.keys(passwordErrors({ ...full, currentPassword: 'new-password' }))).toEqual(['newPassword']);
  });
});

describe('a quota', () => {
  it('reads numbers as people write them', () => {
    const draft = {
      ...emptyQuota('memory'),
      quota: ' api ',
      limitText: '10,000',
      countText: '15',
      unit: 'minute',
    } as const;
    expect(checkQuota(draft)).toMatchObject({
      ok: true,
      input: { quota: 'api', limit: 10_000, period: { unit: 'minute', count: 15 } },
    });
  });

  it('names every field that is wrong, all at once', () => {
    const checked = checkQuota({ ...emptyQuota(''), limitText: 'many', countText: '0', zone: '' });
    expect(Object.keys(checked.ok ? {} : checked.errors).toSorted()).toEqual([
      'limit',
      'period.count',
      'quota',
      'storeId',
      'zone',
    ]);
  });

  it.each([
    [1_000, 1, 'day', '1,000 a day'],
    [5, 1, 'hour', '5 an hour'],
    [5, 15, 'minute', '5 per 15 minutes'],
  ] as const)('%i per %i %s is “%s”', (limit, count, unit, words) => {
    expect(limitWords({ limit, period: { unit, count } })).toBe(words);
  });
});
