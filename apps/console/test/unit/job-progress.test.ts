import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobProgress } from '../../src/queue/job-progress.ts';
import type { ShardOutline } from '../../src/queue/shard.ts';
import { copied } from '../support/test-console.ts';

function outline(change: Partial<ShardOutline>): ShardOutline {
  return {
    shardId: 's',
    jobId: 'j',
    position: 0,
    kind: 'range',
    keyCount: 0,
    state: 'queued',
    leaseId: null,
    agentId: null,
    checkpoint: null,
    splitInto: 0,
    totals: copied(0),
    seen: copied(0),
    weight: 1,
    listed: false,
    dirty: false,
    heldMs: 0,
    waitedMs: 0,
    holdoffs: 0,
    ...change,
  };
}

const anyShard = fc
  .record({
    kind: fc.constantFrom('range' as const, 'keys' as const),
    state: fc.constantFrom('queued' as const, 'leased' as const, 'done' as const),
    objects: fc.nat(100_000),
    keyCount: fc.integer({ min: 1, max: 1_000 }),
  })
  .map(({ kind, state, objects, keyCount }) =>
    outline({ kind, state, totals: copied(objects), keyCount: kind === 'keys' ? keyCount : 0 }),
  );

test('progress never passes 100, and is 100 exactly when every shard is done', () => {
  fc.assert(
    fc.property(fc.array(anyShard, { minLength: 1, maxLength: 30 }), (shards) => {
      const { percent, objectsLeft, shardsDone } = jobProgress(shards);
      const finished = shardsDone === shards.length;
      expect(percent === 100).toBe(finished);
      expect(percent ?? 0).toBeLessThanOrEqual(100);
      expect(percent ?? 0).toBeGreaterThanOrEqual(0);
      expect(objectsLeft ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('more work done never lowers progress', () => {
  const done = outline({ state: 'done', totals: copied(100) });
  const shares = [0, 30, 99, 500].map(
    (objects) => jobProgress([done, outline({ state: 'leased', totals: copied(objects) })]).percent,
  );
  expect(shares).toEqual([50, 65, 97.5, 97.5]);
});

test('progress is unknown while no range is done', () => {
  expect(jobProgress([outline({ state: 'leased', totals: copied(50) }), outline({})]).percent).toBeNull();
  expect(jobProgress([]).percent).toBeNull();
});

test('a retried list of keys weighs as much as its keys', () => {
  const ranges = [outline({ state: 'done', totals: copied(1_000) }), outline({ state: 'done', totals: copied(1_000) })];
  const keys = outline({ kind: 'keys', keyCount: 10, state: 'leased', totals: copied(5) });
  const { percent, objectsLeft } = jobProgress([...ranges, keys]);
  expect(percent).toBeCloseTo((2_005 / 2_010) * 100);
  expect(objectsLeft).toBe(5);
});

test('sums stay exact integers at the edge', () => {
  const huge = { ...copied(0), bytesCopied: Number.MAX_SAFE_INTEGER };
  const { counters } = jobProgress([outline({ totals: huge }), outline({ totals: huge })]);
  expect(counters.bytesCopied).toBe(Number.MAX_SAFE_INTEGER);
});
