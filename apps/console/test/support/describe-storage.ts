import { EventEmitter, once } from 'node:events';
import { MAX_FAILURES_PER_JOB } from '@weir/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/ports/storage.ts';
import { newShard, type Shard } from '../../src/queue/shard.ts';
import { describeRetention } from './describe-retention.ts';
import { describeHistory, describePeople, describeTexts } from './describe-stored-rows.ts';
import { failure, storedEndpoint, storedJob, T } from './stored-things.ts';

/** What every storage promises, whatever keeps it. Each test has an empty one of its own. */
export function describeStorage(name: string, open: () => Promise<Storage>): void {
  describe(`storage on ${name}`, () => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await open();
      return () => storage.close();
    });
    describeTransactions(() => storage);
    describeQueue(() => storage);
    describeTexts(() => storage);
    describeHistory(() => storage);
    describeRetention(() => storage);
    describePeople(() => storage);
  });
}

function describeTransactions(storage: () => Storage): void {
  test('nobody sees half of a transaction, and all of it once it returned', async () => {
    const half = new EventEmitter();
    const halfway = once(half, 'reached');
    const writing = storage().transaction(async (stores) => {
      await stores.jobs.insert(storedJob('a'));
      half.emit('reached');
      await stores.jobs.insert(storedJob('b'));
    });
    await halfway;
    const seen = await storage().jobs.list(10);
    expect([0, 2]).toContain(seen.length);
    await writing;
    expect(await storage().jobs.list(10)).toHaveLength(2);
  });

  test('a transaction that throws leaves no trace, and the next one runs', async () => {
    const failing = storage().transaction(async (stores) => {
      await stores.settings.saveState('a', '1');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await storage().settings.state('a')).toBeUndefined();
    await storage().transaction((stores) => stores.settings.saveState('a', '2'));
    expect(await storage().settings.state('a')).toBe('2');
  });

  test('a statement that is refused undoes its transaction, and the storage goes on', async () => {
    await storage().endpoints.insert(storedEndpoint('e1', 'one'));
    const refused = storage().transaction(async (stores) => {
      await stores.jobs.insert(storedJob('a'));
      await stores.endpoints.insert(storedEndpoint('e2', 'one'));
    });
    await expect(refused).rejects.toThrow(/unique/i);
    expect(await storage().jobs.list(10)).toEqual([]);
    expect(await storage().endpoints.all()).toHaveLength(1);
  });

  test('what many read and write back at the same time is added up without a loss', async () => {
    await storage().settings.saveState('n', '0');
    const add = () =>
      storage().transaction(async (stores) => {
        const n = Number(await stores.settings.state('n'));
        await stores.settings.saveState('n', String(n + 1));
      });
    await Promise.all(Array.from({ length: 100 }, add));
    expect(await storage().settings.state('n')).toBe('100');
  });

  test('of many that take the next shard at the same time each gets another one', async () => {
    await storage().transaction(async (stores) => {
      await stores.jobs.insert(storedJob('j', { state: 'running' }));
      await stores.shards.insert(Array.from({ length: 40 }, (_, n) => range(`s${n}`, 'j', n)));
    });
    const take = (n: number) =>
      storage().transaction(async (stores) => {
        const shard = await stores.shards.nextQueued();
        if (shard === undefined) return undefined;
        await stores.shards.save({ ...shard, state: 'leased', leaseId: `l${n}`, agentId: `a${n}` });
        return shard.shardId;
      });
    const taken = await Promise.all(Array.from({ length: 45 }, (_, n) => take(n)));
    const shards = taken.filter((shardId) => shardId !== undefined);
    expect(shards).toHaveLength(40);
    expect(new Set(shards).size).toBe(40);
    expect(await storage().shards.leased()).toHaveLength(40);
  });
}

const range = (shardId: string, jobId: string, position: number): Shard =>
  newShard(shardId, jobId, position, { type: 'range', startAfter: null, endAt: null }, { weight: 0.25 });

function describeQueue(storage: () => Storage): void {
  test('a job and its shards come back as they were written', async () => {
    const job = storedJob('j', {
      state: 'failed',
      error: { code: 'x', message: 'y' },
      startedAtMs: T,
      finishedAtMs: T + 1,
    });
    const whole: Shard = {
      ...range('s1', 'j', 1),
      work: { type: 'range', startAfter: 'a', endAt: 'b' },
      state: 'leased',
      leaseId: 'l',
      agentId: 'a',
      checkpoint: 'aa',
      splitAt: ['ab', 'ac'],
      dirty: true,
      listed: true,
      heldMs: 5,
      totals: { ...range('s1', 'j', 1).totals, bytesCopied: Number.MAX_SAFE_INTEGER },
    };
    const keys = newShard('s2', 'j', 0, { type: 'keys', keys: ['x', 'y\n'] });
    await storage().jobs.insert(storedJob('j'));
    await storage().jobs.save(job);
    await storage().shards.insert([whole, keys]);
    expect(await storage().jobs.get('j')).toEqual(job);
    expect(await storage().jobs.get('k')).toBeUndefined();
    expect(await storage().shards.get('s1')).toEqual(whole);
    expect(await storage().shards.allOf('j')).toEqual([keys, whole]);
    expect((await storage().shards.outlinesOf(['j', 'k'])).map((outline) => outline.shardId)).toEqual(['s2', 's1']);
    expect(await storage().shards.leasedBy('a')).toMatchObject([{ shardId: 's1', totals: whole.totals }]);
    expect(await storage().shards.countOf('j')).toBe(2);
  });

  test('the next shard is that of the job with the fewest at work, of the oldest among equals, and of none that is paused', async () => {
    await storage().jobs.insert(storedJob('z-older', { state: 'running' }));
    await storage().jobs.insert(storedJob('a-newer', { state: 'queued' }));
    await storage().jobs.insert(storedJob('paused', { state: 'paused' }));
    for (const jobId of ['z-older', 'a-newer', 'paused']) {
      await storage().shards.insert([range(`${jobId}-1`, jobId, 1), range(`${jobId}-0`, jobId, 0)]);
    }
    const order: string[] = [];
    for (let shard = await storage().shards.nextQueued(); shard; shard = await storage().shards.nextQueued()) {
      order.push(shard.shardId);
      await storage().shards.save({ ...shard, state: 'leased', agentId: 'a', leaseId: shard.shardId });
    }
    expect(order).toEqual(['z-older-0', 'a-newer-0', 'z-older-1', 'a-newer-1']);
  });

  test('what only newer agents can do is not handed to older ones, and does not stand in the way of what they can', async () => {
    await storage().jobs.insert(storedJob('newer', { state: 'running', needsVersion: 2 }));
    await storage().jobs.insert(storedJob('older', { state: 'running', needsVersion: 1 }));
    for (const jobId of ['newer', 'older']) await storage().shards.insert([range(jobId, jobId, 0)]);
    expect(await storage().shards.nextQueued(1)).toMatchObject({ shardId: 'older' });
    expect(await storage().shards.nextQueued(2)).toMatchObject({ shardId: 'newer' });
    expect(await storage().shards.nextQueued(0)).toBeUndefined();
  });

  test('only a dirty shard of a job that ended early is handed out to be cleaned up', async () => {
    await storage().jobs.insert(storedJob('gone', { state: 'cancelled' }));
    await storage().jobs.insert(storedJob('going', { state: 'running' }));
    await storage().shards.insert([range('clean', 'gone', 0), { ...range('dirty', 'gone', 1), dirty: true }]);
    await storage().shards.insert([{ ...range('busy', 'going', 0), dirty: true }]);
    expect(await storage().shards.nextDirty()).toMatchObject({ shardId: 'dirty' });
    await storage().shards.save({ ...range('dirty', 'gone', 1), dirty: false });
    expect(await storage().shards.nextDirty()).toBeUndefined();
  });

  test('jobs are listed newest first, counted by state and endpoint, and deleted with everything of theirs', async () => {
    for (const jobId of ['b', 'a', 'c']) await storage().jobs.insert(storedJob(jobId));
    await storage().jobs.save(storedJob('a', { state: 'completed' }));
    expect((await storage().jobs.list(2)).map((job) => job.jobId)).toEqual(['c', 'a']);
    expect(await storage().jobs.countByState()).toEqual(
      new Map([
        ['queued', 2],
        ['completed', 1],
      ]),
    );
    expect(await storage().jobs.countUnfinishedUsing('ep-2')).toBe(2);
    await storage().shards.insert([range('s', 'b', 0)]);
    await storage().failures.record('b', 's', [failure('k')]);
    await storage().planned.record('b', [{ key: 'k', sizeBytes: 1, action: 'skip' }]);
    await storage().jobs.delete('b');
    expect(await storage().shards.countOf('b')).toBe(0);
    expect(await storage().failures.list('b', 10)).toEqual([]);
    expect(await storage().planned.list('b')).toEqual([]);
    expect(await storage().jobs.get('b')).toBeUndefined();
  });

  test('failures beyond the bound of a job are dropped, and known ones are still replaced', async () => {
    const many = Array.from({ length: MAX_FAILURES_PER_JOB + 50 }, (_, n) => failure(String(n).padStart(8, '0')));
    await storage().failures.record('j', 's', many);
    expect(await storage().failures.countOf('s')).toBe(MAX_FAILURES_PER_JOB);
    await storage().failures.record('j', 's2', [
      failure('00000000', 'First'),
      failure('new'),
      failure('00000000', 'NoSuchKey'),
    ]);
    expect(await storage().failures.list('j', 1)).toMatchObject([{ key: '00000000', code: 'NoSuchKey' }]);
    expect(await storage().failures.countOf('s2')).toBe(1);
    expect(await storage().failures.countOf('s')).toBe(MAX_FAILURES_PER_JOB - 1);
  });
}
