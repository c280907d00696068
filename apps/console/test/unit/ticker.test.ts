import { expect, test } from 'vitest';
import { Ticker } from '../../src/jobs/ticker.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { silentLogger } from '../support/test-console.ts';

function ticker() {
  const clock = new FakeClock();
  const errors: object[] = [];
  return {
    clock,
    errors,
    ticker: new Ticker(clock, { ...silentLogger, error: (fields: object) => void errors.push(fields) }),
  };
}

test('work that takes long is not begun a second time meanwhile', async () => {
  const { clock, ticker: ticks } = ticker();
  let begun = 0;
  const ends: (() => void)[] = [];
  ticks.every('slow', 1_000, () => {
    begun += 1;
    return new Promise((resolve) => ends.push(resolve));
  });
  await clock.advance(5_000);
  expect(begun).toBe(1);
  ends[0]?.();
  await clock.advance(1_000);
  expect(begun).toBe(2);
  ends[1]?.();
  await ticks.stop();
});

test('work that fails is logged by name and tried again', async () => {
  const { clock, errors, ticker: ticks } = ticker();
  let tried = 0;
  ticks.every('failing', 1_000, async () => {
    tried += 1;
    throw new Error('disk full');
  });
  await clock.advance(3_000);
  expect(tried).toBe(3);
  expect(errors[0]).toEqual({ tick: 'failing', error: 'Error: disk full' });
  await ticks.stop();
});

test('aligned work runs just after whole multiples of its period', async () => {
  const { clock, ticker: ticks } = ticker();
  await clock.advance(12_345);
  const late: number[] = [];
  ticks.everyAligned('sample', 30_000, () => void late.push(clock.nowMs() % 30_000));
  await clock.advance(90_000);
  expect(late).toEqual([5, 5, 5]);
  await ticks.stop();
});

test('stopping waits for work that runs and begins no more', async () => {
  const { clock, ticker: ticks } = ticker();
  const ends: (() => void)[] = [];
  let begun = 0;
  ticks.every('slow', 1_000, () => {
    begun += 1;
    return new Promise((resolve) => ends.push(resolve));
  });
  await clock.advance(1_000);
  let stopped = false;
  const stopping = ticks.stop().then(() => (stopped = true));
  await settled();
  expect(stopped).toBe(false);
  ends[0]?.();
  await stopping;
  await clock.advance(10_000);
  expect(begun).toBe(1);
});
