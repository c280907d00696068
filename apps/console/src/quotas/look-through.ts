import { keyPrefix, parseKey, parsePeriodId } from '@weir/quota';
import { textOf, type AuditedStore } from '@weir/quota-audit';

/** Where a subject stands in its store. */
export interface SeenSubject {
  subject: string;
  shortened: boolean;
  used: number;
  resetAtMs: number | null;
}

/** What was seen of a quota in its store. */
export interface LookedThrough {
  atMs: number;
  /** Most used first. */
  top: SeenSubject[];
  subjects: number;
  /** At or over the limit. */
  atLimit: number;
  /** There was more than is looked at in one go. */
  partial: boolean;
}

/** Keys that are listed at most: a glance at a page must not walk through a store of a hundred million keys. */
const MAX_LISTED = 100_000;
/** Counters that are read at most. */
const MAX_READ = 20_000;
/** Longest that it may take, in ms. */
const MAX_MS = 3_000;
const TOP = 20;

/** Reads the counters of a quota whose period has not ended. Bounded in keys, reads and time. */
export async function lookThrough(
  store: AuditedStore,
  quota: string,
  limit: number,
  steadyMs: () => number,
): Promise<LookedThrough> {
  const startMs = steadyMs();
  const nowMs = await store.now();
  let listed = 0;
  let read = 0;
  let partial = false;
  const found = new Map<string, SeenSubject>();
  // Keys of Weir hold none of the characters that mean something in a pattern.
  const pattern = `${keyPrefix(quota, 's').slice(0, -'{s}:'.length)}{*`;
  for await (const { keys, next } of store.list(undefined, pattern)) {
    listed += keys.length;
    const current = keys.filter(({ key }) => isCurrent(textOf(key), quota, nowMs)).slice(0, MAX_READ - read);
    read += current.length;
    const looks = current.length === 0 ? [] : await store.look(current.map((each) => ({ ...each, sized: false })));
    for (const [index, { key }] of current.entries()) {
      const seen = subjectOf(textOf(key), looks[index]?.value);
      if (seen !== undefined) found.set(key, seen);
    }
    const spent = listed >= MAX_LISTED || read >= MAX_READ || steadyMs() - startMs >= MAX_MS;
    if (spent && (next !== undefined || !store.resumable)) {
      partial = true;
      break;
    }
  }
  const all = [...found.values()].toSorted((a, b) => b.used - a.used);
  const atLimit = all.filter(({ used }) => used >= limit).length;
  return { atMs: nowMs, top: all.slice(0, TOP), subjects: all.length, atLimit, partial };
}

function isCurrent(key: string, quota: string, nowMs: number): boolean {
  const name = parseKey(key);
  if (name?.kind !== 'counter' || name.quotaId !== quota) return false;
  const period = parsePeriodId(name.rest);
  return period === undefined || period.endMs === undefined || period.endMs > nowMs;
}

function subjectOf(key: string, value: string | null | undefined): SeenSubject | undefined {
  const name = parseKey(key);
  const used = Number(value ?? Number.NaN);
  if (name === undefined || !Number.isSafeInteger(used)) return undefined;
  const resetAtMs = parsePeriodId(name.rest)?.endMs ?? null;
  return { subject: name.subject, shortened: name.shortened, used: Math.max(0, used), resetAtMs };
}
