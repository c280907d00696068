import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPace, Pacer } from '../../src/pacer.ts';

/** A clock that sleeping moves. */
function clockwork(): { now: () => number; sleep: (ms: number) => Promise<void>; pass: (ms: number) => void } {
  let nowMs = 0;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return {
    now: () => nowMs,
    sleep: (ms) => {
      pass(ms);
      return Promise.resolve();
    },
    pass,
  };
}

describe('the pace', () => {
  it('never lists more keys than its cap allows, whatever time the pages take', async () => {
    const pages = fc.array(
      fc.record({ keys: fc.integer({ min: 1, max: 200 }), tookMs: fc.double({ min: 0, max: 80, noNaN: true }) }),
      {
        minLength: 1,
        maxLength: 100,
      },
    );
    await fc.assert(
      fc.asyncProperty(pages, async (list) => {
        const clock = clockwork();
        const pacer = new Pacer(10_000, clock.now, clock.sleep);
        let keys = 0;
        for (const page of list) {
          clock.pass(page.tookMs);
          pacer.observe(0.2);
          await pacer.pay(page.keys);
          keys += page.keys;
          // 50 ms that earlier pages did not use count, and timers are no finer than 1 ms.
          expect(keys).toBeLessThanOrEqual(10 * (clock.now() + 51) + 0.001);
        }
      }),
    );
  });

  it('slows down while the server is slow, never stops, and comes back', () => {
    let state = { keysPerSecond: 10_000, bestMs: 0.3 };
    for (let look = 0; look < 50; look += 1) state = nextPace(state, 25, 10_000);
    expect(state.keysPerSecond).toBe(200);
    for (let look = 0; look < 120; look += 1) state = nextPace(state, 0.3, 10_000);
    expect(state.keysPerSecond).toBe(10_000);
  });

  it('stays between its bounds whatever it observes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e5, noNaN: true })),
        fc.integer({ min: 1, max: 1e6 }),
        (looks, most) => {
          let state = { keysPerSecond: most / 4, bestMs: Number.POSITIVE_INFINITY };
          for (const latencyMs of looks) {
            state = nextPace(state, latencyMs, most);
            expect(state.keysPerSecond).toBeLessThanOrEqual(most);
            expect(state.keysPerSecond).toBeGreaterThanOrEqual(Math.min(200, most));
          }
        },
      ),
    );
  });

  it('takes no notice of latencies that hurt nobody', () => {
    expect(nextPace({ keysPerSecond: 1_000, bestMs: 0.1 }, 2, 10_000).keysPerSecond).toBeGreaterThan(1_000);
  });
});
