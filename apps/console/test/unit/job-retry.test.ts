import { afterEach, beforeEach, expect, test } from 'vitest';
import { actOnJob } from '../../src/actions/act-on-job.ts';
import { listFailures } from '../../src/actions/list-failures.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { copied, TestConsole } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

const failure = (key: string) => ({ key, code: 'AccessDenied', message: 'no', requestId: null });
const act = (jobId: string, action: 'cancel' | 'retry') => actOnJob(console.context, jobId, action, 'test');

test('retried objects become a list of keys, leave the counters of the old shard, and never push progress over 100', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  const failures = [failure('b'), failure('a'), failure('\u{1F600}'), failure('\uFF5E')];
  await a.report(held, { state: 'completed', live: copied(96, 4), failures });
  expect(await readJob(console.context, jobId)).toMatchObject({
    state: 'completed-with-failures',
    counters: { objectsFailed: 4 },
  });
  expect((await listFailures(console.context, jobId, 10)).total).toBe(4);

  const retried = await act(jobId, 'retry');
  expect(retried).toMatchObject({
    state: 'queued',
    counters: { objectsListed: 96, objectsFailed: 0, objectsCopied: 96 },
  });
  expect(retried.progressPercent).toBeLessThan(100);
  const again = await a.take();
  expect(again.work).toEqual({ type: 'keys', keys: ['a', 'b', '\uFF5E', '\u{1F600}'] });
  // The agent looks for uploads that the failed attempts could not remove.
  expect([held.heldBefore, again.heldBefore]).toEqual([false, true]);
  await a.report(again, { state: 'completed', live: copied(3, 1), failures: [failure('a')] });
  const job = await readJob(console.context, jobId);
  expect(job).toMatchObject({ state: 'completed-with-failures', progressPercent: 100 });
  expect(job.counters).toMatchObject({ objectsListed: 100, objectsCopied: 99, objectsFailed: 1 });
  expect((await listFailures(console.context, jobId, 10)).failures).toEqual([failure('a')]);
});

test('a retry makes lists of at most 1,000 keys', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  const keys = Array.from({ length: 1_100 }, (_, n) => `key-${String(n).padStart(5, '0')}`);
  for (let from = 0; from < keys.length; from += 200) {
    const live = copied(0, Math.min(from + 200, keys.length));
    await a.report(held, { live, failures: keys.slice(from, from + 200).map(failure) });
  }
  await a.report(held, { state: 'completed', live: copied(0, 1_100) });
  await act(jobId, 'retry');
  const lists = [await a.take(), await a.take()].map(({ work }) => (work.type === 'keys' ? work.keys : []));
  expect(lists.map((list) => list.length)).toEqual([1_000, 100]);
  expect(lists.flat()).toEqual(keys);
});

test('a shard with more failures than were kept is done again as a whole', async () => {
  const a = await console.agent('a');
  const jobId = await console.job();
  const held = await a.take();
  await a.report(held, { state: 'completed', live: copied(10, 3), failures: [failure('only-one')] });
  await act(jobId, 'retry');
  const again = await a.take();
  expect(again).toMatchObject({ shardId: held.shardId, checkpoint: null, work: { type: 'range' } });
  expect(again.heldBefore).toBe(true);
  expect((await readJob(console.context, jobId)).counters.objectsListed).toBe(0);
});
