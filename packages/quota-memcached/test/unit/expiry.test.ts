import { deadlineAt, LATEST_DEADLINE_MS, QuotaError } from '@weir/quota';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiryOf, LATEST_EXPIRY_SECONDS, LONGEST_RELATIVE_SECONDS } from '../../src/expiry.ts';

const DAY_MS = 86_400_000;

test('an expiry is never a lifetime, never for ever, never before its deadline and at most a second after it', () => {
  const nowMs = Date.UTC(2026, 10, 30);
  fc.assert(
    fc.property(fc.integer({ min: nowMs + 1, max: LATEST_DEADLINE_MS }), (atMs) => {
      const seconds = expiryOf(deadlineAt(atMs, nowMs), nowMs);
      expect(seconds).toBeGreaterThan(LONGEST_RELATIVE_SECONDS);
      expect(seconds).toBeLessThanOrEqual(LATEST_EXPIRY_SECONDS);
      if (seconds === LATEST_EXPIRY_SECONDS) return;
      expect(seconds * 1000).toBeGreaterThanOrEqual(atMs);
      expect(seconds * 1000).toBeLessThan(atMs + 1000);
    }),
    { examples: [[nowMs + 1], [nowMs + 31 * DAY_MS], [2 ** 31 * 1000], [2 ** 32 * 1000], [LATEST_DEADLINE_MS]] },
  );
});

test('a deadline that has passed by the server is refused, because memcached would say that it stored it', () => {
  const deadline = deadlineAt(Date.UTC(2026, 10, 30), 0);
  expect(() => expiryOf(deadline, deadline)).toThrow(QuotaError);
  expect(expiryOf(deadline, deadline - 1)).toBe(deadline / 1000);
});

test('a deadline in January 1970 is refused, because memcached would read it as a lifetime', () => {
  expect(() => expiryOf(deadlineAt(LONGEST_RELATIVE_SECONDS * 1000, 0), 0)).toThrow(/January 1970/);
  expect(expiryOf(deadlineAt(LONGEST_RELATIVE_SECONDS * 1000 + 1, 0), 0)).toBe(LONGEST_RELATIVE_SECONDS + 1);
});
