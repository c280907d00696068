import { describe, expect, it } from 'vitest';
import { newTally } from '../../src/findings/tally.ts';
import { continuationOf, MAX_PLAN_AGE_MS } from '../../src/repair/continuation.ts';
import type { ListingState, RepairState } from '../../src/index.ts';
import { NOW_MS } from '../support/judging.ts';

const listing: ListingState = {
  about: 'a',
  startedAtMs: NOW_MS - 60_000,
  phase: 'listing',
  cursor: '0 17',
  planBytes: 100,
  tally: newTally(),
};
const listed: ListingState = { ...listing, phase: 'listed' };
const counts = { done: 0, kept: 0, gone: 0, changed: 0, failed: 0, spared: {} };
const half: RepairState = { mode: 'date', appliedBytes: 50, appliedLines: 5, counts };

describe('a journal that is found', () => {
  it('is continued where it ended: in the listing, before the changes, or among them', () => {
    expect(continuationOf({ listing, repair: undefined }, 'a', 'date', NOW_MS).from).toBe('listing');
    expect(continuationOf({ listing, repair: undefined }, 'a', undefined, NOW_MS).from).toBe('listing');
    expect(continuationOf({ listing: listed, repair: undefined }, 'a', 'date', NOW_MS).from).toBe('plan');
    expect(continuationOf({ listing: listed, repair: half }, 'a', 'date', NOW_MS)).toMatchObject({
      from: 'plan',
      repair: { appliedBytes: 50 },
    });
  });

  it('is not continued by another audit, by another repair, when it is finished, or after a day', () => {
    const starts = [
      continuationOf(undefined, 'a', 'date', NOW_MS),
      continuationOf({ listing, repair: undefined }, 'b', 'date', NOW_MS),
      continuationOf({ listing: listed, repair: half }, 'a', 'delete', NOW_MS),
      continuationOf({ listing: listed, repair: { ...half, appliedBytes: 100 } }, 'a', 'date', NOW_MS),
      continuationOf({ listing: listed, repair: undefined }, 'a', undefined, NOW_MS),
      continuationOf({ listing, repair: undefined }, 'a', 'date', NOW_MS + MAX_PLAN_AGE_MS),
    ];
    expect(starts.map(({ from }) => from)).toEqual(starts.map(() => 'start'));
  });
});
