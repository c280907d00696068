import { openQuotas } from '@weir/quota';
import { MemcachedStore } from '@weir/quota-memcached';
import { startMemcached } from '@weir/testkit/memcached';
import Memcached from 'memcached';
import { RateLimiterMemcache } from 'rate-limiter-flexible';
import { inRounds } from '../load/rounds.ts';
import { runSlice, type Load, type Slice } from '../load/slice.ts';
import { median, medianRatio } from '../load/statistics.ts';
import { hotSubject, manySubjects } from '../load/subjects.ts';
import type { Suite } from '../report/section.ts';
import { figure, table, times } from '../report/table.ts';

const workloads = [manySubjects(1_000), hotSubject];
const CONCURRENCIES = [1, 64, 256];
const LIMIT = 1_000_000_000;
const HOUR_SECONDS = 3_600;

const notes = `Weir over its own client, and RateLimiterMemcache of rate-limiter-flexible over the package memcached, in this process, on one memcached.
memcached opens up to 10 connections by itself, Weir one. RateLimiterMemcache adds to a counter and reads its expiry by a second key, so a
take of a known subject is two requests; Weir's is one, which also dates the counter.`;

/** A limiter on memcached. */
interface Contestant {
  readonly name: string;
  readonly slice: (load: Load) => Promise<Slice>;
  readonly close: () => Promise<void>;
}

async function weir(address: string): Promise<Contestant> {
  const quotas = openQuotas({ store: new MemcachedStore({ servers: [address] }) });
  await quotas.ready();
  const quota = quotas.define({ id: 'bench', limit: LIMIT, period: 'hour' });
  return {
    name: 'Weir',
    slice: (load) =>
      runSlice(
        load,
        (subject) => quota.take(subject),
        (decision) => decision.allowed,
      ),
    close: () => quotas.close(),
  };
}

async function flexible(address: string): Promise<Contestant> {
  const client = new Memcached(address);
  const limiter = new RateLimiterMemcache({
    storeClient: client,
    points: LIMIT,
    duration: HOUR_SECONDS,
    keyPrefix: 'rlflx-bench',
  });
  return {
    name: 'RateLimiterMemcache',
    // It rejects when it refuses.
    slice: (load) =>
      runSlice(
        load,
        (subject) => limiter.consume(subject),
        () => true,
      ),
    close: async () => client.end(),
  };
}

export const memcachedSuite: Suite = async (pace, progress) => {
  progress.stage('quota on memcached');
  const server = await startMemcached();
  const contestants = [await weir(server.address), await flexible(server.address)];
  try {
    const settings = workloads.flatMap((workload) => CONCURRENCIES.map((concurrency) => ({ workload, concurrency })));
    const blocks = settings.map(({ workload, concurrency }) =>
      contestants.map(({ name, slice }) => ({
        label: labelOf(workload.name, concurrency, name),
        measure: () => slice({ subjects: workload.subjects, concurrency, durationMs: pace.sliceMs }),
      })),
    );
    await inRounds(1, blocks, (text) => progress.step(`warm-up, ${text}`));
    const slices = await inRounds(pace.rounds, blocks, progress.step);
    const rows = settings.flatMap(({ workload, concurrency }) => {
      const of = (name: string): readonly Slice[] => slices.get(labelOf(workload.name, concurrency, name)) ?? [];
      const [own, ...peers] = contestants.map(({ name }) => ({ name, slices: of(name) }));
      return [own, ...peers].flatMap((each) =>
        each === undefined
          ? []
          : [rowOf(labelOf(workload.name, concurrency, each.name), each.slices, peers[0]?.slices)],
      );
    });
    const head = ['', 'takes/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU µs/take'];
    return { title: 'Quotas on memcached', text: `${notes}\n\n${table(head, rows)}`, targets: [] };
  } finally {
    for (const { close } of contestants) await close();
    await server.stop();
  }
};

function labelOf(workload: string, concurrency: number, name: string): string {
  return `${workload}, ${concurrency} at a time, ${name}`;
}

function rates(slices: readonly Slice[]): number[] {
  return slices.map(({ takesPerSecond }) => takesPerSecond);
}

function rowOf(label: string, slices: readonly Slice[], bases: readonly Slice[] | undefined): string[] {
  const middle = (read: (slice: Slice) => number): string => figure(median(slices.map(read)));
  return [
    label,
    middle((slice) => slice.takesPerSecond),
    times(medianRatio(rates(slices), rates(bases ?? []))),
    middle((slice) => slice.p50Ms),
    middle((slice) => slice.p99Ms),
    middle((slice) => slice.clientCpuUs),
  ];
}
