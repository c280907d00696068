import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { longestLeaseMs } from '../../src/fleet/overshoot-guard.ts';
import { PeriodCreditLedger, type LedgerNews } from '../../src/fleet/period-credit-ledger.ts';
import { connectRedis, type RedisConnection } from '../../src/host/redis-connection.ts';
import { sharedLedger } from '../../src/host/shared-ledger.ts';
import { LedgerUnavailable, type CreditLease } from '../../src/ports/credit-ledger.ts';
import { silentLogger } from '../support/test-console.ts';

const WINDOW_SECONDS = 1;
const LEASE_MS = longestLeaseMs(WINDOW_SECONDS * 1_000);
/** For tests in which nothing may run out, however slow the machine is. */
const LONG_WINDOW_SECONDS = 300;
const BUDGET = 1_000;

interface Leader {
  readonly ledger: PeriodCreditLedger;
  readonly news: LedgerNews[];
  readonly connection: RedisConnection;
}

let redis: RedisServer;
let leaders: Leader[];

beforeEach(async () => {
  redis = await startRedis();
  leaders = [];
});
afterEach(async () => {
  for (const { connection } of leaders) connection.close();
  await redis.stop();
});

/** A console that leads; its clocks are off by `aheadMs`. */
async function leader(aheadMs: number, mayBeHeld: boolean, windowSeconds = WINDOW_SECONDS): Promise<Leader> {
  const connection = await connectRedis(redis.url, silentLogger);
  const news: LedgerNews[] = [];
  const ledger = new PeriodCreditLedger({
    tier: sharedLedger(connection),
    windowSeconds,
    leaseMs: longestLeaseMs(windowSeconds * 1_000),
    steadyMs: () => performance.now() + aheadMs,
    shared: true,
    onNews: (item) => news.push(item),
  });
  ledger.begin(mayBeHeld);
  await ledger.keep();
  const made = { ledger, news, connection };
  leaders.push(made);
  return made;
}

let windows = 0;

function lease({ ledger }: Leader, agentId: string, wanted = BUDGET): Promise<CreditLease | null> {
  windows += 1;
  return ledger.lease({ agentId, bootId: 'b', epoch: 'e', windowNumber: windows }, wanted, BUDGET);
}

/** Asks until something is granted. @returns when it was there */
async function untilGranted(asking: Leader): Promise<number> {
  const giveUpAtMs = performance.now() + 20_000;
  while (performance.now() < giveUpAtMs) {
    const given = await lease(asking, 'late').catch(() => null);
    if (given !== null && given.credits > 0) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('nothing was granted');
}

/** Credits of the whole budget that an agent asked for now; when they have ended. */
async function spend(asking: Leader): Promise<number> {
  const askedAtMs = performance.now();
  expect((await lease(asking, 'early'))?.credits).toBe(BUDGET);
  return askedAtMs + LEASE_MS;
}

test('a new leader whose clock is ten minutes off finds what the last one granted, ends it once, and grants it anew at once', async () => {
  const first = await leader(0, false, LONG_WINDOW_SECONDS);
  const given = (await lease(first, 'a'))!;
  expect(given.credits).toBe(BUDGET);
  const second = await leader(600_000, true, LONG_WINDOW_SECONDS);
  expect((await lease(second, 'b'))?.credits).toBe(0);
  const inherited = await second.ledger.inherited('a');
  expect(inherited?.lease).toEqual(given);
  await second.ledger.end(inherited!.lease);
  const anew = await lease(second, 'b');
  expect(anew?.credits).toBe(BUDGET);
  // The first still believes that it leads, and hears late that its agent's window is over.
  await first.ledger.end(given);
  expect((await lease(first, 'c'))?.credits).toBe(0);
});

test('two consoles that both believe to lead, asked at the same time, never have more live than the budget', async () => {
  const both = [await leader(0, false), await leader(-600_000, false)] as const;
  let live = 0;
  let highest = 0;
  let granted = 0;
  const agent = async (name: string, asking: Leader) => {
    for (let turn = 0; turn < 60; turn += 1) {
      const askedAtMs = performance.now();
      const given = await lease(asking, name, 1 + ((turn * 37) % 400));
      if (given === null || given.credits === 0 || performance.now() > askedAtMs + LEASE_MS) continue;
      live += given.credits;
      granted += 1;
      highest = Math.max(highest, live);
      await new Promise((resolve) => setTimeout(resolve, turn % 4));
      live -= given.credits;
      await asking.ledger.end(given);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, index) => agent(`agent-${index}`, both[index % 2 === 0 ? 0 : 1])));
  expect(highest).toBeLessThanOrEqual(BUDGET);
  expect(highest).toBeGreaterThan(BUDGET / 2);
  expect(granted).toBeGreaterThan(100);
});

test('after a restart of Redis that lost everything nothing is granted before what was granted has ended', async () => {
  const leading = await leader(0, false);
  const endedAtMs = await spend(leading);
  await redis.restart();
  expect(await untilGranted(leading)).toBeGreaterThanOrEqual(endedAtMs);
});

test('counters that are flushed under an open connection are noticed by the next lease', async () => {
  const leading = await leader(0, false);
  const endedAtMs = await spend(leading);
  await redis.command('FLUSHALL');
  expect(await lease(leading, 'next')).toBeNull();
  expect(await untilGranted(leading)).toBeGreaterThanOrEqual(endedAtMs);
});

test('a Redis that comes back with what it had saved long ago proves nothing, although the marker is there', async () => {
  const leading = await leader(0, false);
  await redis.command('SAVE');
  const endedAtMs = await spend(leading);
  await redis.kill();
  await redis.restart();
  // A leader that was not there before the restart must notice it too.
  const next = await leader(0, true);
  expect(await untilGranted(next)).toBeGreaterThanOrEqual(endedAtMs);
});

test('while Redis is away a lease is refused as unavailable, which is told once; it is found again by itself', async () => {
  const leading = await leader(0, false);
  expect(leading.ledger.ready).toBe(true);
  await redis.kill();
  for (let turn = 0; turn < 3; turn += 1) await expect(lease(leading, 'a')).rejects.toBeInstanceOf(LedgerUnavailable);
  expect(leading.ledger.ready).toBe(false);
  expect(leading.news).toEqual([{ available: false, error: expect.any(LedgerUnavailable) }]);
  await redis.restart();
  await untilGranted(leading);
  expect(leading.ledger.ready).toBe(true);
  expect(leading.news.at(-1)).toEqual({ available: true });
});

test('every key of the ledger has a deadline', async () => {
  const leading = await leader(0, false);
  const given = (await lease(leading, 'a', 10))!;
  await lease(leading, 'b', 10);
  await leading.ledger.end(given);
  const keys = await redis.command('KEYS', '*');
  if (!Array.isArray(keys)) throw new Error('no list of keys');
  expect(keys.length).toBeGreaterThanOrEqual(4);
  for (const key of keys) expect(await redis.command('PTTL', String(key))).toBeGreaterThan(0);
});
