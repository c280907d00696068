import {
  companionKey,
  counterKey,
  keyPrefix,
  openQuotas,
  periodAt,
  zoneNamed,
  type Decision,
  type Quotas,
} from '@weir/quota';
import { expect } from 'vitest';
import { eventually, type Bench, type Case } from './harness.ts';

const SKEWS_MS = [-30_000, 0, 30_000];
const DAY = { unit: 'day', count: 1 } as const;

/** Runs with one engine per clock skew, each over a connection of its own, and closes them. */
async function withEngines(
  b: Bench,
  skewsMs: readonly number[],
  run: (engines: readonly Quotas[]) => Promise<void>,
): Promise<void> {
  const engines: Quotas[] = [];
  for (const skewMs of skewsMs) {
    engines.push(openQuotas({ store: await b.open(), clock: () => b.now() + skewMs, healthEveryMs: 0 }));
  }
  try {
    await run(engines);
  } finally {
    for (const engine of engines) await engine.close();
  }
}

function admitted(decisions: readonly Decision[]): number {
  return decisions.reduce((sum, one) => sum + (one.allowed ? one.cost : 0), 0);
}

/** All keys that a quota uses for a subject today, also those of neighbours in time under other clocks. */
function keysOf(b: Bench, quotaId: string, subject: string): string[] {
  const prefix = keyPrefix(quotaId, subject);
  return SKEWS_MS.flatMap((skewMs) => {
    const { id } = periodAt(DAY, zoneNamed('UTC'), b.now() + skewMs);
    return [
      counterKey(quotaId, subject, id),
      companionKey(prefix, 'holds', id),
      companionKey(prefix, 'reset', id),
      companionKey(prefix, 'once', 'order-1'),
    ];
  });
}

/** The engine on this store: what its users rely on. */
export const engineCases: readonly Case[] = [
  {
    guarantee: 'several engines, their clocks 30 s apart, admit the limit exactly and leave only dated counters',
    check: (b) =>
      withEngines(b, SKEWS_MS, async (engines) => {
        const subject = b.key('exact');
        const limit = b.contention;
        const quotas = engines.map((engine) => engine.define({ id: 'suite', limit, period: 'day', budgetMs: 30_000 }));
        const takes = quotas.flatMap((quota) => Array.from({ length: limit }, () => quota.take(subject)));
        const decisions = await Promise.all(takes);
        // Near midnight the skewed clocks are in two days; each has its limit.
        for (const period of new Set(decisions.map((one) => one.period))) {
          const own = decisions.filter((one) => one.period === period);
          expect(admitted(own)).toBe(Math.min(limit, own.length));
        }
        for (const key of keysOf(b, 'suite', subject)) expect(await b.harness.deadlineOf(key)).not.toBe('undated');
      }),
  },
  {
    guarantee: 'mixed costs, groups and blocks of several engines never pass the limit',
    check: (b) =>
      withEngines(b, [0, 0, 0], async (engines) => {
        const subject = b.key('mixed');
        const limit = 500;
        const period = { unit: 'day', count: 7 } as const;
        const runs = engines.map(async (engine, index) => {
          const plain = { id: 'suite', limit, period, budgetMs: 30_000 };
          const quota = engine.define(index === 2 ? { ...plain, lease: 20 } : plain);
          let sum = 0;
          for (let turn = 0; turn < 40; turn++) {
            const cost = 1 + ((turn * 5 + index) % 9);
            const decisions = await Promise.all([quota.take(subject, cost), quota.take(subject, 1)]);
            const group = await engine.takeAll([{ quota, subject, cost: 2 }]);
            sum += admitted([...decisions, ...group.decisions]);
          }
          return sum;
        });
        const sums = await Promise.all(runs);
        expect(sums.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(limit);
      }),
  },
  {
    guarantee: 'every verb leaves only dated entries behind',
    check: (b) =>
      withEngines(b, [0], async (engines) => {
        const subject = b.key('verbs');
        for (const engine of engines) {
          const quota = engine.define({
            id: 'suite',
            limit: 100,
            period: 'day',
            budgetMs: 10_000,
            reservationMs: 60_000,
          });
          const take = await quota.take(subject, 5);
          expect(await quota.refund(take, 2)).toMatchObject({ refunded: 2, used: 3 });
          expect(await quota.take(subject, 4, { idempotencyKey: 'order-1' })).toMatchObject({ allowed: true, used: 7 });
          expect(await quota.take(subject, 4, { idempotencyKey: 'order-1' })).toMatchObject({
            replayed: true,
            used: 7,
          });
          const reservation = await quota.reserve(subject, 10);
          expect(await quota.peek(subject)).toMatchObject({ used: 17 });
          expect(await quota.settle(reservation, 4)).toMatchObject({ outcome: 'settled', returned: 6 });
          expect(await quota.peek(subject)).toMatchObject({ used: 11, remaining: 89 });
          const refundKey = companionKey(keyPrefix('suite', subject), 'refund', take.receipt.id);
          const held = await Promise.all(
            [...keysOf(b, 'suite', subject), refundKey].map((key) => b.harness.deadlineOf(key)),
          );
          expect(held).not.toContain('undated');
          expect(held.filter((one) => typeof one === 'number').length).toBeGreaterThanOrEqual(4);
          await quota.reset(subject);
          expect(await quota.peek(subject)).toMatchObject({ used: 0 });
          expect(await quota.refund(take, 1)).toMatchObject({ refunded: 0 });
          expect(await quota.take(subject, 100)).toMatchObject({ allowed: true, used: 100 });
        }
      }),
  },
  {
    guarantee: 'two periods after load stops nothing is left',
    check: (b) =>
      withEngines(b, [0], async (engines) => {
        const subject = b.key('gone');
        const keys = new Set<string>();
        for (const engine of engines) {
          const quota = engine.define({ id: 'suite', limit: 3, period: 'second', marginMs: 1_000, budgetMs: 10_000 });
          for (let turn = 0; turn < 10; turn++) {
            const { period } = await quota.take(subject);
            keys.add(counterKey('suite', subject, period));
          }
        }
        await b.pass(1_000 + 1_000 + b.slackMs + 1_100);
        for (const key of keys) expect(await b.harness.deadlineOf(key)).toBe('absent');
        expect(await b.store.read([...keys])).toEqual([...keys].map(() => undefined));
      }),
  },
  {
    guarantee: 'while the server is silent every decision comes within its budget, and counting goes on afterwards',
    check: (b) =>
      withEngines(b, [0], async ([engine]) => {
        const subject = b.key('silent');
        const quota = engine?.define({ id: 'suite', limit: 1_000, period: { unit: 'day', count: 2 }, budgetMs: 300 });
        if (quota === undefined) throw new Error('no engine');
        expect(await quota.take(subject)).toMatchObject({ allowed: true, source: 'store' });
        const during = async (): Promise<void> => {
          for (let turn = 0; turn < 3; turn++) {
            const startMs = performance.now();
            await Promise.all([quota.take(subject), quota.take(subject), quota.take(b.key('silent-too'))]);
            // The budget, and as much again for a busy machine.
            expect(performance.now() - startMs).toBeLessThan(1_000);
          }
        };
        await (b.harness.faults?.stall?.(during) ?? during());
        await eventually(b.recoveryMs + 15_000, async () => {
          const decision = await quota.take(subject);
          expect(decision).toMatchObject({ allowed: true, source: 'store' });
        });
      }),
  },
];
