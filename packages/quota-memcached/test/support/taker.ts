import { Quotas } from '@weir/quota';
import { MemcachedStore } from '../../src/index.ts';

/** What a process of a test is to do; the first argument of this program, as JSON. */
export interface TakerOrder {
  readonly server: string;
  /** Same in all processes of a test. */
  readonly quotaId: string;
  readonly limit: number;
  readonly takes: number;
  /** Subjects, taken from in turn. */
  readonly subjects: number;
  readonly concurrency: number;
  readonly costs: readonly number[];
  /** The period, `year` unless a test waits for its end. */
  readonly seconds?: number;
}

/** What it did, printed as one line of JSON. */
export interface TakerReport {
  readonly admitted: number;
  readonly charged: number;
  readonly refused: number;
  /** Decisions made without the store. */
  readonly withoutStore: number;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by fleet.ts from a TakerOrder
const order = JSON.parse(process.argv[2] ?? '{}') as TakerOrder;
const store = new MemcachedStore({ servers: order.server, callTimeoutMs: 30_000 });
const quotas = new Quotas({ store, healthEveryMs: 0 });
await quotas.ready();
const quota = quotas.define({
  id: order.quotaId,
  limit: order.limit,
  period: order.seconds === undefined ? { unit: 'month', count: 12 } : { unit: 'second', count: order.seconds },
  ...(order.seconds === undefined ? {} : { marginMs: 1_000 }),
  // A busy machine is no outage: every decision must come from the store.
  budgetMs: 60_000,
});

process.stdout.write('ready\n');
await new Promise((resolve) => {
  process.stdin.once('data', resolve);
});

const report = { admitted: 0, charged: 0, refused: 0, withoutStore: 0 };
let left = order.takes;
await Promise.all(
  Array.from({ length: order.concurrency }, async () => {
    while (left > 0) {
      left -= 1;
      const cost = order.costs[left % order.costs.length] ?? 1;
      const decision = await quota.take(`subject-${left % order.subjects}`, cost);
      if (decision.source.startsWith('outage')) report.withoutStore += 1;
      if (decision.allowed) {
        report.admitted += 1;
        report.charged += cost;
      } else report.refused += 1;
    }
  }),
);
await quotas.close();
await store.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);
