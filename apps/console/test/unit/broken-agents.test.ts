import { agentList, jobView, monitorHistory, monitorView, windowRecordList } from '@weir/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listAgents } from '../../src/actions/list-agents.ts';
import { listWindows } from '../../src/actions/list-windows.ts';
import { readJob } from '../../src/actions/read-job.ts';
import { readHistory } from '../../src/actions/read-history.ts';
import { readMonitor } from '../../src/actions/read-monitor.ts';
import { NONE, TestConsole, usageOf } from '../support/test-console.ts';

let console: TestConsole;
beforeEach(async () => {
  console = await TestConsole.start();
});
afterEach(() => console.stop());

test('an agent that reports absurd numbers cannot make the pages unreadable', async () => {
  const MOST = Number.MAX_SAFE_INTEGER;
  const [a, b] = [await console.agent('a'), await console.agent('b')];
  const jobId = await console.job();
  const held = await a.take();
  const holdoff = { remainingMs: MOST, reason: 'x', jobId: null };
  const rates = {
    actualTps: 1e308,
    meanTps: 1e308,
    peakSecondTps: 1e308,
    bytesRead: MOST,
    bytesWritten: MOST,
    windowMs: 1,
  };
  for (const agent of [a, b]) {
    const usage = usageOf({ epoch: 'e', windowNumber: MOST, creditBudget: MOST }, rates);
    await agent.heartbeat({ runningJobs: MOST, usage, holdoff });
  }
  const counters = { ...NONE, objectsListed: MOST, objectsCopied: MOST, bytesCopied: MOST, parkedMs: MOST };
  for (let n = 0; n < 2; n += 1) {
    await a.report(held, { checkpoint: 'k', atCheckpoint: counters, live: counters, holdoff, holdoffCount: MOST });
    await console.clock.advance(1_000);
  }
  await console.clock.advance(30_000);
  // These are sent as they are: they must be valid, and hold nothing that the schema does not know.
  for (const [schema, answer] of [
    [monitorView, await readMonitor(console.context)],
    [monitorHistory, await readHistory(console.context, '6h')],
    [agentList, await listAgents(console.context)],
  ] as const) {
    expect(schema.parse(answer)).toEqual(answer);
  }
  expect(jobView.safeParse(await readJob(console.context, jobId)).error).toBeUndefined();
  expect(windowRecordList.safeParse({ windows: await listWindows(console.context, 10) }).error).toBeUndefined();
});

test('of two processes with one credential only the one that started last is heard, and one share is spent', async () => {
  const a = await console.agent('a');
  await console.job();
  await a.heartbeat({ bootId: 'first' });
  const first = await a.heartbeat({ bootId: 'first', runningJobs: 1 });
  await a.heartbeat({ bootId: 'copy', runningJobs: 1 });
  await console.clock.advance(30_000);
  const usage = usageOf(first.grant ?? { epoch: 'e', windowNumber: 1, creditBudget: 0 });
  await expect(a.heartbeat({ bootId: 'first', runningJobs: 1, usage })).rejects.toMatchObject({
    code: 'wrong-credentials',
    message: expect.stringContaining('Another process runs as agent a'),
  });
  const held = await a.take();
  expect((await a.heartbeat({ bootId: 'copy', runningJobs: 1, usage })).grant?.windowNumber).toBe(2);
  // The refused one has taken no shard away from the other.
  expect(await a.report(held)).toEqual({ desired: 'run' });
});
