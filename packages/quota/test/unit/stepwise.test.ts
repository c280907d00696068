import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deadlineAt,
  QuotaError,
  takeAllStepwise,
  type Draw,
  type GroupDrawn,
  type Marker,
  type MemoryStore,
  type StepwiseStore,
} from '../../src/index.ts';
import { World } from '../world.ts';

/** The store's operations, of which the n-th is cut off: before it takes effect, or between effect and reply. */
function cut(store: MemoryStore, at: number, effect: boolean): StepwiseStore {
  let calls = 0;
  const via = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls !== at) return call();
    if (effect) await call();
    throw new QuotaError('store-unavailable', 'cut off');
  };
  return {
    take: (draws) => via(() => store.take(draws)),
    giveBack: (returns) => via(() => store.giveBack(returns)),
    read: (keys) => via(() => store.read(keys)),
    swap: (...args) => via(() => store.swap(...args)),
  };
}

function scene(): { store: MemoryStore; draws: readonly Draw[]; marker: Marker; totals: () => Promise<number[]> } {
  const world = new World();
  const store = world.memory();
  const deadline = deadlineAt(world.nowMs + 60_000, world.nowMs);
  const draws = ['a', 'b'].map((key) => ({ key, amount: 3, unit: 3, limit: 10, deadline }));
  const totals = async (): Promise<number[]> => (await store.read(['a', 'b'])).map((total) => Number(total ?? 0));
  return { store, draws, marker: { key: 'once', note: 'n', deadline }, totals };
}

describe('a stepwise group', () => {
  it('cut off anywhere is never charged twice, and is called a replay only when it was charged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean()), { maxLength: 5 }),
        async (cuts) => {
          const { store, draws, marker, totals } = scene();
          for (const [at, effect] of cuts) {
            await takeAllStepwise(cut(store, at, effect), draws, marker).catch(() => undefined);
          }
          const last: GroupDrawn = await takeAllStepwise(store, draws, marker);
          const after = await totals();
          // Whole or not at all, unless the attempt was cut between its draws and its mark: then it is unknown.
          expect(after.every((total) => total <= 3)).toBe(true);
          expect(last.outcome === 'charged' || last.outcome === 'replayed' ? after : [3, 3]).toEqual([3, 3]);
          expect(['charged', 'replayed', 'unknown']).toContain(last.outcome);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('that was cut off before its draws is unknown to its repetition, which charges nothing', async () => {
    const { store, draws, marker, totals } = scene();
    await expect(takeAllStepwise(cut(store, 2, false), draws, marker)).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    expect(await takeAllStepwise(store, draws, marker)).toMatchObject({ outcome: 'unknown', note: 'n' });
    expect(await totals()).toEqual([0, 0]);
  });

  it('gives back what was granted when one part fails, and passes the failure on', async () => {
    const { store, draws, totals } = scene();
    await store.swap('b', undefined, 'text', draws[0]?.deadline ?? deadlineAt(2, 1));
    await expect(takeAllStepwise(store, draws)).rejects.toMatchObject({ code: 'store-corrupt' });
    expect((await totals())[0]).toBe(0);
  });
});
