import { DEFAULT_WINDOW_SECONDS } from '@weir/protocol';
import type { UseQueryResult } from '@tanstack/react-query';
import { consoleClock } from './console.ts';
import { useInfo } from './session.ts';

/** How soon a failed poll is repeated, in ms (or the usual interval, if that is shorter). */
const RETRY_MS = 5_000;

/** Length of a credit window in ms: how often figures can change. */
export function useWindowMs(): number {
  return (useInfo().data?.windowSeconds ?? DEFAULT_WINDOW_SECONDS) * 1_000;
}

/** For `refetchInterval`: the usual interval, or a short one after a failure. */
export function pollEvery(intervalMs: number): (query: { state: { status: string } }) => number {
  return (query) => (query.state.status === 'error' ? Math.min(RETRY_MS, intervalMs) : intervalMs);
}

/** When a polled query asks next, in ms of the console's clock. */
export function nextPollAtMs(query: UseQueryResult, intervalMs: number): number {
  const localMs = query.isError
    ? query.errorUpdatedAt + Math.min(RETRY_MS, intervalMs)
    : query.dataUpdatedAt + intervalMs;
  return consoleClock.fromLocal(localMs);
}
