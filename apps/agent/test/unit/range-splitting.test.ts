import { ApiError } from '@weir/client';
import { describe, expect, test } from 'vitest';
import { noProgress } from '../../src/shards/copy-engine.ts';
import { unreachable } from './reported-console.ts';
import { counters, ShardBench } from './shard-bench.ts';

/** A shard that has begun up to `begun` and is asked to split the rest at `boundaries`. */
async function asked(begun: string, boundaries: string[], prepare: (bench: ShardBench) => void = () => undefined) {
  const bench = new ShardBench({ work: { type: 'range', startAfter: null, endAt: 'z' } }, (bench) => {
    bench.console.desired = 'split';
    bench.console.splitInto = 4;
    bench.engine.plan = { type: 'planned', boundaries };
    bench.splitAnswer = { type: 'range', startAfter: null, endAt: 'm' };
    prepare(bench);
  });
  bench.last.begun = begun;
  await bench.time.advance(2_000);
  bench.console.desired = 'run';
  return bench;
}

describe('the rest of a running range', () => {
  test('goes to others while its beginning is being copied, and the shard is done at the boundary', async () => {
    const bench = await asked('c', ['m', 't']);
    expect(bench.console.sent[0]).toMatchObject({ state: 'running', canSplit: true });
    expect(bench.engine.plans).toEqual([{ parts: 4, minKeysPerPart: 2 }]);
    expect(bench.last.ends).toEqual(['m']);
    expect(bench.splits).toEqual([['m', 't']]);
    bench.last.reached = { ...noProgress('m', null), live: counters(9), atCheckpoint: counters(9) };
    await bench.endCopy({ type: 'completed' });
    expect(bench.engine.copies).toHaveLength(1);
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'completed', checkpoint: 'm' });
  });

  test('is not cut at boundaries that the copy has passed meanwhile', async () => {
    const bench = await asked('p', ['m', 't']);
    expect(bench.last.ends).toEqual(['t']);
    expect(bench.splits).toEqual([['t']]);
  });

  test('stays when there is nothing left to give', async () => {
    const bench = await asked('y', ['m', 't']);
    expect(bench.last.ends).toEqual([]);
    expect(bench.splits).toEqual([]);
    await bench.endCopy({ type: 'completed' });
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'completed' });
  });

  test('is copied by its holder after all when the console does not agree, and nothing is counted twice', async () => {
    const bench = await asked('c', ['m'], (bench) => {
      bench.splitAnswer = new ApiError({ code: 'validation-failed', status: 400, message: 'too many shards' });
    });
    bench.last.reached = { ...noProgress('m', null), live: counters(9), atCheckpoint: counters(9) };
    await bench.endCopy({ type: 'completed' });
    expect(bench.end).toBeNull();
    expect(bench.engine.copies).toHaveLength(2);
    expect(bench.last.task).toMatchObject({ checkpoint: 'm', work: { endAt: 'z' } });
    bench.last.reached = { ...noProgress('y', null), live: counters(4), atCheckpoint: counters(4) };
    await bench.endCopy({ type: 'completed' });
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'completed', checkpoint: 'y', live: counters(13) });
  });

  test('does not let the shard end before the console has answered: it may have given the rest to somebody, or not', async () => {
    const bench = await asked('c', ['m'], (bench) => (bench.splitAnswer = unreachable));
    bench.last.reached = { ...noProgress('m', null), listed: true, live: counters(9), atCheckpoint: counters(9) };
    await bench.endCopy({ type: 'completed' });
    await bench.time.advance(20_000);
    expect(bench.console.sent.every(({ state, listed }) => state === 'running' && !listed)).toBe(true);
    bench.splitAnswer = { type: 'range', startAfter: null, endAt: 'm' };
    await bench.time.advance(10_000);
    expect(new Set(bench.splits.map((split) => split.join()))).toEqual(new Set(['m']));
    expect(bench.end).toBe('acknowledged');
    expect(bench.engine.copies).toHaveLength(1);
  });

  test('that was narrowed without an answer goes back unfinished when the agent stops', async () => {
    const bench = await asked('c', ['m'], (bench) => (bench.splitAnswer = unreachable));
    bench.last.reached = { ...noProgress('m', null), live: counters(9), atCheckpoint: counters(9) };
    await bench.endCopy({ type: 'completed' });
    bench.run.release();
    await bench.time.advance(1_000);
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'released', checkpoint: 'm', atCheckpoint: counters(9) });
  });

  test('is not offered once everything has begun, for a list of keys, or by a shard that ends', async () => {
    const keys = new ShardBench({ work: { type: 'keys', keys: ['a', 'b'] } });
    await keys.time.advance(2_000);
    expect(keys.console.last.canSplit).toBe(false);
    const range = new ShardBench();
    range.last.reached = { ...noProgress('k', null), listed: true };
    await range.time.advance(2_000);
    expect(range.console.last).toMatchObject({ canSplit: false, listed: true });
    await range.endCopy({ type: 'completed' });
    expect(range.console.last.canSplit).toBe(false);
  });
});
