import { afterEach, describe, expect, test } from 'vitest';
import { contentsOf } from './buckets.ts';
import { TestFleet } from './fleet.ts';

let fleet: TestFleet | undefined;

afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

describe('copying under credits', () => {
  test('two agents copy a job under a low limit: everything arrives, no window is overspent', async () => {
    fleet = await TestFleet.start({ windowSeconds: 1, initialSplit: 6 });
    await fleet.setLimit(100);
    const jobId = await fleet.queueJob(400);
    await fleet.startAgent('one');
    await fleet.startAgent('two');
    const job = await fleet.jobThat(jobId, ({ state }) => state === 'completed');
    expect(job.counters).toMatchObject({ objectsCopied: 400, objectsFailed: 0 });
    expect(job.counters.parkedMs).toBeGreaterThan(0);
    expect(await contentsOf(fleet.target, 'to')).toEqual(await contentsOf(fleet.source, 'from'));
    const windows = await fleet.windows();
    for (const window of windows) expect(window.chargedOps).toBeLessThanOrEqual(window.creditBudget);
    expect(windows.reduce((sum, { chargedOps }) => sum + chargedOps, 0)).toBeGreaterThanOrEqual(400);
  });
});
