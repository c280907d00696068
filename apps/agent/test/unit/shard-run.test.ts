import { ApiError } from '@weir/client';
import type { Holdoff } from '@weir/protocol';
import { describe, expect, test } from 'vitest';
import { noProgress } from '../../src/shards/copy-engine.ts';
import { leaseLost, unreachable } from './reported-console.ts';
import { counters, ShardBench } from './shard-bench.ts';

const trouble = { code: 'connection-refused', message: 'GetObject: connection refused' };

describe('a shard', () => {
  test('is copied, and its end reported with everything that was counted', async () => {
    const bench = new ShardBench({ checkpoint: 'c' });
    expect(bench.last.task).toMatchObject({ jobId: 'job-1', checkpoint: 'c', work: { type: 'range', endAt: null } });
    bench.last.reached = { ...noProgress('z', null), atCheckpoint: counters(5), live: counters(5, { parkedMs: 1.6 }) };
    await bench.endCopy({ type: 'completed' });
    expect(bench.end).toBe('acknowledged');
    expect(bench.console.taken).toMatchObject([
      { state: 'completed', checkpoint: 'z', live: counters(5, { parkedMs: 2 }) },
    ]);
    expect(bench.time.timers).toBe(0);
  });

  test('is split first when the console asks for it, and only the first range is copied', async () => {
    const bench = new ShardBench({ splitInto: 3 }, (bench) => {
      bench.engine.plan = { type: 'planned', boundaries: ['m', 't'] };
    });
    await bench.time.settle();
    expect(bench.splits).toEqual([['m', 't']]);
    expect(bench.last.task.work).toEqual({ type: 'range', startAfter: null, endAt: 'm' });
  });

  test('keeps its lease alive while it is planned, and is silent while the split is under way', async () => {
    const bench = new ShardBench({ splitInto: 3 }, (bench) => {
      bench.engine.plan = { type: 'planned', boundaries: ['m'] };
      bench.splitAnswer = unreachable;
    });
    await bench.time.advance(60_000);
    expect(bench.splits.length).toBeGreaterThan(3);
    expect(bench.console.sent).toHaveLength(0);
    bench.splitAnswer = { type: 'range', startAfter: null, endAt: 'm' };
    await bench.time.advance(10_000);
    expect(new Set(bench.splits.map((split) => split.join()))).toEqual(new Set(['m']));
    expect(bench.engine.copies).toHaveLength(1);
    await bench.time.advance(2_000);
    expect(bench.console.sent.length).toBeGreaterThan(0);
  });

  test('whose split is refused is copied whole', async () => {
    const bench = new ShardBench({ splitInto: 3 }, (bench) => {
      bench.engine.plan = { type: 'planned', boundaries: ['m'] };
      bench.splitAnswer = new ApiError({ code: 'validation-failed', status: 400, message: 'not ascending' });
    });
    await bench.time.settle();
    expect(bench.last.task.work).toEqual({ type: 'range', startAfter: null, endAt: null });
  });

  test('that no retry can help fails its job with the reason, in planning as in copying', async () => {
    const hopeless = { type: 'hopeless', trouble: { code: 'NoSuchBucket', message: 'gone' } } as const;
    const planned = new ShardBench({ splitInto: 3 }, (bench) => {
      bench.engine.plan = hopeless;
    });
    await planned.time.settle();
    const copied = new ShardBench();
    await copied.endCopy(hopeless);
    for (const bench of [planned, copied]) {
      expect(bench.console.taken).toMatchObject([{ state: 'failed', error: hopeless.trouble }]);
      expect(bench.end).toBe('acknowledged');
    }
  });
});

describe('trouble', () => {
  test('is waited out: the next attempt begins at the checkpoint and counts what it repeats once', async () => {
    const bench = new ShardBench();
    bench.last.reached = { ...noProgress('f', null), atCheckpoint: counters(6), live: counters(9) };
    await bench.endCopy({ type: 'interrupted', trouble });
    expect(bench.run.progress()).toMatchObject({ checkpoint: 'f', atCheckpoint: counters(6), live: counters(6) });
    await bench.time.advance(2_000);
    expect(bench.engine.copies).toHaveLength(2);
    expect(bench.last.task.checkpoint).toBe('f');
    bench.last.reached = { ...noProgress('z', null), atCheckpoint: counters(4), live: counters(4) };
    await bench.endCopy({ type: 'completed' });
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'completed', live: counters(10) });
  });

  test('without any progress fails the job when patience ends, and progress renews patience', async () => {
    const bench = new ShardBench();
    for (let attempt = 0; attempt < 4; attempt++) {
      await bench.time.advance(50_000);
      const done = attempt + 1;
      bench.last.reached = { ...noProgress(`k${attempt}`, null), atCheckpoint: counters(done), live: counters(done) };
      await bench.endCopy({ type: 'interrupted', trouble });
    }
    expect(bench.end).toBeNull();
    while (bench.end === null && bench.engine.copies.length < 50) {
      await bench.time.advance(20_000);
      await bench.endCopy({ type: 'interrupted', trouble });
    }
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'failed', error: trouble, checkpoint: 'k3' });
    expect(bench.engine.copies.length).toBeLessThan(12);
  });

  test('that is a bug of ours is tried again, not let out', async () => {
    const bench = new ShardBench({ splitInto: 2 }, (bench) => {
      bench.engine.plan = new TypeError('x is undefined');
    });
    await bench.time.settle();
    expect(bench.log.find(({ msg }) => msg === 'unexpected error in a shard')).toMatchObject({
      err: { message: 'x is undefined' },
    });
    bench.engine.plan = { type: 'planned', boundaries: [] };
    await bench.time.advance(5_000);
    expect(bench.engine.copies).toHaveLength(1);
  });

  test('that is a bug and does not go away fails the job', async () => {
    const bench = new ShardBench({ splitInto: 2 }, (bench) => {
      bench.engine.plan = new TypeError('x is undefined');
    });
    await bench.time.advance(300_000);
    expect(bench.console.taken.at(-1)).toMatchObject({
      state: 'failed',
      error: { code: 'agent-error', message: 'x is undefined' },
    });
    expect(bench.end).toBe('acknowledged');
  });
});

describe('a holdoff', () => {
  const holdoff: Holdoff = { remainingMs: 40_000, reason: '503', jobId: 'job-1' };

  test('pauses the copying and is reported at once, and so is its end', async () => {
    const bench = new ShardBench();
    bench.holdoff = holdoff;
    bench.run.holdoffBegan();
    await bench.time.settle();
    expect(bench.last.paused).toBe(true);
    expect(bench.console.last).toMatchObject({ holdoff, holdoffCount: 0 });
    bench.holdoff = null;
    bench.run.holdoffEnded();
    await bench.time.settle();
    expect(bench.last.paused).toBe(false);
    expect(bench.console.last.holdoff).toBeNull();
  });

  test('that this shard caused is counted for it; one that was under way already is not', async () => {
    const bench = new ShardBench();
    bench.last.listener.onThrottled({ code: 'SlowDown', message: 'slow down' });
    bench.startsHoldoff = false;
    bench.last.listener.onThrottled({ code: 'SlowDown', message: 'slow down' });
    await bench.time.settle();
    expect(bench.console.last.holdoffCount).toBe(1);
  });

  test('under way when a shard is accepted pauses it from the start', () => {
    const bench = new ShardBench({}, (bench) => {
      bench.holdoff = holdoff;
    });
    expect(bench.last.paused).toBe(true);
  });
});

describe('giving a shard back', () => {
  test('when the console wants it: what is under way may finish, then it is released at its checkpoint', async () => {
    const bench = new ShardBench();
    bench.console.desired = 'release';
    await bench.time.advance(2_000);
    expect(bench.last.released).toBe(true);
    expect(bench.last.signal.aborted).toBe(false);
    bench.last.reached = { ...noProgress('h', null), atCheckpoint: counters(8), live: counters(8) };
    await bench.endCopy({ type: 'stopped' });
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'released', checkpoint: 'h', live: counters(8) });
    expect(bench.end).toBe('acknowledged');
    expect(bench.time.timers).toBe(0);
  });

  test('what does not finish in time is cut off', async () => {
    const bench = new ShardBench();
    bench.run.release();
    await bench.time.advance(3_999);
    expect(bench.last.signal.aborted).toBe(false);
    await bench.time.advance(1);
    expect(bench.last.signal.aborted).toBe(true);
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'released' });
  });

  test('work that ends while it is given back counts as completed', async () => {
    const bench = new ShardBench();
    bench.run.release();
    await bench.endCopy({ type: 'completed' });
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'completed' });
  });

  test('a cancelled job is cut off at once', async () => {
    const bench = new ShardBench();
    bench.console.desired = 'abandon';
    await bench.time.advance(2_000);
    expect(bench.last.signal.aborted).toBe(true);
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'released' });
    expect(bench.end).toBe('acknowledged');
  });

  test('also ends a shard that waits for better times', async () => {
    const bench = new ShardBench();
    await bench.endCopy({ type: 'interrupted', trouble });
    bench.run.release();
    await bench.time.settle();
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'released' });
    expect(bench.engine.copies).toHaveLength(1);
  });

  test('a lost lease cuts everything off at once and reports no more', async () => {
    const bench = new ShardBench();
    bench.console.error = leaseLost;
    await bench.time.advance(2_000);
    expect(bench.last.signal.aborted).toBe(true);
    expect(bench.end).toBe('lost');
    await bench.time.advance(60_000);
    expect(bench.console.sent).toHaveLength(1);
    expect(bench.time.timers).toBe(0);
  });

  test('a lease lost while the split is under way is noticed afterwards', async () => {
    const bench = new ShardBench({ splitInto: 3 }, (bench) => {
      bench.engine.plan = { type: 'planned', boundaries: ['m'] };
      bench.splitAnswer = leaseLost;
      bench.console.error = leaseLost;
    });
    await bench.time.advance(2_000);
    expect(bench.end).toBe('lost');
  });
});
