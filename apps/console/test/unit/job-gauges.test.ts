import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JobGauges, type Reading } from '../../src/fleet/job-gauges.ts';

const steady: Reading = {
  percent: 50,
  objectsLeft: 6_000,
  objectsPerSecond: 100,
  measuredMs: 60_000,
  disturbed: false,
};

test('the share done never falls, whatever estimates say', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.double({ min: 0, max: 100, noNaN: true }))), (percents) => {
      const gauges = new JobGauges();
      let shown = 0;
      for (const [index, percent] of percents.entries()) {
        const read = gauges.read('j', { ...steady, percent }, index * 2_000).percent ?? 0;
        expect(read).toBeGreaterThanOrEqual(shown);
        shown = read;
      }
    }),
  );
});

test('an ETA counts down while the job goes as it did', () => {
  const gauges = new JobGauges();
  const etas = [0, 10, 20].map((seconds) => {
    const reading = { ...steady, objectsLeft: 6_000 - seconds * 100 };
    return gauges.read('j', reading, seconds * 1_000).etaMs;
  });
  expect(etas).toEqual([60_000, 50_000, 40_000]);
});

test('a rate that halves from one report to the next moves the ETA by degrees', () => {
  const gauges = new JobGauges();
  gauges.read('j', steady, 0);
  const halved = { ...steady, objectsPerSecond: 50 };
  const after2s = gauges.read('j', halved, 2_000).etaMs ?? 0;
  expect(after2s).toBeGreaterThan(58_000);
  expect(after2s).toBeLessThan(66_000);
  expect(gauges.read('j', halved, 302_000).etaMs).toBeCloseTo(120_000, -3);
});

test('an ETA is unknown while nothing moves, too little is known, or something disturbs the job', () => {
  const unknown: Partial<Reading>[] = [
    { objectsPerSecond: 0 },
    { objectsLeft: null },
    { measuredMs: 9_000 },
    { percent: 1 },
    { disturbed: true },
    { objectsLeft: Number.MAX_SAFE_INTEGER, objectsPerSecond: 0.001 },
  ];
  for (const change of unknown) {
    expect(new JobGauges().read('j', { ...steady, ...change }, 0).etaMs).toBeNull();
  }
});
