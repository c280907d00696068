import { expect, test } from 'vitest';
import { JobRates } from '../../src/fleet/job-rates.ts';

test('a rate is the mean over the last minute', () => {
  const rates = new JobRates();
  for (let second = 0; second < 300; second += 5) rates.add('j', 500, 5_000, 1_000_000 + second * 1_000);
  const { objectsPerSecond, bytesPerSecond } = rates.read('j', 1_300_000 - 1);
  expect(objectsPerSecond).toBeCloseTo(100, 0);
  expect(bytesPerSecond).toBeCloseTo(1_000, 0);
});

test('a job that began a moment ago is measured from its first report, and one that stopped falls to zero', () => {
  const rates = new JobRates();
  rates.add('j', 0, 0, 1_000_000);
  rates.add('j', 40, 400, 1_004_000);
  expect(rates.read('j', 1_004_000).objectsPerSecond).toBe(10);
  expect(rates.read('j', 1_100_000).objectsPerSecond).toBe(0);
  expect(rates.read('unknown', 0)).toEqual({ objectsPerSecond: 0, bytesPerSecond: 0 });
});
