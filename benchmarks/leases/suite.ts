import { MemoryStore, openQuotas, type Quota, type Store } from '@weir/quota';
import { RedisStore } from '@weir/quota-redis';
import { startRedis } from '@weir/testkit/redis';
import { nanosecondsOf } from '../load/batches.ts';
import { inRounds } from '../load/rounds.ts';
import { median } from '../load/statistics.ts';
import { hotSubject, manySubjects, type Workload } from '../load/subjects.ts';
import { awaitingTakes, decidingNow } from '../memory/limiters.ts';
import { nodeRedis } from '../redis/clients.ts';
import type { Suite, Target } from '../report/section.ts';
import { figure, table } from '../report/table.ts';

const WANTED = 5_000_000;
const workloads: readonly Workload[] = [hotSubject, manySubjects(1_000)];

interface Leased {
  readonly name: string;
  readonly store: Store;
  readonly lease: number;
}

const notes = `A process draws blocks of n takes from the counter and spends them itself. \`takeNow\` decides without a promise while there is a block,
and \`take\` is awaited when there is none. Blocks come from the memory store of the process, or from Redis over node-redis (a round trip each).`;

export const leasesSuite: Suite = async (pace, progress) => {
  progress.stage('leases');
  const server = await startRedis();
  const client = await nodeRedis(server.url, false);
  const close: (() => Promise<void>)[] = [];
  try {
    const leased: readonly Leased[] = [
      { name: 'memory, lease 1,000', store: new MemoryStore(), lease: 1_000 },
      { name: 'Redis, lease 1,000', store: new RedisStore({ client }), lease: 1_000 },
      { name: 'Redis, lease 10,000', store: new RedisStore({ client }), lease: 10_000 },
    ];
    const ways = leased.flatMap(({ name, store, lease }) => {
      const quotas = openQuotas({ store });
      close.push(() => quotas.close());
      const define = (id: string): Quota => quotas.define({ id: `${id}-${lease}`, limit: 1e12, period: 'hour', lease });
      return [
        { name: `${name}: takeNow`, batch: decidingNow(define('now')) },
        { name: `${name}: await take`, batch: awaitingTakes(define('await')) },
      ];
    });
    const cells = (durationMs: number) =>
      workloads.map((workload) =>
        ways.map(({ name, batch }) => ({
          label: `${workload.name}, ${name}`,
          measure: () => nanosecondsOf(durationMs, () => batch(workload.subjects)),
        })),
      );
    await inRounds(1, cells(pace.sliceMs), (text) => progress.step(`warm-up, ${text}`));
    const costs = await inRounds(pace.rounds, cells(pace.sliceMs), progress.step);
    const speed = (workload: Workload, name: string): number =>
      1e9 / median(costs.get(`${workload.name}, ${name}`) ?? []);
    const rows = ways.map(({ name }) => [name, ...workloads.map((workload) => figure(speed(workload, name)))]);
    return {
      title: 'Leases',
      text: `${notes}\n\n${table(['takes/s', ...workloads.map(({ name }) => name)], rows)}`,
      targets: leased.map(({ name }) => target(name, speed)),
    };
  } finally {
    await Promise.all(close.map((each) => each()));
    await client.quit();
    await server.stop();
  }
};

function target(name: string, speed: (workload: Workload, name: string) => number): Target {
  const best = speed(hotSubject, `${name}: takeNow`);
  return {
    text: `Blocks from ${name}, ${hotSubject.name}, takeNow`,
    wanted: `≥ ${figure(WANTED / 1e6)} M/s`,
    measured: `${figure(best / 1e6)} M/s (await take: ${figure(speed(hotSubject, `${name}: await take`) / 1e6)} M/s)`,
    met: best >= WANTED,
  };
}
