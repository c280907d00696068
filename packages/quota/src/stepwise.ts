import { QuotaError } from './errors.ts';
import type { Draw, Drawn, GroupDrawn, Marker, Store } from './store.ts';

/** The operations that `takeAllStepwise` is built from. */
export type StepwiseStore = Pick<Store, 'take' | 'giveBack' | 'read' | 'swap'>;

/*
 * State of a marker, held in its value:
 *
 *   absent ──swap──▶ "p…" pending ──every draw granted──▶ "d…" done      (a repetition is a replay)
 *                      │   ▲
 *            refused   ▼   │ swap by the next attempt
 *                     "f…" free
 *
 * A process that dies, or loses its connection, while the marker is pending leaves it pending. Nobody can then tell whether
 * the counters were raised, so a repetition is answered "unknown" and charges nothing: never twice.
 */
const PENDING = 'p';
const DONE = 'd';
const FREE = 'f';

/**
 * `Store.takeAll` for stores that cannot change several keys in one step (memcached, an opaque store, a Redis Cluster whose
 * counters live on different nodes): draws all counters in one batch and gives back what was granted when one refuses.
 *
 * For the time of one round trip the counters stand higher than they should, so another take may be refused that would have
 * fitted; none is ever admitted that does not. A process that dies between the two steps leaves its draws spent until the
 * period ends: on the safe side of the limit.
 * @throws {QuotaError} what the store's operations throw; the marker then stays pending.
 */
export async function takeAllStepwise(
  store: StepwiseStore,
  draws: readonly Draw[],
  marker?: Marker,
): Promise<GroupDrawn> {
  if (marker !== undefined) {
    const earlier = await claim(store, draws, marker);
    if (earlier !== undefined) return earlier;
  }
  const drawn = await store.take(draws);
  const failure = drawn.find((result) => result instanceof Error);
  const done = drawn.map((result): Drawn => (result instanceof Error ? { granted: 0, total: 0 } : result));
  const refused = done.flatMap((result, index) => (result.granted < (draws[index]?.amount ?? 0) ? [index] : []));
  if (refused.length === 0) {
    if (marker !== undefined) await conclude(store, marker, DONE);
    return { outcome: 'charged', draws: done, refused };
  }
  const totals = await giveBackAll(store, draws, done);
  if (failure !== undefined) throw failure;
  if (marker !== undefined) await conclude(store, marker, FREE);
  return { outcome: 'refused', draws: totals.map((total) => ({ granted: 0, total })), refused };
}

/** Makes the marker ours; resolves to the answer when an earlier attempt holds it. */
async function claim(store: StepwiseStore, draws: readonly Draw[], marker: Marker): Promise<GroupDrawn | undefined> {
  let expected: string | undefined;
  for (;;) {
    const { swapped, value } = await store.swap(marker.key, expected, PENDING + marker.note, marker.deadline);
    if (swapped) return undefined;
    // A free marker, or one that ran out meanwhile, may be claimed by anyone: try again against what is there now.
    if (value === undefined || value.startsWith(FREE)) {
      expected = value;
      continue;
    }
    const outcome = value.startsWith(DONE) ? 'replayed' : 'unknown';
    const totals = await store.read(draws.map((draw) => draw.key));
    return {
      outcome,
      draws: totals.map((total) => ({ granted: 0, total: typeof total === 'number' ? total : 0 })),
      refused: [],
      note: value.slice(1),
    };
  }
}

async function conclude(store: StepwiseStore, marker: Marker, state: string): Promise<void> {
  try {
    await store.swap(marker.key, PENDING + marker.note, state + marker.note, marker.deadline);
  } catch (error) {
    // The charge stands (or was returned) either way. The marker stays pending and a repetition hears "unknown".
    if (!(error instanceof QuotaError)) throw error;
  }
}

async function giveBackAll(
  store: StepwiseStore,
  draws: readonly Draw[],
  done: readonly Drawn[],
): Promise<readonly number[]> {
  const totals = done.map((result) => result.total);
  const owed = draws.flatMap((draw, index) => {
    const granted = done[index]?.granted ?? 0;
    return granted === 0 ? [] : [{ index, key: draw.key, amount: granted, deadline: draw.deadline }];
  });
  if (owed.length === 0) return totals;
  const after = await store.giveBack(owed);
  owed.forEach(({ index }, position) => {
    const total = after[position];
    if (typeof total === 'number') totals[index] = total;
  });
  return totals;
}
