import { fieldBytes, fieldInteger, fieldString } from './structured-fields.ts';

/**
 * Which text of draft-ietf-httpapi-ratelimit-headers the response follows.
 *
 * - `draft-11` (newest) and `draft-08`, on the wire the same: `RateLimit-Policy: "burst";q=100;w=60`,
 *   `RateLimit: "burst";r=50;t=30`, one item per quota.
 * - `draft-07`: `RateLimit-Policy: 100;w=60`, `RateLimit: limit=100, remaining=50, reset=30`.
 * - `draft-06`: the same in `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`.
 * - `none`: no such headers; refusals keep `Retry-After`.
 *
 * 06 and 07 report one quota, the one that is closest to its limit, and list all in `RateLimit-Policy`.
 */
export type HeaderDraft = 'draft-11' | 'draft-08' | 'draft-07' | 'draft-06' | 'none';

/** Units that the draft registers. */
export type QuotaUnit = 'requests' | 'content-bytes' | 'concurrent-requests';

/** Where one quota stands, as a response tells it. */
export interface PolicyState {
  /** Names the quota to clients. */
  readonly name: string;
  readonly limit: number;
  readonly remaining: number;
  /** Length of the period. */
  readonly windowSeconds: number;
  /** Until `remaining` is filled up again. */
  readonly resetSeconds: number;
  /** This quota refused the request. */
  readonly refused: boolean;
  /** Default `requests`. */
  readonly unit?: QuotaUnit | undefined;
  /** What part of the capacity was charged; clients see it, so nothing secret. */
  readonly partition?: string | undefined;
}

/** Header names and values. */
export type HeaderFields = Readonly<Record<string, string>>;

/** The headers that tell where the quotas of a response stand; none when there are no quotas. */
export function rateLimitHeaders(states: readonly PolicyState[], draft: HeaderDraft = 'draft-11'): HeaderFields {
  const closest = closestToLimit(states);
  if (closest === undefined || draft === 'none') return {};
  if (draft === 'draft-11' || draft === 'draft-08') {
    return {
      'RateLimit-Policy': states.map(policyItem).join(', '),
      RateLimit: states.map(serviceLimitItem).join(', '),
    };
  }
  const limit = fieldInteger(closest.limit);
  const remaining = fieldInteger(closest.remaining);
  const reset = fieldInteger(closest.resetSeconds);
  const policies = { 'RateLimit-Policy': namelessPolicies(states) };
  if (draft === 'draft-07') {
    return { ...policies, RateLimit: `limit=${limit}, remaining=${remaining}, reset=${reset}` };
  }
  return { ...policies, 'RateLimit-Limit': limit, 'RateLimit-Remaining': remaining, 'RateLimit-Reset': reset };
}

function policyItem({ name, limit, windowSeconds, unit, partition }: PolicyState): string {
  const quantity = unit === undefined || unit === 'requests' ? '' : `;qu=${fieldString(unit)}`;
  return `${fieldString(name)};q=${fieldInteger(limit)}${quantity};w=${windowOf(windowSeconds)}${partitionOf(partition)}`;
}

function serviceLimitItem({ name, remaining, resetSeconds, partition }: PolicyState): string {
  return `${fieldString(name)};r=${fieldInteger(remaining)};t=${fieldInteger(resetSeconds)}${partitionOf(partition)}`;
}

/** Items without a name must differ in their quota (draft-07, 3.5), so of two equal ones the longer window is left out. */
function namelessPolicies(states: readonly PolicyState[]): string {
  const windows = new Map<string, number>();
  for (const { limit, windowSeconds } of states) {
    const quota = fieldInteger(limit);
    windows.set(quota, Math.min(windowSeconds, windows.get(quota) ?? windowSeconds));
  }
  return [...windows].map(([quota, windowSeconds]) => `${quota};w=${windowOf(windowSeconds)}`).join(', ');
}

function partitionOf(partition: string | undefined): string {
  return partition === undefined ? '' : `;pk=${fieldBytes(partition)}`;
}

/** A window of zero seconds must not be written. */
function windowOf(windowSeconds: number): string {
  return fieldInteger(Math.max(1, windowSeconds));
}

/** What refused comes first, then what has least left; of equals the one that fills up last. */
function closestToLimit(states: readonly PolicyState[]): PolicyState | undefined {
  return states.toSorted(
    (a, b) =>
      Number(b.refused) - Number(a.refused) ||
      (a.refused ? 0 : a.remaining - b.remaining) ||
      b.resetSeconds - a.resetSeconds,
  )[0];
}
