import type { ListingState, RepairState } from './journal.ts';
import type { FixMode } from './plan.ts';

/** A plan older than this is not continued: too much has changed, in ms. */
export const MAX_PLAN_AGE_MS: number = 86_400_000;

/** What to do with a journal that is found. */
export type Continuation =
  /** Begin anew: there is nothing, or it is of another audit, too old, or finished. */
  | { readonly from: 'start' }
  /** The listing was interrupted. */
  | { readonly from: 'listing'; readonly listing: ListingState }
  /** The plan is complete; changes were not begun, or interrupted. */
  | { readonly from: 'plan'; readonly listing: ListingState; readonly repair: RepairState | undefined };

/**
 * Whether an audit goes on where an earlier one was interrupted. Pure.
 * @param about what is audited now, and how; must be the same.
 * @param mode of the repair; absent: only an interrupted listing is continued.
 */
export function continuationOf(
  saved: { listing: ListingState; repair: RepairState | undefined } | undefined,
  about: string,
  mode: FixMode | undefined,
  nowMs: number,
): Continuation {
  if (saved === undefined) return { from: 'start' };
  const { listing, repair } = saved;
  if (listing.about !== about || nowMs - listing.startedAtMs > MAX_PLAN_AGE_MS) return { from: 'start' };
  if (listing.phase === 'listing') return { from: 'listing', listing };
  if (mode === undefined || (repair !== undefined && repair.mode !== mode)) return { from: 'start' };
  if (repair !== undefined && repair.appliedBytes >= listing.planBytes) return { from: 'start' };
  return { from: 'plan', listing, repair };
}
