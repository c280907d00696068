import type { Clock } from './clock.ts';
import { S3Error } from './errors.ts';
import type { CallContext } from './gate.ts';

/** How often and how patiently a request is repeated. */
export interface RetryPolicy {
  /** Attempts in all, the first included. Default 6. */
  maxAttempts: number;
  /** Upper bound of the first wait after a network or server error, in ms; doubles each time. Default 100. */
  baseDelayMs: number;
  /** The same after a throttle, where a quick retry makes things worse. Default 500. */
  throttleBaseDelayMs: number;
  /** Longest wait, in ms. Default 10,000. */
  maxDelayMs: number;
}

/** The defaults: with full jitter about 1.5 s of waiting on average after errors, about 7 s after throttles. */
export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 6,
  baseDelayMs: 100,
  throttleBaseDelayMs: 500,
  maxDelayMs: 10_000,
};

/**
 * Wait before the retry after attempt number `attempt` (0 = the first), in ms: uniform between 0 and the doubling
 * bound ("full jitter", from the AWS Architecture Blog), so that clients that failed together do not return together.
 * Never shorter than the server asked for.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, error: S3Error, random: number): number {
  const base = error.throttle ? policy.throttleBaseDelayMs : policy.baseDelayMs;
  const bound = Math.min(policy.maxDelayMs, base * 2 ** attempt);
  return Math.max(Math.min(error.retryAfterMs, policy.maxDelayMs), random * bound);
}

/**
 * Repeats `run` while it fails with a retryable S3Error and attempts are left. Counts each repetition in the tally.
 * @throws the last error; a cancellation's reason as it is.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  clock: Clock,
  call: CallContext,
  run: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run(attempt);
    } catch (error) {
      const last = attempt + 1 >= policy.maxAttempts;
      if (last || !(error instanceof S3Error) || !error.retryable) throw error;
      call.cancellation.throwIfCancelled();
      call.tally.retries++;
      await clock.sleep(retryDelayMs(policy, attempt, error, clock.random()), call.cancellation);
    }
  }
}
