import type { QuotaUsage, SubjectUsage } from '@weir/protocol';
import type { LookedThrough } from '../quotas/look-through.ts';
import { POINT_MS, POINTS, refusalSeries } from '../quotas/refusal-series.ts';
import type { KnownSubject } from '../quotas/usage-book.ts';
import type { ConsoleContext } from './context.ts';
import { noQuota } from './save-quota.ts';

/** Subjects that are shown. */
const TOP = 20;

/**
 * Where the subjects of a quota stand, and what was refused in the last day. On a store that others write to, the counters
 * themselves are looked at; otherwise what this console has seen.
 * @throws ConsoleError not-found
 */
export async function readQuotaUsage(context: ConsoleContext, definitionId: string): Promise<QuotaUsage> {
  const book = context.quotas.book(definitionId);
  if (book === undefined) throw noQuota(definitionId);
  const looked = await context.quotas.looked(definitionId);
  const nowMs = context.clock.nowMs();
  const minutes = await context.storage.quotas.minutesSince(definitionId, nowMs - POINT_MS * POINTS);
  // Asked after the looks, so that the figures are of one moment.
  const quota = context.quotas.quotaViews().find((each) => each.definitionId === definitionId);
  if (quota === undefined) throw noQuota(definitionId);
  const known = book.subjects(nowMs);
  return {
    quota,
    top: looked === undefined ? known.slice(0, TOP).map(seenHere) : seenThere(looked, known, quota.limit),
    subjects: looked === undefined ? (quota.storeKind === 'memory' ? known.length : null) : looked.subjects,
    partial: looked?.partial ?? false,
    lookedAtMs: looked?.atMs ?? null,
    series: refusalSeries(minutes, nowMs),
  };
}

function seenHere({ subject, used, limit, resetAtMs, refused }: KnownSubject): SubjectUsage {
  return { subject, shortened: false, used, limit, resetAtMs, refused };
}

function seenThere(looked: LookedThrough, known: readonly KnownSubject[], limit: number): SubjectUsage[] {
  const refusals = new Map(known.map(({ subject, refused }) => [subject, refused]));
  return looked.top.map((seen) => ({ ...seen, limit, refused: refusals.get(seen.subject) ?? 0 }));
}
