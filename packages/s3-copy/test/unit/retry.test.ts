import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cancellation, CancelledError } from '../../src/cancellation.ts';
import { callContext } from '../../src/client.ts';
import { S3Error, networkCode } from '../../src/errors.ts';
import { DEFAULT_RETRY, retryDelayMs, withRetries } from '../../src/retry.ts';
import { FakeClock } from './fake-clock.ts';

function failure(code: string, status = 500, retryAfterMs = 0): S3Error {
  return new S3Error({
    code,
    status,
    retryAfterMs,
    message: 'm',
    operation: 'GetObject',
    bucket: 'b',
    key: 'k',
    requestId: 'r-7',
  });
}

describe('the wait before a retry', () => {
  test('is anywhere between nothing and a doubling bound, and never above the cap', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const delay = retryDelayMs(DEFAULT_RETRY, attempt, failure('InternalError'), random);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.min(DEFAULT_RETRY.maxDelayMs, 100 * 2 ** attempt));
      }),
    );
  });

  test('grows from a higher base after a throttle', () => {
    expect(retryDelayMs(DEFAULT_RETRY, 1, failure('SlowDown', 503), 0.5)).toBe(500);
    expect(retryDelayMs(DEFAULT_RETRY, 1, failure('InternalError', 500), 0.5)).toBe(100);
  });

  test('is at least what the server asked for, within the cap', () => {
    expect(retryDelayMs(DEFAULT_RETRY, 0, failure('SlowDown', 503, 3_000), 0)).toBe(3_000);
    expect(retryDelayMs(DEFAULT_RETRY, 0, failure('SlowDown', 503, 3_600_000), 0)).toBe(DEFAULT_RETRY.maxDelayMs);
  });
});

describe('retrying', () => {
  test('repeats until it succeeds and counts each repetition', async () => {
    const clock = new FakeClock();
    const call = callContext();
    const attempts: number[] = [];
    const result = await withRetries(DEFAULT_RETRY, clock, call, async (attempt) => {
      attempts.push(attempt);
      if (attempt < 3) throw failure('SlowDown', 503);
      return 'done';
    });
    expect(result).toBe('done');
    expect(attempts).toEqual([0, 1, 2, 3]);
    expect(call.tally.retries).toBe(3);
    expect(clock.sleepsMs).toEqual([250, 500, 1_000]);
  });

  test('gives up after the last attempt with the last error', async () => {
    const call = callContext();
    const run = withRetries(DEFAULT_RETRY, new FakeClock(), call, async (attempt) => {
      throw failure(attempt === 5 ? 'SlowDown' : 'InternalError', 503);
    });
    await expect(run).rejects.toMatchObject({ code: 'SlowDown', throttle: true });
    expect(call.tally.retries).toBe(5);
  });

  test('does not repeat what cannot succeed', async () => {
    const call = callContext();
    const run = withRetries(DEFAULT_RETRY, new FakeClock(), call, async () => {
      throw failure('NoSuchKey', 404);
    });
    await expect(run).rejects.toMatchObject({ code: 'NoSuchKey' });
    expect(call.tally.retries).toBe(0);
  });

  test('ends at once when cancelled between attempts', async () => {
    const call = callContext();
    const reason = new CancelledError('enough');
    const run = withRetries(DEFAULT_RETRY, new FakeClock(), call, async () => {
      call.cancellation.cancel(reason);
      throw failure('InternalError');
    });
    await expect(run).rejects.toBe(reason);
  });
});

describe('errors', () => {
  test('name operation, bucket, key, code and request id', () => {
    expect(failure('NoSuchKey', 404).message).toBe('GetObject b/k: NoSuchKey: m [request r-7]');
  });

  test.each([
    ['SlowDown', 503],
    ['whatever', 503],
    ['whatever', 429],
    ['RequestLimitExceeded', 400],
    ['ThrottlingException', 400],
  ])('%s with status %i is a throttle and retryable', (code, status) => {
    expect(failure(code, status)).toMatchObject({ throttle: true, retryable: true });
  });

  test.each([
    ['AccessDenied', 403],
    ['NoSuchBucket', 404],
    ['PreconditionFailed', 412],
    ['EntityTooLarge', 413],
    ['tls-failed', 0],
  ])('%s with status %i is final', (code, status) => {
    expect(failure(code, status)).toMatchObject({ throttle: false, retryable: false });
  });

  test.each([
    ['ECONNREFUSED', 'connection-refused'],
    ['ECONNRESET', 'connection-lost'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', 'response-timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'body-stalled'],
    ['ENOTFOUND', 'host-not-found'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls-failed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls-failed'],
    ['HPE_INVALID_CONSTANT', 'not-http'],
    ['SOMETHING_NEW', 'network-error'],
  ])('%s of the network layer is named %s', (code, expected) => {
    expect(networkCode(Object.assign(new Error('x'), { code }))).toBe(expected);
    expect(networkCode(new Error('outer', { cause: Object.assign(new Error('x'), { code }) }))).toBe(expected);
    expect(networkCode(new AggregateError([Object.assign(new Error('x'), { code })]))).toBe(expected);
  });
});

describe('cancellation', () => {
  test('reaches children but not parents, and forgotten callbacks stay silent', () => {
    const parent = new Cancellation();
    const { cancellation: child } = parent.child();
    const calls: string[] = [];
    const forget = parent.onCancel(() => calls.push('forgotten'));
    forget();
    child.onCancel((reason) => calls.push(reason.message));
    const { cancellation: other } = parent.child();
    other.cancel(new CancelledError('other'));
    expect(parent.reason).toBeNull();
    parent.cancel(new CancelledError('all'));
    parent.cancel(new CancelledError('again'));
    expect(calls).toEqual(['all']);
    expect(() => child.throwIfCancelled()).toThrow('all');
    expect(child.signal.aborted).toBe(true);
  });

  test('follows an AbortSignal, also one that is aborted already', () => {
    const controller = new AbortController();
    const early = Cancellation.from(controller.signal);
    controller.abort(new Error('stop'));
    expect(early.reason?.message).toBe('stop');
    expect(Cancellation.from(controller.signal).reason?.message).toBe('stop');
  });
});
