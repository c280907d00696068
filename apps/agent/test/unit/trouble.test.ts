import { S3Client, S3Error } from '@weir/s3-copy';
import { describe, expect, test } from 'vitest';
import { EndpointWatch, WatchedClient } from '../../src/s3/endpoint-watch.ts';
import { noProgress } from '../../src/shards/copy-engine.ts';
import { counters, ShardBench } from './shard-bench.ts';

const refused = { code: 'connection-refused', message: 'GetObject: connection refused' };

function error(code: string, more: Partial<ConstructorParameters<typeof S3Error>[0]> = {}): S3Error {
  const facts = { operation: 'GetObject', bucket: 'b', key: 'k', message: 'no', requestId: null, status: 0 } as const;
  return new S3Error({ code, ...facts, ...more });
}

describe('an agent that cannot work on a shard', () => {
  test('says why with every report, since when, and when it tries again', async () => {
    const bench = new ShardBench();
    await bench.endCopy({ type: 'interrupted', trouble: refused });
    await bench.time.advance(1_000);
    // The first retry is 1.5 s after the interruption.
    await bench.endCopy({ type: 'interrupted', trouble: refused });
    await bench.time.advance(1_000);
    expect(bench.console.last.trouble).toMatchObject({ ...refused, forMs: 2_000 });
    expect(bench.engine.copies).toHaveLength(2);
    await bench.endCopy({ type: 'interrupted', trouble: refused });
    await bench.time.advance(2_000);
    expect(bench.console.last.trouble).toMatchObject({ ...refused, forMs: 4_000, retryInMs: expect.any(Number) });
  });

  test('is in trouble until something is copied, not just until it tries again', async () => {
    const bench = new ShardBench();
    await bench.endCopy({ type: 'interrupted', trouble: refused });
    await bench.time.advance(4_000);
    expect(bench.engine.copies).toHaveLength(2);
    expect(bench.console.last.trouble).toMatchObject({ ...refused, retryInMs: null });
    bench.last.reached = { ...noProgress('a', null), live: counters(1) };
    await bench.time.advance(2_000);
    expect(bench.console.last.trouble).toBeNull();
  });

  test('says so too while requests fail within a copy that has not given up yet', async () => {
    const bench = new ShardBench();
    bench.last.failing = { ...refused, forMs: 7_000, retryInMs: null };
    await bench.time.advance(2_000);
    expect(bench.console.last.trouble).toEqual({ ...refused, forMs: 7_000, retryInMs: null });
    bench.holdoff = { remainingMs: 30_000, reason: 'SlowDown', jobId: null };
    await bench.time.advance(2_000);
    expect(bench.console.last).toMatchObject({ trouble: null, holdoff: bench.holdoff });
  });
});

describe('a watched endpoint', () => {
  test('is in trouble once requests have failed for 3 s without an answer, and well again with the first answer', () => {
    let nowMs = 0;
    const watch = new EndpointWatch(() => nowMs);
    watch.failed(error('connection-refused', { retryable: true }));
    nowMs = 2_999;
    watch.failed(error('timeout', { retryable: true }));
    expect(watch.trouble()).toBeNull();
    nowMs = 3_000;
    expect(watch.trouble()).toMatchObject({ code: 'timeout', forMs: 3_000, retryInMs: null });
    watch.answered();
    expect(watch.trouble()).toBeNull();
  });

  test('counts refusals and throttles as answers: they are shown as failures and holdoffs', () => {
    let nowMs = 0;
    const watch = new EndpointWatch(() => nowMs);
    for (const answer of [error('NoSuchKey', { status: 404 }), error('SlowDown', { status: 503 })]) {
      watch.failed(error('connection-refused', { retryable: true }));
      nowMs += 10_000;
      watch.failed(answer);
      expect(watch.trouble()).toBeNull();
    }
  });

  test('sees every attempt of its client, also those that a retry absorbs', async () => {
    let nowMs = 0;
    const watch = new EndpointWatch(() => nowMs);
    const client = new WatchedClient(
      {
        url: 'http://127.0.0.1:1',
        region: 'us-east-1',
        credentials: { accessKeyId: 'k', secretAccessKey: 's' },
        retry: { maxAttempts: 2 },
        clock: { now: () => 0, random: () => 0, sleep: async () => void (nowMs += 5_000) },
      },
      watch,
    );
    expect(client).toBeInstanceOf(S3Client);
    const { callContext, headObject } = await import('@weir/s3-copy');
    await expect(headObject(client, 'b', 'k', callContext())).rejects.toBeInstanceOf(S3Error);
    expect(watch.trouble()).toMatchObject({ forMs: 5_000 });
    await client.close();
  });
});

describe('cleaning up', () => {
  test('copies nothing, is repeated while the target is away, and is reported done', async () => {
    const bench = new ShardBench({ kind: 'clean-up' }, (bench) => {
      bench.engine.cleanUpEnds = [{ type: 'interrupted', trouble: refused }, { type: 'completed' }];
    });
    await bench.time.advance(10_000);
    expect(bench.engine.copies).toHaveLength(0);
    expect(bench.engine.cleaned).toHaveLength(2);
    expect(bench.console.taken.at(-1)).toMatchObject({ state: 'completed', live: counters(0) });
  });
});
