import { QuotaError, type Deadline } from '@weir/quota';

declare const expiryBrand: unique symbol;

/**
 * When memcached may forget an entry, as it goes over the wire: whole seconds since 1970, always absolute.
 * Branded: no command of this package takes a bare number, so neither 0 (for ever) nor a lifetime that memcached would read
 * as a date in 1970 can be sent. Made by `expiryOf` only.
 */
export type Expiry = number & { readonly [expiryBrand]: 'epoch seconds' };

/** Up to this many seconds memcached takes a number for a lifetime, above it for a time since 1970. */
export const LONGEST_RELATIVE_SECONDS = 2_592_000;

/**
 * Latest expiry sent: January 2038. memcached keeps it in 32 bits: measured on 1.6.18, 2^31 and above is dead on arrival, and
 * 2^32 wraps to 0, an entry that never expires.
 */
export const LATEST_EXPIRY_SECONDS = 2_147_483_647;

/**
 * The expiry of a deadline, rounded up to a whole second; deadlines after January 2038 are cut to it.
 * @param nowMs the server's time in ms since 1970. memcached says "stored" to what is dead on arrival, so it is not asked.
 * @throws {QuotaError} `invalid-deadline` for one that has passed, or lies within the first 30 days of 1970, where it cannot be
 * told from a lifetime.
 */
export function expiryOf(deadline: Deadline, nowMs: number): Expiry {
  const seconds = Math.min(LATEST_EXPIRY_SECONDS, Math.ceil(deadline / 1000));
  if (deadline <= nowMs) {
    throw new QuotaError(
      'invalid-deadline',
      `the deadline ${deadline} has passed: the server's clock says ${nowMs} ms`,
    );
  }
  if (isAbsolute(seconds)) return seconds;
  throw new QuotaError('invalid-deadline', `memcached cannot hold a deadline in January 1970, got ${deadline} ms`);
}

function isAbsolute(seconds: number): seconds is Expiry {
  return seconds > LONGEST_RELATIVE_SECONDS;
}
