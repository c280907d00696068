import { expect, test } from 'vitest';
import { chaos } from './chaos.ts';

test('leaders are killed while agents copy: another one leads, no window passes the budget, every job ends complete and equal', async () => {
  const fleet = { agents: 6, consoles: 2, windowSeconds: 1, limitTps: 200, objectsPerJob: 60 };
  // A machine of two cores that builds meanwhile stalls for seconds; npm run chaos holds a quiet one to 5 s.
  const takeOverMs = 30_000;
  const plan = { ...fleet, kills: 3, seed: 3, longestPauseMs: 1_000, outageSeconds: 0, restarts: false, takeOverMs };
  const report = await chaos({ ...plan, s3: 'bundled' });
  expect(report.windows).toBeGreaterThan(30);
  expect(report.takeOversMs).toHaveLength(3);
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
});
