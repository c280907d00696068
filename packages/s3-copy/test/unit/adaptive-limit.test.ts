import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdaptiveLimit } from '../../src/adaptive-limit.ts';

/** A limit under test with its time. */
function limitOf(max: number): { limit: AdaptiveLimit; pass: (ms: number) => void } {
  let nowMs = 0;
  return { limit: new AdaptiveLimit(max, () => nowMs), pass: (ms) => void (nowMs += ms) };
}

describe('the adaptive limit', () => {
  test('stays a whole number between 1 and the maximum, whatever happens', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.array(fc.oneof(fc.constant('throttle'), fc.nat(100_000), fc.record({ max: fc.nat(5_000) })), {
          maxLength: 300,
        }),
        (max, events) => {
          const { limit, pass } = limitOf(max);
          for (const event of events) {
            if (event === 'throttle') limit.throttled();
            else if (typeof event === 'object') limit.max = event.max;
            else limit.answered('GetObject', event);
            pass(37);
            expect(Number.isInteger(limit.value)).toBe(true);
            expect(limit.value).toBeGreaterThanOrEqual(1);
            expect(limit.value).toBeLessThanOrEqual(limit.max);
          }
        },
      ),
    );
  });

  test('reaches the maximum of a healthy server within as many answers, and stays there', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        // Latency between a half and twice its mean is no trouble.
        fc.infiniteStream(fc.double({ min: 0.5, max: 2, noNaN: true })),
        fc.integer({ min: 1, max: 500 }),
        (max, noise, meanMs) => {
          const { limit, pass } = limitOf(max);
          for (let answers = 0; answers < max; answers++) {
            limit.answered('GetObject', meanMs * noise.next().value!);
            pass(1);
          }
          for (let answers = 0; answers < 3_000; answers++) {
            expect(limit.value).toBe(max);
            limit.answered('GetObject', meanMs * noise.next().value!);
            pass(1);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test('a throttle halves it, and those that come with it change nothing more', () => {
    const { limit, pass } = limitOf(64);
    for (let answers = 0; answers < 64; answers++) limit.answered('PutObject', 10);
    for (let throttles = 0; throttles < 30; throttles++) limit.throttled();
    expect(limit.value).toBe(32);
    pass(200);
    limit.throttled();
    expect(limit.value).toBe(16);
    // From there it grows by one for each round of answers, not by one for each answer.
    for (let answers = 0; answers < 17; answers++) limit.answered('PutObject', 10);
    expect(limit.value).toBe(17);
  });

  test('finds the rate of a server that refuses what is over its bound, and wastes few requests', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), (bound) => {
        const { limit, pass } = limitOf(64);
        let refused = 0;
        let served = 0;
        for (let round = 0; round < 600; round++) {
          const sent = limit.value;
          for (let request = 0; request < sent; request++) {
            if (request < bound) {
              served++;
              limit.answered('PutObject', 20);
            } else {
              refused++;
              limit.throttled();
            }
          }
          pass(250);
        }
        // Additive increase and halving: between half the bound and the bound, three quarters on average.
        expect(served / 600).toBeGreaterThan(bound * 0.6);
        expect(refused / served).toBeLessThan(0.25);
      }),
    );
  });

  test('gives way when answers become much slower than they were, and comes back', () => {
    const { limit, pass } = limitOf(64);
    const round = (latencyMs: number): void => {
      for (let answers = 0; answers < 64; answers++) limit.answered('GetObject', latencyMs);
      pass(latencyMs);
    };
    for (let rounds = 0; rounds < 40; rounds++) round(50);
    expect(limit.value).toBe(64);
    for (let rounds = 0; rounds < 8; rounds++) round(1_000);
    expect(limit.value).toBeLessThan(50);
    for (let rounds = 0; rounds < 40; rounds++) round(50);
    expect(limit.value).toBe(64);
  });

  test('takes a server that is slow all the time for what it is', () => {
    const { limit } = limitOf(64);
    for (let answers = 0; answers < 20_000; answers++) limit.answered('GetObject', 3_000);
    expect(limit.value).toBe(64);
  });
});
