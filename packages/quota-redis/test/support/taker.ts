/** A process that takes from a quota, for tests of several processes and of their death. Its order comes as its argument. */
import { createInterface } from 'node:readline';
import { openQuotas } from '@weir/quota';
import { RedisStore } from '../../src/index.ts';
import { connectClient } from './harness.ts';
import type { ClientName } from './harness.ts';

/** What a taker is to do. */
export interface TakerOrder {
  readonly port: number;
  readonly client: ClientName;
  readonly fastPath: boolean;
  readonly takes: number;
  /** Takes under way at once. */
  readonly concurrency: number;
  /** Subjects, taken from in turn. */
  readonly subjects: number;
  readonly limit: number;
  readonly period: 'second' | 'month';
}

/** What it did. */
export interface TakerReport {
  readonly admitted: number;
  readonly refused: number;
  /** Decisions that the store did not make. */
  readonly withoutStore: number;
}

function isOrder(value: unknown): value is TakerOrder {
  return typeof value === 'object' && value !== null && 'takes' in value && 'port' in value;
}

const order: unknown = JSON.parse(process.argv[2] ?? '{}');
if (!isOrder(order)) throw new Error('a taker needs its order');
const { port, client: name, fastPath, takes, concurrency, subjects, limit, period } = order;
const { client, end } = await connectClient(name, port);
const quotas = openQuotas({ store: new RedisStore({ client, fastPath }) });
const quota = quotas.define({ id: 'api', limit, period, outage: 'closed', budgetMs: 60_000, marginMs: 1_000 });
await quotas.ready();
process.stdout.write('ready\n');

const input = createInterface({ input: process.stdin });
await new Promise<void>((resolve) => {
  input.once('line', () => resolve());
});
const report = { admitted: 0, refused: 0, withoutStore: 0 };
let next = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < takes) {
      const subject = `tenant-${next % subjects}`;
      next += 1;
      const decision = await quota.take(subject);
      if (decision.allowed) report.admitted += 1;
      else report.refused += 1;
      if (decision.source.startsWith('outage')) report.withoutStore += 1;
    }
  }),
);
process.stdout.write(`${JSON.stringify(report)}\n`);
input.close();
await quotas.close();
end();
