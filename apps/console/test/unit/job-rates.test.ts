import { expect, test } from 'vitest';
import { JobRates } from '../../src/fleet/job-rates.ts';

test('a rate is the mean over the last minute', () => {
  const rates = new JobRates();
  for (let second = 0; second < 300; second += 5)
    rates.add('j', 'a', { objects: 500, bytes: 5_000, trafficBytes: 10_000 }, 1_000_000 + second * 1_000);
  const { objectsPerSecond, bytesPerSecond, mbps } = rates.read('j', 1_300_000 - 1);
  expect(objectsPerSecond).toBeCloseTo(100, 0);
  expect(bytesPerSecond).toBeCloseTo(1_000, 0);
  expect(mbps).toBeCloseTo(0.016, 3);
});

test('a job that began a moment ago is measured from its first report, and one that stopped falls to zero', () => {
  const rates = new JobRates();
  rates.add('j', 'a', { objects: 0, bytes: 0, trafficBytes: 0 }, 1_000_000);
  rates.add('j', 'a', { objects: 40, bytes: 400, trafficBytes: 400 }, 1_004_000);
  expect(rates.read('j', 1_004_000).objectsPerSecond).toBe(10);
  expect(rates.read('j', 1_100_000).objectsPerSecond).toBe(0);
  expect(rates.read('unknown', 0)).toEqual({ objectsPerSecond: 0, bytesPerSecond: 0, mbps: 0 });
});

test('each agent of a job has its own rate, and together they are that of the job', () => {
  const rates = new JobRates();
  for (const agent of ['a', 'b']) rates.add('j', agent, { objects: 0, bytes: 0, trafficBytes: 0 }, 1_000_000);
  rates.add('j', 'a', { objects: 30, bytes: 0, trafficBytes: 1_000_000 }, 1_010_000);
  rates.add('j', 'b', { objects: 10, bytes: 0, trafficBytes: 3_000_000 }, 1_010_000);
  const of = (agent?: string): number[] => {
    const { objectsPerSecond, mbps } = rates.read('j', 1_010_000, agent);
    return [objectsPerSecond, mbps];
  };
  expect([of('a'), of('b'), of()]).toEqual([
    [3, 0.8],
    [1, 2.4],
    [4, 3.2],
  ]);
});
