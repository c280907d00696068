import type { FamilyTally } from './tally.ts';

/*
 * Whether a family is one of counters. Names of limiters that we know, and those that the user claims, are. Home-made names are
 * taken for what they look like only if all keys of the family together bear it out:
 *
 * - almost all values are whole numbers;
 * - no period lies in the future or in the last century: events, bookings and birthdays have dates, counters have no future ones;
 * - something says that it counts: a word in the names, several periods, or that others of the family have deadlines;
 * - numbers that may be dates are dates throughout: of ids in a date's range only some are.
 *
 * What is not believed is not judged, not repaired, and shown apart.
 */

/** Most strangers per counter in a family whose names hold no word of limiters, and in one whose names do. */
const STRANGERS_PLAIN = 0.05;
const STRANGERS_WORDED = 1;

const CONTRARY_STRONG = 0.01;
const CONTRARY_WEAK = 0.05;
const CONTRARY_WEAK_WORDED = 0.2;

/** Least counters of a family that is known by numbers only: a chance hit is 1 in 60, so 8 in a row are none. */
const WEAK_COUNTERS = 8;

/** Least share and number of dated counters in a family without periods: undated ones among them are leaks. */
const DATED_SHARE = 0.05;
const DATED_COUNT = 2;

/** Least distinct periods of a family that nothing else speaks for. */
const PERIODS = 3;

/** Whether this is a family of counters. Pure. */
export function isBelieved(family: FamilyTally): boolean {
  const { evidence, counters, strangers, contrary, starts } = family;
  if (evidence === 'known' || evidence === 'claimed') return true;
  // Families that were thrown together bear nothing out.
  if (counters === 0 || family.isMixed) return false;
  const worded = family.worded * 2 > counters;
  if (strangers > counters * (worded ? STRANGERS_WORDED : STRANGERS_PLAIN)) return false;
  const dated = counters - family.undated;
  const someDated = dated >= DATED_COUNT && dated >= counters * DATED_SHARE;
  switch (evidence) {
    case 'word':
      return someDated;
    case 'stamp':
      if (contrary > counters * CONTRARY_STRONG) return false;
      return worded || starts.length >= PERIODS || someDated;
    case 'weak-stamp':
      if (contrary > counters * (worded ? CONTRARY_WEAK_WORDED : CONTRARY_WEAK)) return false;
      if (starts.length < 2) return false;
      return worded || counters >= WEAK_COUNTERS;
    default:
      return evidence satisfies never;
  }
}
