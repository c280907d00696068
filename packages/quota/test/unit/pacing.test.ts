import { expect, test } from 'vitest';
import type { Decision } from '../../src/index.ts';
import type { Timers } from '../../src/host.ts';
import { flush, RemoteStore, World } from '../world.ts';

/** Turns of an event loop that pass when they are told to. */
class Turns {
  readonly #next: (() => void)[] = [];

  of(timers: Timers): Timers {
    return { ...timers, soon: (run) => void this.#next.push(run) };
  }

  get waiting(): number {
    return this.#next.length;
  }

  async pass(): Promise<void> {
    for (const run of this.#next.splice(0)) run();
    await flush();
  }
}

const subjects = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);

test('many counters travel in batches of a half, one per turn, and every take is decided', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const turns = new Turns();
  const quotas = world.open(store, { timers: turns.of(world.timers) });
  const quota = quotas.define({ id: 'q', limit: 5, period: 'hour' });
  const takes = subjects(90).map((subject) => quota.take(subject));
  await flush();
  expect(store.draws.map((draws) => draws.length)).toEqual([45]);
  while (turns.waiting > 0) await turns.pass();
  expect(store.draws.map((draws) => draws.length)).toEqual([45, 45]);
  expect(new Set(store.draws.flat().map(({ key }) => key)).size).toBe(90);
  const decisions = await world.settle(Promise.all(takes));
  expect(decisions.every(({ allowed, used }) => allowed && used === 1)).toBe(true);
});

/** Sizes of the batches that takes from so many subjects become. */
async function sizes(count: number): Promise<number[]> {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const turns = new Turns();
  const quota = world.open(store, { timers: turns.of(world.timers) }).define({ id: 'q', limit: 5, period: 'hour' });
  const takes = subjects(count).map((subject) => quota.take(subject));
  await flush();
  while (turns.waiting > 0) await turns.pass();
  await world.settle(Promise.all(takes));
  return store.draws.map((draws) => draws.length);
}

test('few counters are not held back, and batches have bounds', async () => {
  expect(await sizes(32)).toEqual([32]);
  expect(await sizes(40)).toEqual([32, 8]);
  expect(await sizes(1_000)).toEqual([...Array.from({ length: 15 }, () => 64), 40]);
});

test('few counters wait a turn for company while others are under way, and no longer', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const turns = new Turns();
  const quota = world.open(store, { timers: turns.of(world.timers) }).define({ id: 'q', limit: 5, period: 'hour' });
  const sent = (): number[] => store.draws.map((draws) => draws.length);
  const take = async (from: number, to: number): Promise<void> => {
    for (const subject of subjects(47).slice(from, to)) void quota.take(subject);
    await flush();
  };
  await take(0, 20);
  expect(sent()).toEqual([20]);
  await take(20, 25);
  await turns.pass();
  await take(25, 37);
  expect(sent()).toEqual([20]);
  await turns.pass();
  expect(sent()).toEqual([20, 17]);
  await take(37, 47);
  while (turns.waiting > 0) await turns.pass();
  expect(sent()).toEqual([20, 17, 10]);
});

test('a process whose turns are long does not take a store that answers for one that is away', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const turns = new Turns();
  const quotas = world.open(store, { timers: turns.of(world.timers) });
  const quota = quotas.define({ id: 'q', limit: 5, period: 'hour', budgetMs: 500 });
  const takes = subjects(1_000).map((subject) => quota.take(subject));
  await flush();
  while (turns.waiting > 0) {
    await world.advance(40);
    await turns.pass();
  }
  const decisions = await world.settle(Promise.all(takes));
  expect(decisions.every(({ source, allowed }) => allowed && source === 'store')).toBe(true);
  expect(store.draws.map((draws) => draws.length)).toEqual([64, 936]);
});

test('takes that waited as long behind a slow answer travel together, apart from those that came since', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory(), () => 200);
  const quota = world.open(store).define({ id: 'q', limit: 5, period: 'hour', budgetMs: 500 });
  const take = (): Promise<Decision>[] => subjects(60).map((subject) => quota.take(subject));
  const takes = take();
  await world.advance(1);
  takes.push(...take());
  await world.advance(199);
  takes.push(quota.take('new'));
  const decisions = await world.settle(Promise.all(takes));
  expect(decisions.every(({ source }) => source === 'store')).toBe(true);
  expect(store.draws.map((draws) => draws.length).sort((a, b) => a - b)).toEqual([1, 60, 60]);
});

test('draws that the store never answers hold nobody back once they were given up', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const turns = new Turns();
  const quotas = world.open(store, { timers: turns.of(world.timers) });
  const quota = quotas.define({ id: 'q', limit: 5, period: 'hour', budgetMs: 500 });
  store.weather = 'silent';
  const lost = quota.take('lost');
  await world.advance(500);
  expect((await lost).source).toBe('outage-closed');
  store.weather = 'fine';
  void quota.take('next');
  await flush();
  expect(store.draws).toHaveLength(2);
});

test('a host without turns sends everything at once', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const quota = world.open(store).define({ id: 'q', limit: 5, period: 'hour' });
  const takes = subjects(90).map((subject) => quota.take(subject));
  await world.settle(Promise.all(takes));
  expect(store.draws.map((draws) => draws.length)).toEqual([90]);
});

test('takes that wait for their turn when the engine closes are decided by the outage policy', async () => {
  const world = new World();
  const store = new RemoteStore(world, world.memory());
  const turns = new Turns();
  const quotas = world.open(store, { timers: turns.of(world.timers) });
  const quota = quotas.define({ id: 'q', limit: 5, period: 'hour', outage: 'open' });
  const takes = subjects(50).map((subject) => quota.take(subject));
  await flush();
  await quotas.close();
  const decisions = await Promise.all(takes);
  expect(decisions.map(({ source }) => source)).toEqual(Array.from({ length: 50 }, () => 'outage-open'));
  await turns.pass();
  expect(store.draws).toHaveLength(1);
});
