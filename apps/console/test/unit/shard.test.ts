import type { ProgressRequest } from '@weir/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobProgress } from '../../src/queue/job-progress.ts';
import { leaseShard, newShard, reportProgress, returnShard, splitShard, type Shard } from '../../src/queue/shard.ts';
import { copied, NONE, QUIET_REPORT } from '../support/test-console.ts';

const everything = { type: 'range', startAfter: null, endAt: null } as const;
const leased = (
  shard: Shard = newShard('s', 'j', 0, everything, { splitInto: 24, weight: 1 }),
  leaseId = 'l1',
): Shard => leaseShard(shard, leaseId, 'a');
const report: ProgressRequest = {
  leaseId: 'l1',
  state: 'running',
  checkpoint: null,
  atCheckpoint: NONE,
  live: NONE,
  failures: [],
  error: null,
  holdoff: null,
  holdoffCount: 0,
  ...QUIET_REPORT,
};

function heard(shard: Shard, change: Partial<Parameters<typeof reportProgress>[2]>): Shard {
  const reported = reportProgress(shard, 'a', { ...report, ...change });
  if ('refused' in reported) throw new Error(reported.refused);
  return reported.shard;
}

test('a shard that goes back keeps what was done at its checkpoint and forgets what came after', () => {
  const shard = heard(leased(), { checkpoint: 'm', atCheckpoint: copied(10), live: copied(15) });
  expect(shard.totals.objectsCopied).toBe(15);
  const back = returnShard(shard, true);
  expect(back).toMatchObject({ state: 'queued', checkpoint: 'm', totals: copied(10), base: copied(10) });
  const successor = heard(leased(back, 'l2'), { leaseId: 'l2', live: copied(3) });
  expect(successor.totals.objectsCopied).toBe(13);
});

test('a report that was overtaken does not move the checkpoint back', () => {
  const shard = heard(leased(), { checkpoint: 'm', atCheckpoint: copied(10), live: copied(10) });
  const late = heard(shard, { checkpoint: 'c', atCheckpoint: copied(3), live: copied(12) });
  expect(late).toMatchObject({ checkpoint: 'm', atCheckpoint: copied(10) });
  expect(heard(shard, { checkpoint: null }).checkpoint).toBe('m');
});

test('the last report of a lease can be repeated, and no other report is heard after it', () => {
  const done = heard(leased(), { state: 'completed', live: copied(5) });
  expect(done).toMatchObject({ state: 'done', totals: copied(5) });
  expect(reportProgress(done, 'a', { ...report, state: 'completed', live: copied(5) })).toMatchObject({
    repeated: true,
  });
  expect(reportProgress(done, 'a', report)).toEqual({ refused: 'lease-lost' });
  const released = heard(leased(), { state: 'released' });
  expect(reportProgress(released, 'a', { ...report, state: 'released' })).toMatchObject({ repeated: true });
  expect(reportProgress(released, 'a', { ...report, state: 'completed' })).toEqual({ refused: 'lease-lost' });
});

test('a lease is heard only from its own agent', () => {
  expect(reportProgress(leased(), 'b', report)).toEqual({ refused: 'lease-lost' });
  expect(splitShard(leased(), 'b', 'l1', ['m'])).toEqual({ refused: 'lease-lost' });
});

test('a checkpoint outside the range is refused', () => {
  const split = splitShard(leased(), 'a', 'l1', ['g', 'p']);
  if ('refused' in split) throw new Error(split.refused);
  expect(reportProgress(split.kept, 'a', { ...report, checkpoint: 'h' })).toEqual({ refused: 'checkpoint-outside' });
  expect(reportProgress(split.kept, 'a', { ...report, checkpoint: 'g' })).toMatchObject({ repeated: false });
  const keys = leased(newShard('k', 'j', 0, { type: 'keys', keys: ['a', 'b'] }));
  expect(reportProgress(keys, 'a', { ...report, checkpoint: 'c' })).toEqual({ refused: 'checkpoint-outside' });
});

test('a split makes ranges end to end, and the same split again changes nothing', () => {
  const split = splitShard(leased(), 'a', 'l1', ['g', 'p']);
  if ('refused' in split) throw new Error(split.refused);
  expect(split.kept.work).toEqual({ type: 'range', startAfter: null, endAt: 'g' });
  expect(split.added).toEqual([
    { work: { type: 'range', startAfter: 'g', endAt: 'p' }, weight: 1 / 3 },
    { work: { type: 'range', startAfter: 'p', endAt: null }, weight: 1 / 3 },
  ]);
  expect(splitShard(split.kept, 'a', 'l1', ['g', 'p'])).toEqual({ kept: split.kept, added: [] });
  expect(splitShard(split.kept, 'a', 'l1', ['d', 'z'])).toEqual({ refused: 'not-ascending' });
  expect(splitShard(leased(), 'a', 'l1', ['p', 'g'])).toEqual({ refused: 'not-ascending' });
  expect(splitShard(leased(), 'a', 'l1', ['g', 'g'])).toEqual({ refused: 'not-ascending' });
});

test('a range is not cut behind its checkpoint', () => {
  const shard = heard(leased(), { checkpoint: 'm' });
  expect(splitShard(shard, 'a', 'l1', ['g'])).toEqual({ refused: 'not-ascending' });
  expect(leased(returnShard(shard, true), 'l2').splitInto).toBe(0);
  expect(leased(returnShard(leased(), true), 'l2').splitInto).toBe(24);
});

test('a list of keys is not split', () => {
  const keys = leased(newShard('k', 'j', 0, { type: 'keys', keys: ['a', 'b'] }));
  expect(splitShard(keys, 'a', 'l1', ['a'])).toEqual({ refused: 'not-a-range' });
});

test('holdoffs add up over leases', () => {
  const back = returnShard(heard(leased(), { holdoffCount: 2 }), true);
  expect(heard(leased(back, 'l2'), { leaseId: 'l2', holdoffCount: 1 }).holdoffs).toBe(3);
});

test('whatever agents report and lose, the totals that are shown do not fall, and the weights of ranges add up to one', () => {
  const move = fc.oneof(
    fc.record({ type: fc.constant('report' as const), ahead: fc.nat(20), by: fc.nat(10) }),
    fc.record({ type: fc.constant('lose' as const) }),
    fc.record({ type: fc.constant('split' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      let [shard, lease, others, done, base] = [leased(), 1, [] as number[], 0, 0];
      let shown = NONE;
      for (const step of moves) {
        const leaseId = `l${lease}`;
        if (step.type === 'report') {
          done += step.by;
          const checkpoint = String.fromCodePoint(0x61 + Math.min(1_000, done));
          const at = copied(done - base);
          shard = heard(shard, { leaseId, checkpoint, atCheckpoint: at, live: copied(done - base + step.ahead) });
        } else if (step.type === 'lose') {
          shard = leased(returnShard(shard, true), `l${++lease}`);
          base = done;
        } else {
          const split = splitShard(shard, 'a', leaseId, [`\uFFFD${'~'.repeat(50 - others.length)}`], step.share);
          if ('refused' in split) throw new Error(split.refused);
          shard = split.kept;
          others.push(...split.added.map(({ weight }) => weight));
        }
        const { work, ...rest } = shard;
        const { counters } = jobProgress([{ ...rest, kind: work.type, keyCount: 0 }]);
        expect(counters.objectsCopied).toBeGreaterThanOrEqual(shown.objectsCopied);
        expect(counters.objectsListed).toBeGreaterThanOrEqual(shown.objectsListed);
        expect(counters.bytesCopied).toBeGreaterThanOrEqual(shown.bytesCopied);
        shown = counters;
        expect(others.reduce((sum, weight) => sum + weight, shard.weight)).toBeCloseTo(1, 9);
      }
    }),
  );
});
