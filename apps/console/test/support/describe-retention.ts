import { expect, test } from 'vitest';
import type { Storage } from '../../src/ports/storage.ts';
import { newShard } from '../../src/queue/shard.ts';
import { failure, storedAlarm, storedEntry, storedJob, T } from './stored-things.ts';

/** What is kept for a time after its end. */
export function describeRetention(storage: () => Storage): void {
  test('jobs are pruned by their end, the oldest first, but none that agents hold or have to clean up after', async () => {
    const ended = (jobId: string, finishedAtMs: number | null) =>
      storage().jobs.insert(storedJob(jobId, { state: 'cancelled', finishedAtMs }));
    for (const [jobId, atMs] of [
      ['b', T + 2],
      ['a', T + 1],
      ['held', T],
      ['dirty', T],
      ['young', T + 9],
    ] as const) {
      await ended(jobId, atMs);
    }
    await ended('unfinished', null);
    const range = { type: 'range', startAfter: null, endAt: null } as const;
    await storage().shards.insert([
      newShard('s-a', 'a', 0, range),
      { ...newShard('s-held', 'held', 0, range), state: 'leased', leaseId: 'l', agentId: 'x' },
      { ...newShard('s-dirty', 'dirty', 0, range), dirty: true },
    ]);
    expect(await storage().jobs.prune(T + 5.5, 1)).toBe(1);
    expect((await storage().jobs.list(9)).map((job) => job.jobId)).not.toContain('a');
    expect(await storage().shards.countOf('a')).toBe(0);
    expect(await storage().jobs.prune(T + 5.5, 9)).toBe(1);
    expect(await storage().jobs.prune(T + 5.5, 9)).toBe(0);
    expect((await storage().jobs.list(9)).map((job) => job.jobId).toSorted()).toEqual(
      ['dirty', 'held', 'unfinished', 'young'].toSorted(),
    );
  });

  test('lists of objects are pruned by the end of their job, in batches', async () => {
    await storage().jobs.insert(storedJob('old', { state: 'failed', finishedAtMs: T }));
    await storage().jobs.insert(storedJob('new', { state: 'failed', finishedAtMs: T + 9 }));
    await storage().jobs.insert(storedJob('running', { state: 'running' }));
    for (const jobId of ['old', 'new', 'running']) {
      await storage().failures.record(
        jobId,
        `s-${jobId}`,
        ['a', 'b', 'c'].map((key) => failure(key)),
      );
      await storage().planned.record(jobId, [{ key: 'k', sizeBytes: 1, action: 'copy' }]);
    }
    expect(await storage().failures.prune(T + 5, 2)).toBe(3);
    expect(await storage().failures.prune(T + 5, 2)).toBe(1);
    expect(await storage().failures.prune(T + 5, 2)).toBe(0);
    expect(await storage().failures.list('old', 9)).toEqual([]);
    expect(await storage().planned.list('old')).toEqual([]);
    for (const jobId of ['new', 'running']) expect(await storage().failures.list(jobId, 9)).toHaveLength(3);
  });

  test('alarms that are over, and entries of the audit log, are pruned by age', async () => {
    await storage().alarms.save({ ...storedAlarm('over', T), endedAtMs: T + 1 });
    await storage().alarms.save({ ...storedAlarm('long', T), endedAtMs: T + 9 });
    await storage().alarms.save(storedAlarm('lasting', T));
    expect(await storage().alarms.prune(T + 5, 9)).toBe(1);
    expect((await storage().alarms.list(9)).map((alarm) => alarm.alarmId).toSorted()).toEqual(['lasting', 'long']);
    for (let n = 0; n < 10; n += 1) await storage().audit.add(storedEntry({ atMs: T + n }));
    expect(await storage().audit.prune(100, T + 4.5, 3)).toBe(3);
    expect(await storage().audit.prune(100, T + 4.5, 3)).toBe(2);
    expect(await storage().audit.prune(100, T + 4.5, 3)).toBe(0);
    expect((await storage().audit.list({ limit: 20 })).map((entry) => entry.atMs)).toEqual(
      [9, 8, 7, 6, 5].map((n) => T + n),
    );
    expect(await storage().audit.prune(100, T + 500, 30)).toBe(5);
    expect(await storage().audit.prune(100, T + 500, 30)).toBe(0);
  });
}
