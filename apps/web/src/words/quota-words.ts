import type { AuditRunState, QuotaInput, QuotaStoreView, QuotaView, StoreWarning, TakeResult } from '@weir/protocol';
import { formatCount, formatPlural } from '../format/numbers.ts';

/** `1,000 a day`, `5 per 15 minutes` */
export function limitWords({ limit, period }: Pick<QuotaInput, 'limit' | 'period'>): string {
  const { unit, count } = period;
  const article = unit === 'hour' ? 'an' : 'a';
  return count === 1
    ? `${formatCount(limit)} ${article} ${unit}`
    : `${formatCount(limit)} per ${formatPlural(count, unit)}`;
}

/** What is done while the store does not answer. */
export const OUTAGE_WORDS: Readonly<Record<QuotaInput['outage'], { label: string; text: string }>> = {
  closed: { label: 'Refuse', text: 'Never more than the limit, whatever happens.' },
  open: { label: 'Admit', text: 'Nobody is stopped; more than the limit may pass.' },
  'last-known': { label: 'Last known total', text: 'Goes on from the last total that this console saw.' },
};

/** What is wrong with a store, and what to do about it. */
export const WARNING_WORDS: Readonly<Record<StoreWarning, { title: string; remedy: string }>> = {
  'undated-entries': {
    title: 'It holds entries that never expire.',
    remedy: 'They may belong to other programs. An audit tells which are counters, what they cost, and dates them.',
  },
  'eviction-policy-unsafe': {
    title: 'When full, it removes entries that are still needed.',
    remedy:
      'A counter that is removed begins again from zero. Set maxmemory-policy to noeviction, and give it enough memory.',
  },
  'entries-evicted': {
    title: 'It has removed entries to make room.',
    remedy: 'Live counters may be among them: subjects got more than their limit. Give it more memory.',
  },
  'store-restarted': {
    title: 'It restarted, or another server took over.',
    remedy: 'What was counted may be lost; the subjects then begin again from zero.',
  },
  'clock-skewed': {
    title: 'Its clock and that of this console are more than 30 s apart.',
    remedy: 'Have both follow a time server, or counters may end too early.',
  },
  'counter-vanished': {
    title: 'A counter was gone before its end.',
    remedy: 'It was evicted, flushed or deleted within the last hour; its subject began again from zero.',
  },
  'counter-corrupt': {
    title: 'Something that is no counter stands under the name of one.',
    remedy: 'Another program writes there. Use a database of its own for counters.',
  },
};

/** How a store stands. */
export function storeState(store: QuotaStoreView): { label: string; tone: 'green' | 'amber' | 'red' | 'gray' } {
  if (store.state === 'down') return { label: 'Down', tone: 'red' };
  if (store.state === 'connecting') return { label: 'Connecting', tone: 'gray' };
  return store.warnings.length > 0 ? { label: 'Look at it', tone: 'amber' } : { label: 'Up', tone: 'green' };
}

/** How a quota stands. */
export function quotaState(quota: QuotaView): { label: string; tone: 'green' | 'amber' | 'red' | 'gray' } {
  if (quota.problem !== null) return { label: 'Not in force', tone: 'red' };
  if (quota.shadow) return { label: 'Shadow', tone: 'gray' };
  return quota.refusedLastHour > 0 ? { label: 'Refusing', tone: 'amber' } : { label: 'In force', tone: 'green' };
}

/** How an audit stands. */
export const AUDIT_STATES: Readonly<
  Record<AuditRunState, { label: string; tone: 'green' | 'amber' | 'red' | 'gray' | 'accent' }>
> = {
  listing: { label: 'Looking', tone: 'accent' },
  done: { label: 'Done', tone: 'green' },
  fixing: { label: 'Repairing', tone: 'accent' },
  fixed: { label: 'Repaired', tone: 'green' },
  failed: { label: 'Failed', tone: 'red' },
  stopped: { label: 'Stopped', tone: 'gray' },
};

const SOURCES: Readonly<Record<string, string>> = {
  store: 'counted in the store',
  rule: 'decided by the definition alone',
  'deny-cache': 'repeating a refusal of a moment ago',
  'outage-closed': 'the store did not answer',
  'outage-open': 'the store did not answer',
  'outage-last-known': 'the store did not answer',
};

/** What a take came to. */
export function takeWords({ allowed, used, limit, source }: TakeResult): string {
  const verdict = allowed ? 'Admitted' : 'Refused';
  return `${verdict}: ${formatCount(used)} of ${formatCount(limit)} used (${SOURCES[source] ?? source}).`;
}

/** Why a repair leaves listed counters alone. */
export const SPARED_WORDS: Readonly<Record<string, string>> = {
  'no-lifetime': 'have no period in their names and no dated siblings: say how long they may live',
  'may-be-running': 'are of a day that is not over everywhere: name the zone in the audit, or wait',
  'not-ended': 'are not of an ended period: dating fits them',
  'not-believed': 'turned out not to be counters',
};
