import type { Counter } from './counter.ts';
import type { Source } from './decision.ts';
import type { Metrics } from './metrics.ts';
import type { OutagePolicy } from './rules.ts';

/** Whether the quota's outage policy admits a take of this cost. Changes nothing. */
export function outageAdmits(counter: Counter, cost: number, limit: number): boolean {
  const { outage, servers } = counter.rules;
  if (outage === 'open') return true;
  if (outage === 'closed') return false;
  const fits = counter.estimate + cost <= limit;
  return outage === 'last-known' ? fits : fits && counter.outageSpent + cost <= Math.floor(limit / servers);
}

/**
 * Books what was admitted without the store.
 * @param sent the store may have charged it already: its reply is missing.
 */
export function spendWithoutStore(counter: Counter, cost: number, sent: boolean): void {
  counter.outageSpent += cost;
  if (sent) counter.unknown += cost;
  else counter.owed += cost;
}

/** How a decision by this policy is marked. */
export const OUTAGE_SOURCES: Readonly<Record<OutagePolicy, Source>> = {
  open: 'outage-open',
  closed: 'outage-closed',
  'local-share': 'outage-local-share',
  'last-known': 'outage-last-known',
};

/** Counts a decision by this policy. */
export function countOutage(metrics: Metrics, policy: OutagePolicy): void {
  if (policy === 'open') metrics.outageOpen += 1;
  else if (policy === 'closed') metrics.outageClosed += 1;
  else if (policy === 'local-share') metrics.outageLocalShare += 1;
  else metrics.outageLastKnown += 1;
}
