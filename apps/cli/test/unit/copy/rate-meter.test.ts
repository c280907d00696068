import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateMeter } from '../../../src/copy/rate-meter.ts';

function steady(meter: RateMeter, fromMs: number, toMs: number, perSecond: number, offset = 0): void {
  for (let atMs = fromMs; atMs <= toMs; atMs += 100) {
    const objectsDone = offset + ((atMs - fromMs) / 1_000) * perSecond;
    meter.add({ atMs, objectsDone, bytes: objectsDone * 10, chargedOps: objectsDone * 2 });
  }
}

describe('rates', () => {
  it('follow a change within ten seconds', () => {
    const meter = new RateMeter();
    steady(meter, 0, 60_000, 100);
    expect(meter.rates().objectsPerSecond).toBeCloseTo(100, 5);
    steady(meter, 60_000, 71_000, 10, 6_000);
    const { objectsPerSecond, bytesPerSecond, tps } = meter.rates();
    expect(objectsPerSecond).toBeCloseTo(10, 5);
    expect(bytesPerSecond).toBeCloseTo(100, 5);
    expect(tps).toBeCloseTo(20, 5);
  });

  it('are never negative, also when a run goes back to its checkpoint', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ step: fc.nat(2_000), done: fc.nat(1_000) })), (readings) => {
        const meter = new RateMeter();
        let atMs = 0;
        for (const { step, done } of readings) {
          atMs += step;
          meter.add({ atMs, objectsDone: done, bytes: done, chargedOps: done });
          const { objectsPerSecond, bytesPerSecond, tps } = meter.rates();
          for (const rate of [objectsPerSecond, bytesPerSecond, tps]) {
            expect(rate).toBeGreaterThanOrEqual(0);
            expect(Number.isFinite(rate)).toBe(true);
          }
        }
      }),
    );
  });

  it('tell the time left by the mean of this run, and nothing while that would be a guess', () => {
    const meter = new RateMeter();
    expect(meter.etaMs(0.5, 0)).toBeNull();
    steady(meter, 0, 2_000, 100);
    expect(meter.etaMs(0.5, 0)).toBeNull();
    steady(meter, 2_000, 10_000, 100, 200);
    expect(meter.etaMs(null, 0)).toBeNull();
    expect(meter.etaMs(0.005, 0)).toBeNull();
    expect(meter.etaMs(0.25, 0)).toBeCloseTo(30_000);
    // Half of it was done by an earlier run: this one did a quarter in ten seconds.
    expect(meter.etaMs(0.75, 0.5)).toBeCloseTo(10_000);
    expect(meter.etaMs(1, 0)).toBe(0);
  });
});
