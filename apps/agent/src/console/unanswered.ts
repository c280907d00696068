import { ApiError, NetworkError } from '@weir/client';
import { pause, type Timing } from '../timing.ts';

/** Bounds of the time between two tries while the console does not answer, in ms. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 10_000;

/** Longest wait that a console is granted, in ms. */
const MAX_ASKED_MS = 60_000;

/** Whether the console may answer the same request later: it is away, overloaded, or behind a proxy that misses it. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && (error.status >= 500 || error.status === 429));
}

/** Whether the console refuses this agent itself: revoked, or known to another console only. */
export function isAgentRefused(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

/** Wait before try number `failures` + 1, in ms: at least 1 s, with jitter up to a bound that doubles to `maxMs`. */
export function jitteredDelayMs(failures: number, maxMs: number, random: number): number {
  const ceilingMs = Math.min(maxMs, RETRY_MIN_MS * 2 ** Math.min(failures, 30));
  return RETRY_MIN_MS + random * (ceilingMs - RETRY_MIN_MS);
}

/** The same for a console that does not answer: up to 10 s, longer only if it asks. */
export function retryDelayMs(failures: number, error: unknown, random: number): number {
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(jitteredDelayMs(failures, RETRY_MAX_MS, random), Math.min(askedMs, MAX_ASKED_MS));
}

/**
 * Repeats a call until the console answers it.
 * @throws what the console refuses it with; the reason of `signal`
 */
export async function untilAnswered<Result>(
  call: () => Promise<Result>,
  options: { timing: Timing; signal: AbortSignal; onRetry: (error: unknown, inMs: number) => void },
): Promise<Result> {
  const { timing, signal, onRetry } = options;
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      const delayMs = retryDelayMs(failures, error, timing.random());
      onRetry(error, delayMs);
      await pause(timing, delayMs, signal);
    }
  }
}
