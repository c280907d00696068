import { QuotaError } from '@weir/quota';
import { expect, test } from 'vitest';
import { replyCode, toQuotaError } from '../../src/reply-errors.ts';

class SocketTimeoutError extends Error {}

test('each failure of Redis has a code of the engine, and keeps its cause', () => {
  const cases: readonly (readonly [Error, string, RegExp])[] = [
    [new Error('WRONGTYPE Operation against a key holding the wrong kind of value'), 'store-corrupt', /no counter/],
    [new Error('ERR value is not an integer or out of range'), 'store-corrupt', /no counter/],
    [new Error('ERR increment or decrement would overflow'), 'store-corrupt', /no counter/],
    [new Error("READONLY You can't write against a read only replica."), 'store-unavailable', /read-only replica/],
    [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'store-unavailable', /full/],
    [new Error('CROSSSLOT Keys in request don’t hash to the same slot'), 'store-unavailable', /hash tag/],
    [new Error('LOADING Redis is loading the dataset in memory'), 'store-unavailable', /loading/],
    [new Error('NOPERM this user has no permissions'), 'store-unavailable', /may not/],
    [new Error('MISCONF Redis is configured to save'), 'store-unavailable', /cannot save/],
    [new Error('Command timed out'), 'store-timeout', /did not answer/],
    [new SocketTimeoutError('Socket silent'), 'store-timeout', /did not answer/],
    [new Error('Socket closed unexpectedly'), 'store-unavailable', /closed unexpectedly/],
  ];
  for (const [cause, code, message] of cases) {
    const error = toQuotaError(cause);
    expect([cause.message, error.code]).toEqual([cause.message, code]);
    expect(error.message).toMatch(message);
    expect(error.cause).toBe(cause);
  }
  expect(toQuotaError('odd').code).toBe('store-unavailable');
  const own = new QuotaError('closed', 'x');
  expect(toQuotaError(own)).toBe(own);
});

test('the code inside a script error of Redis before 7 is found', () => {
  const error = new Error('ERR Error running script (call to f_ab): @user_script:8: -OOM command not allowed');
  expect(replyCode(error)).toBe('OOM');
  expect(replyCode(new Error('NOSCRIPT No matching script.'))).toBe('NOSCRIPT');
  expect(replyCode(new Error('Connection is closed.'))).toBe('');
  expect(replyCode('READONLY')).toBe('');
});
