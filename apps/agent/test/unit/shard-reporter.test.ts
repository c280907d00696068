import { ApiError } from '@weir/client';
import type { CopyCounters, Holdoff } from '@weir/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { NO_COUNTERS, noProgress, type CopyProgress } from '../../src/shards/copy-engine.ts';
import { ShardReporter, type LeaseEnd } from '../../src/shards/shard-reporter.ts';
import { leaseLost, ReportedConsole, unreachable } from './reported-console.ts';

function counters(objectsCopied: number): CopyCounters {
  return { ...NO_COUNTERS, objectsCopied };
}

class Bench {
  readonly time = new SimulatedTime();
  readonly console = new ReportedConsole();
  readonly desired: string[] = [];
  readonly troubles: unknown[] = [];
  readonly giveUp = new AbortController();
  lost = 0;
  holdoff: Holdoff | null = null;
  progress: CopyProgress = noProgress(null, null);
  end: LeaseEnd | null = null;
  readonly reporter = new ShardReporter(
    {
      leaseId: 'lease-1',
      send: this.console.report,
      progress: () => this.progress,
      holdoff: () => this.holdoff,
      trouble: () => null,
      canSplit: () => false,
      onDesired: ({ desired }) => void this.desired.push(desired),
      onLost: () => void this.lost++,
      onTrouble: (error) => void this.troubles.push(error),
      timing: { now: this.time.now, startTimer: this.time.startTimer, random: () => 0.5 },
      intervalMs: 2_000,
    },
    this.giveUp.signal,
  );

  finish(...final: Parameters<ShardReporter['finish']>): void {
    void this.reporter.finish(...final).then((end) => (this.end = end));
  }

  reach(checkpoint: string, done: number): void {
    this.progress = { ...noProgress(checkpoint, null), atCheckpoint: counters(done), live: counters(done + 1) };
  }

  fail(key: string): void {
    this.reporter.addFailure({ key, code: 'NoSuchKey', message: 'gone', requestId: null });
  }
}

describe('progress reports', () => {
  test('go out every 2 s with what is true by then', async () => {
    const bench = new Bench();
    bench.reach('a', 1);
    await bench.time.advance(1_999);
    expect(bench.console.sent).toHaveLength(0);
    bench.reach('b', 2);
    await bench.time.advance(1);
    bench.reach('c', 3);
    await bench.time.advance(2_000);
    expect(bench.console.sent.map(({ checkpoint }) => checkpoint)).toEqual(['b', 'c']);
    expect(bench.console.last).toEqual({
      leaseId: 'lease-1',
      state: 'running',
      checkpoint: 'c',
      atCheckpoint: counters(3),
      live: counters(4),
      failures: [],
      error: null,
      holdoff: null,
      holdoffCount: 0,
      trouble: null,
      listed: false,
      canSplit: false,
      traffic: { bytesRead: 0, bytesWritten: 0 },
      heldMs: 4_000,
      waitedMs: 0,
      manifest: null,
      planned: [],
    });
    expect(bench.desired).toEqual(['run', 'run']);
  });

  test('tell of a holdoff at once, and how many this lease has caused', async () => {
    const bench = new Bench();
    bench.holdoff = { remainingMs: 40_000, reason: '503', jobId: 'job-1' };
    bench.reporter.countHoldoff();
    await bench.time.settle();
    expect(bench.console.last).toMatchObject({ holdoff: bench.holdoff, holdoffCount: 1 });
  });

  test('that are not answered are repeated after 1–10 s, and news do not hurry them', async () => {
    const bench = new Bench();
    bench.console.error = unreachable;
    await bench.time.advance(2_000);
    for (const delayMs of [1_500, 2_500, 4_500, 5_500, 5_500]) {
      const { length } = bench.console.sent;
      bench.reporter.soon();
      await bench.time.advance(delayMs - 1);
      expect(bench.console.sent).toHaveLength(length);
      await bench.time.advance(1);
      expect(bench.console.sent).toHaveLength(length + 1);
    }
    expect(bench.troubles).toHaveLength(6);
  });

  test('the last one is sent at once and repeated until it is answered; then nothing follows', async () => {
    const bench = new Bench();
    bench.console.error = unreachable;
    bench.reach('z', 9);
    bench.finish('completed');
    await bench.time.advance(30_000);
    expect(bench.end).toBeNull();
    bench.console.error = null;
    await bench.time.advance(10_000);
    expect(bench.end).toBe('acknowledged');
    expect(bench.console.taken).toMatchObject([{ state: 'completed', checkpoint: 'z' }]);
    await bench.time.advance(60_000);
    expect(bench.console.taken).toHaveLength(1);
    expect(bench.time.timers).toBe(0);
  });

  test('a job that cannot go on says why, as long as the wire allows', async () => {
    const bench = new Bench();
    bench.finish('failed', { code: 'NoSuchBucket'.repeat(10), message: 'm'.repeat(5_000) });
    await bench.time.settle();
    expect(bench.console.taken).toMatchObject([{ state: 'failed', error: { message: 'm'.repeat(1_000) } }]);
  });

  test.each([
    leaseLost,
    new ApiError({ code: 'not-found', status: 404, message: 'no such shard' }),
    new ApiError({ code: 'unauthenticated', status: 401, message: 'revoked' }),
    new ApiError({ code: 'validation-failed', status: 400, message: 'checkpoint: outside' }),
  ])('refused with $code end: nothing more is sent', async (refusal) => {
    const bench = new Bench();
    bench.console.error = refusal;
    await bench.time.advance(2_000);
    expect(bench.lost).toBe(1);
    bench.finish('released');
    await bench.time.advance(60_000);
    expect(bench.end).toBe('lost');
    expect(bench.console.sent).toHaveLength(1);
  });

  test('refused because of a failure that they carry go on without it', async () => {
    const bench = new Bench();
    bench.fail('bad');
    bench.console.error = new ApiError({ code: 'validation-failed', status: 400, message: 'failures.0.key: no' });
    await bench.time.advance(2_000);
    bench.console.error = null;
    await bench.time.advance(10_000);
    expect(bench.lost).toBe(0);
    expect(bench.console.taken[0]?.failures).toEqual([]);
  });

  test('are held while a split is under way, and the one that was being sent is waited for', async () => {
    const bench = new Bench();
    bench.console.silent = true;
    await bench.time.advance(2_000);
    let held = false;
    void bench.reporter.hold().then(() => (held = true));
    await bench.time.settle();
    expect(held).toBe(false);
    bench.giveUp.abort();
    await bench.time.settle();
    expect(held).toBe(true);
  });

  test('held go on after resume, and a last report ends the hold', async () => {
    const bench = new Bench();
    await bench.reporter.hold();
    await bench.time.advance(60_000);
    expect(bench.console.sent).toHaveLength(0);
    bench.reporter.resume();
    await bench.time.settle();
    expect(bench.console.sent).toHaveLength(1);
    await bench.reporter.hold();
    bench.finish('released');
    await bench.time.settle();
    expect(bench.end).toBe('acknowledged');
  });

  test('stop when the agent gives up, also in the middle of one', async () => {
    const bench = new Bench();
    bench.console.silent = true;
    bench.finish('released');
    await bench.time.settle();
    bench.giveUp.abort();
    await bench.time.settle();
    expect(bench.end).toBe('given-up');
    expect(bench.time.timers).toBe(0);
  });
});

describe('failures', () => {
  test('travel before the checkpoint that covers them, in as many reports as they need', async () => {
    const bench = new Bench();
    bench.reach('a', 1);
    await bench.time.advance(2_000);
    for (let index = 0; index < 450; index++) bench.fail(`k${index}`);
    bench.reach('m', 500);
    bench.finish('completed');
    await bench.time.settle();
    expect(bench.console.taken.map(({ state, checkpoint, failures }) => [state, checkpoint, failures.length])).toEqual([
      ['running', 'a', 0],
      ['running', 'a', 200],
      ['running', 'a', 200],
      ['completed', 'm', 50],
    ]);
    expect(bench.end).toBe('acknowledged');
  });

  test('whatever gets lost: an acknowledged checkpoint never hides a failure, and none is missing at the end', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('fail' as const), count: fc.integer({ min: 1, max: 300 }) }),
      fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 12_000 }) }),
      fc.record({ do: fc.constant('network' as const), up: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const bench = new Bench();
        let failed = 0;
        for (const step of steps) {
          if (step.do === 'pass') await bench.time.advance(step.ms);
          else if (step.do === 'network') bench.console.error = step.up ? null : unreachable;
          else {
            // Keys are numbers here: key n has failed, and the checkpoint moves to it.
            for (let index = 0; index < step.count; index++) bench.fail(String(++failed));
            bench.reach(String(failed), failed);
          }
        }
        bench.console.error = null;
        bench.finish('completed');
        await bench.time.advance(60_000);
        const known = new Set<string>();
        for (const { checkpoint, failures } of bench.console.taken) {
          for (const { key } of failures) known.add(key);
          for (let key = 1; key <= Number(checkpoint ?? 0); key++) expect(known).toContain(String(key));
        }
        expect(known.size).toBe(failed);
        expect(bench.end).toBe('acknowledged');
      }),
      { numRuns: 40 },
    );
  });
});
