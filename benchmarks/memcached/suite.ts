import { openQuotas } from '@weir/quota';
import { MemcachedStore } from '@weir/quota-memcached';
import { startMemcached } from '@weir/testkit/memcached';
import { inRounds } from '../load/rounds.ts';
import { runSlice, type Slice } from '../load/slice.ts';
import { median } from '../load/statistics.ts';
import { hotSubject, manySubjects } from '../load/subjects.ts';
import type { Suite } from '../report/section.ts';
import { figure, table } from '../report/table.ts';

const workloads = [manySubjects(1_000), hotSubject];
const CONCURRENCIES = [1, 64, 256];

const notes = `Weir alone: RateLimiterMemcache needs the package memcached, which is not installed here, and no other client in npm speaks the meta
protocol.`;

export const memcachedSuite: Suite = async (pace, progress) => {
  progress.stage('quota on memcached');
  const server = await startMemcached();
  const quotas = openQuotas({ store: new MemcachedStore({ servers: [server.address] }) });
  try {
    await quotas.ready();
    const quota = quotas.define({ id: 'bench', limit: 1e9, period: 'hour' });
    const settings = workloads.flatMap((workload) => CONCURRENCIES.map((concurrency) => ({ workload, concurrency })));
    const cells = (durationMs: number) => [
      settings.map(({ workload, concurrency }) => ({
        label: `${workload.name}, ${concurrency} at a time`,
        measure: () =>
          runSlice(
            { subjects: workload.subjects, concurrency, durationMs },
            (subject) => quota.take(subject),
            (decision) => decision.allowed,
          ),
      })),
    ];
    await inRounds(1, cells(pace.sliceMs), (text) => progress.step(`warm-up, ${text}`));
    const slices = await inRounds(pace.rounds, cells(pace.sliceMs), progress.step);
    const rows = Array.from(slices, ([label, each]) => {
      const of = (read: (slice: Slice) => number): string => figure(median(each.map(read)));
      return [
        label,
        of((slice) => slice.takesPerSecond),
        of((slice) => slice.p50Ms),
        of((slice) => slice.p99Ms),
        of((slice) => slice.clientCpuUs),
      ];
    });
    return {
      title: 'Quotas on memcached',
      text: `${notes}\n\n${table(['', 'takes/s', 'p50 ms', 'p99 ms', 'CPU µs/take'], rows)}`,
      targets: [],
    };
  } finally {
    await quotas.close();
    await server.stop();
  }
};
