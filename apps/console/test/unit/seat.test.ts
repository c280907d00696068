import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { settled } from '../support/fake-clock.ts';
import { suffer, trouble, World } from '../support/simulated-group.ts';

test('at most one console leads at any moment, whatever is stopped, cut off, slow, away or lost, and one does again afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(trouble, { maxLength: 8 }),
      async (seed, troubles) => {
        const world = new World(seed);
        for (let n = 0; n < 3; n += 1) world.add();
        await world.pass(1_000);
        for (const each of troubles) await suffer(world, each);
        await world.pass(9_000);
        expect(world.leaders()).toHaveLength(1);
        const running = world.members.flatMap(({ terms }) => terms).filter(({ ended }) => ended === null);
        expect(running).toHaveLength(1);
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

test('a killed leader is followed within its lease and a look', async () => {
  const world = new World(1);
  const first = world.add();
  await world.pass(3_000);
  const second = world.add();
  await world.pass(2_000);
  expect(first.seat.serving).not.toBeNull();
  first.clock.stopped = true;
  await world.pass(3_900);
  expect(second.seat.serving).not.toBeNull();
  expect(second.seat.fence).toBe(2);
});

test('a leader that stops is followed at the next look, and its term is finished, not abandoned', async () => {
  const world = new World(2);
  const first = world.add();
  await world.pass(3_000);
  const second = world.add();
  await world.pass(2_000);
  const stopping = first.seat.stop();
  await world.pass(850);
  await stopping;
  expect(second.seat.serving).not.toBeNull();
  expect(first.terms.map(({ ended }) => ended)).toEqual(['finished']);
});

test('a leader that wakes up from a long stop does not serve, before any timer of its runs', async () => {
  const world = new World(3);
  const only = world.add();
  await world.pass(3_000);
  expect(only.seat.serving).not.toBeNull();
  only.clock.stopped = true;
  await world.clock.advance(2_400);
  expect(only.seat.serving).toBeNull();
  only.clock.wake();
  await settled();
  expect(only.seat.serving).toBeNull();
  expect(only.terms[0]?.ended).toBe('abandoned');
});

test('a lease that Redis lost in a moment costs the leader nothing', async () => {
  const world = new World(4);
  const first = world.add();
  await world.pass(3_000);
  const standby = world.add();
  await world.pass(1_000);
  world.lease.lose();
  for (let passed = 0; passed < 6_000; passed += 50) {
    await world.pass(50);
    // What it passes on is not refused for that moment, and long polls go on.
    expect(standby.seat.leader?.url).toBe('http://0');
  }
  expect(first.seat.fence).toBe(1);
  expect(first.seat.serving).not.toBeNull();
});

test('while the database is away the lease is kept and tried; a console that cannot lead leaves it to the others', async () => {
  const world = new World(5);
  const first = world.add();
  first.databaseAway = true;
  await world.pass(8_000);
  expect(first.seat.serving).toBeNull();
  expect(first.seat.fence).toBeNull();
  first.databaseAway = false;
  await world.pass(1_000);
  expect(first.seat.serving).not.toBeNull();

  const other = new World(6);
  const unfit = other.add();
  unfit.unfit = true;
  await other.pass(3_000);
  const fit = other.add();
  await other.pass(4_000);
  expect(fit.seat.serving).not.toBeNull();
  expect(unfit.seat.serving).toBeNull();
  expect(unfit.seat.leader?.url).toBe('http://1');
});

test('a lease that Redis refuses to give or renew is told to leader and standby with the reason, once until it goes well again', async () => {
  const world = new World(7);
  world.add();
  await world.pass(3_000);
  world.add();
  await world.pass(1_000);
  const told = (): number[] =>
    world.members.map(({ warnings }) => warnings.filter((each) => /could not be asked for.*away/.test(each)).length);
  expect(told()).toEqual([0, 0]);
  for (const times of [1, 2]) {
    world.lease.away = true;
    await world.pass(8_000);
    expect(told()).toEqual([times, times]);
    world.lease.away = false;
    await world.pass(8_000);
  }
  expect(world.leaders()).toHaveLength(1);
});
