import { expect, test } from 'vitest';
import { Ticker } from '../../src/jobs/ticker.ts';
import { StorageUnavailable } from '../../src/ports/storage-unavailable.ts';
import { FakeClock, settled } from '../support/fake-clock.ts';
import { silentLogger } from '../support/test-console.ts';

function ticker() {
  const clock = new FakeClock();
  const errors: object[] = [];
  const infos: object[] = [];
  return {
    clock,
    errors,
    infos,
    ticker: new Ticker(clock, {
      ...silentLogger,
      error: (fields: object) => void errors.push(fields),
      info: (fields: object) => void infos.push(fields),
    }),
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

test('work that fails the same way again and again is logged when that begins and when it ends', async () => {
  const { clock, errors, infos, ticker: ticks } = ticker();
  let problem: string | null = 'disk full';
  ticks.every('failing', 1_000, () => {
    if (problem !== null) throw new Error(problem);
  });
  await clock.advance(3_600_000);
  expect(errors).toEqual([{ tick: 'failing', error: 'Error: disk full' }]);
  problem = 'disk gone';
  await clock.advance(10_000);
  expect(errors.slice(1)).toEqual([{ tick: 'failing', error: 'Error: disk gone' }]);
  expect(infos).toEqual([]);
  problem = null;
  await clock.advance(10_000);
  expect(infos).toEqual([{ tick: 'failing', failures: 3_610 }]);
  problem = 'disk full';
  await clock.advance(1_000);
  expect(errors).toHaveLength(3);
  await ticks.stop();
});

test('while the database is away no tick says so: that is said once, where it is noticed', async () => {
  const { clock, errors, infos, ticker: ticks } = ticker();
  let away = true;
  for (const name of ['write-behind', 'leases', 'webhooks']) {
    ticks.every(name, 1_000, () => {
      if (away) throw new StorageUnavailable('the database does not answer');
    });
  }
  await clock.advance(60_000);
  away = false;
  await clock.advance(60_000);
  expect(errors).toEqual([]);
  expect(infos).toEqual([]);
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
