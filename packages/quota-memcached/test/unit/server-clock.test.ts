import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServerClock } from '../../src/server-clock.ts';

const START_MS = Date.UTC(2026, 10, 30);

test('the estimate is off by half a second and a half round trip at most, and the earliest time is never late', () => {
  const asking = fc.record({ afterMs: fc.integer({ min: 0, max: 3_000 }), tripMs: fc.integer({ min: 0, max: 20 }) });
  const offset = fc.integer({ min: -90_000, max: 90_000 });
  fc.assert(
    fc.property(
      offset,
      fc.array(asking, { minLength: 1, maxLength: 60 }),
      fc.nat(1_000),
      (offsetMs, askings, phase) => {
        const clock = new ServerClock();
        let nowMs = START_MS + phase;
        let worst = Number.POSITIVE_INFINITY;
        for (const { afterMs, tripMs } of askings) {
          nowMs += afterMs;
          const sentMs = nowMs;
          const readMs = sentMs + Math.floor(tripMs / 2);
          nowMs += tripMs;
          clock.learn(Math.floor((readMs + offsetMs) / 1000), sentMs, nowMs);
          const error = Math.abs(clock.at(nowMs) - (nowMs + offsetMs));
          expect(error).toBeLessThanOrEqual(500 + tripMs / 2 + 1);
          worst = Math.min(worst, error);
          expect(clock.earliest(nowMs)).toBeLessThanOrEqual(nowMs + offsetMs);
        }
        expect(worst).toBeLessThanOrEqual(511);
      },
    ),
  );
});

test('a hundred questions at odd times give the server time to within 20 ms', () => {
  const clock = new ServerClock();
  const offsetMs = 4_321;
  for (let index = 0; index < 100; index++) {
    const sentMs = START_MS + index * 1_237;
    clock.learn(Math.floor((sentMs + 1 + offsetMs) / 1000), sentMs, sentMs + 2);
  }
  expect(Math.abs(clock.at(START_MS) - (START_MS + offsetMs))).toBeLessThan(20);
});

test('after a clock was set, the new answers count and the old ones do not', () => {
  const clock = new ServerClock();
  expect(clock.at(START_MS)).toBe(START_MS);
  clock.learn(START_MS / 1000, START_MS, START_MS + 1);
  clock.learn(START_MS / 1000 + 3_600, START_MS + 10, START_MS + 11);
  expect(Math.abs(clock.at(START_MS) - (START_MS + 3_600_000))).toBeLessThanOrEqual(510);
});
