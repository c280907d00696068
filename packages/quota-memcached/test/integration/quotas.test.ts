import { Quotas } from '@weir/quota';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMemcached, type MemcachedServer } from '@weir/testkit/memcached';
import { MemcachedStore } from '../../src/index.ts';

let server: MemcachedServer;
const open: { close(): Promise<unknown> }[] = [];
const DAY_MS = 86_400_000;

beforeAll(async () => {
  server = await startMemcached();
});

afterAll(async () => {
  for (const opened of open.toReversed()) await opened.close();
  await server.stop();
});

function engine(skewMs = 0): Quotas {
  const clock = (): number => Date.now() + skewMs;
  const store = new MemcachedStore({ servers: server.address, callTimeoutMs: 20_000 }, { clock });
  const quotas = new Quotas({ store, clock, healthEveryMs: 0 });
  open.push(store, quotas);
  return quotas;
}

describe('periods longer than memcached takes for a lifetime', () => {
  test.each([
    ['31 days', { unit: 'day', count: 31 }],
    ['a month', { unit: 'month', count: 1 }],
    ['three months', { unit: 'month', count: 3 }],
    ['a year', { unit: 'month', count: 12 }],
  ] as const)(
    'a limit over %s holds, and its counter lives until the end of the period and a day',
    async (label, period) => {
      const quota = engine().define({ id: `long-${label}`, limit: 5, period, budgetMs: 30_000 });
      const decisions = [];
      for (let turn = 0; turn < 8; turn++) decisions.push(await quota.take('tenant'));
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false, false]);
      const entry = (await server.entries()).find(({ key }) =>
        key.startsWith(`wq1:long-${label.replaceAll(' ', '%20')}:`),
      );
      const marginMs = DAY_MS;
      expect(entry?.expiresAtSeconds).toBe(Math.ceil(((decisions[0]?.resetAt ?? 0) + marginMs) / 1_000));
    },
  );
});

test('clients whose clocks are 30 s apart share one limit exactly', async () => {
  const engines = [engine(-30_000), engine(0), engine(30_000)];
  // A period of ten years, so that the test is not at the edge of one.
  const quotas = engines.map((quotas) =>
    quotas.define({ id: 'skewed', limit: 300, period: { unit: 'month', count: 120 }, budgetMs: 30_000 }),
  );
  const decisions = await Promise.all(
    quotas.flatMap((quota) => Array.from({ length: 200 }, () => quota.take('tenant'))),
  );
  expect(decisions.filter(({ source }) => source.startsWith('outage'))).toEqual([]);
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(300);
});

test('by the clock of the store, clients whose clocks are hours apart agree on the period', async () => {
  const engines = [engine(-7_200_000), engine(0), engine(7_200_000)];
  await Promise.all(engines.map((quotas) => quotas.ready()));
  const decisions = [];
  for (const quotas of engines) {
    const quota = quotas.define({ id: 'agreed', limit: 10, period: 'hour', clock: 'store', budgetMs: 30_000 });
    decisions.push(await quota.take('tenant'));
  }
  expect(decisions.map(({ used }) => used)).toEqual([1, 2, 3]);
  expect(new Set(decisions.map(({ resetAt }) => resetAt)).size).toBe(1);
});

test('leases, refunds, reservations, groups and idempotency keys work on memcached and leave nothing undated', async () => {
  const quotas = engine();
  await quotas.ready();
  const base = { period: { unit: 'month', count: 120 }, budgetMs: 30_000 } as const;
  const leased = quotas.define({ id: 'leased', limit: 1_000, lease: 100, ...base });
  const plain = quotas.define({ id: 'plain', limit: 10, ...base });
  const other = quotas.define({ id: 'other', limit: 3, ...base });
  const held = quotas.define({ id: 'held', limit: 100, reservationMs: 60_000, ...base });
  const many = await Promise.all(Array.from({ length: 1_500 }, () => leased.take('tenant')));
  expect(many.filter(({ allowed }) => allowed)).toHaveLength(1_000);

  const once = await plain.take('tenant', 4, { idempotencyKey: 'order-1' });
  const again = await plain.take('tenant', 4, { idempotencyKey: 'order-1' });
  expect([once.allowed, again.allowed, again.replayed]).toEqual([true, true, true]);
  expect((await plain.peek('tenant')).used).toBe(4);
  await plain.refund(once.receipt);
  expect((await plain.peek('tenant')).used).toBe(0);

  const parts = [
    { quota: plain, subject: 'group', cost: 2 },
    { quota: other, subject: 'group', cost: 2 },
  ];
  expect((await quotas.takeAll(parts)).allowed).toBe(true);
  expect((await quotas.takeAll(parts)).allowed).toBe(false);
  expect((await plain.peek('group')).used).toBe(2);

  const reservation = await held.reserve('tenant', 60);
  expect(reservation.allowed).toBe(true);
  expect((await held.take('tenant', 60)).allowed).toBe(false);
  expect((await server.entries()).filter((entry) => entry.expiresAtSeconds === -1)).toEqual([]);
});
