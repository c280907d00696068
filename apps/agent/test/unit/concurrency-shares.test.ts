import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SimulatedTime } from '../../../../packages/governor-client/test/unit/simulated-time.ts';
import { ConcurrencyShares, sharesByNeed } from '../../src/s3/concurrency-shares.ts';

test('shares never exceed the total, leave nothing unused that somebody needs, and give nobody less than an equal part of it', () => {
  const need = fc.oneof(fc.nat(300), fc.constant(Number.POSITIVE_INFINITY));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.array(need, { minLength: 1, maxLength: 40 }), (total, needs) => {
      const shares = sharesByNeed(total, needs);
      const sum = shares.reduce((a, b) => a + b, 0);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
      expect(sum).toBeLessThanOrEqual(Math.max(total, needs.length));
      const hungry = shares.flatMap((share, index) => (share < (needs[index] ?? 0) ? [share] : []));
      if (hungry.length === 0 || total < needs.length) return;
      expect(total - sum).toBe(0);
      expect(Math.min(...hungry)).toBeGreaterThanOrEqual(Math.floor(total / needs.length));
      expect(Math.max(...hungry) - Math.min(...hungry)).toBeLessThanOrEqual(1);
    }),
  );
});

class FakeRun {
  state = { inFlight: 0, listed: false };
  max = 0;

  snapshot(): FakeRun['state'] {
    return this.state;
  }

  setConcurrency(max: number): void {
    this.max = max;
  }
}

test('a run that is alone has everything, shares when another begins, and gets back what the other does not need any more', async () => {
  const time = new SimulatedTime();
  const shares = new ConcurrencyShares(100, time.startTimer);
  const [a, b] = [new FakeRun(), new FakeRun()];
  shares.add(a);
  expect(a.max).toBe(100);
  shares.add(b);
  expect([a.max, b.max]).toEqual([50, 50]);
  b.state = { inFlight: 3, listed: true };
  await time.advance(1_000);
  expect([a.max, b.max]).toEqual([97, 3]);
  shares.remove(b);
  expect(a.max).toBe(100);
  shares.remove(a);
  expect(time.timers).toBe(0);
});
