import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { inRounds, type Cell } from '../load/rounds.ts';
import type { Slice } from '../load/slice.ts';
import type { Suite } from '../report/section.ts';
import { contestants, labelOf, oneClientEach, type Contestant } from './contestants.ts';
import { counterSizes } from './counter-size.ts';
import { leftovers } from './leftovers.ts';
import { LimiterProcess, workloads } from './limiter-process.ts';
import { costTable, leftoverTable, notes, speedTable, speedTargets } from './report.ts';
import { costsOf, type ServerCosts } from './server-costs.ts';

const CONCURRENCIES = [1, 64, 256] as const;
const PERIOD_SECONDS = 3_600;

/** Takes whose costs for the server are counted. */
const COUNTED_TAKES = 4_000;
const COUNTED_CONCURRENCY = 64;

export const quotaSuite: Suite = async (pace, progress) => {
  progress.stage('quota on Redis');
  const server = await startRedis();
  const limiters = new Map(
    contestants.map((contestant) => [contestant, new LimiterProcess(server.url, contestant, PERIOD_SECONDS)]),
  );
  const killAll = (): Promise<unknown> => Promise.all(Array.from(limiters.values(), (limiter) => limiter.kill()));
  try {
    progress.step('starting the processes');
    await Promise.all(Array.from(limiters.values(), (limiter) => limiter.ready()));
    const cells = (durationMs: number): Cell<Slice>[][] =>
      workloads.flatMap((workload) =>
        CONCURRENCIES.map((concurrency) =>
          Array.from(limiters, ([contestant, limiter]) => ({
            label: cellLabel(workload.name, concurrency, contestant),
            measure: () => limiter.slice(workload, concurrency, durationMs),
          })),
        ),
      );
    // Code is compiled, scripts are loaded and counters are made before anything counts.
    await inRounds(1, cells(pace.sliceMs / 2), (text) => progress.step(`warm-up, ${text}`));
    const slices = await inRounds(pace.rounds, cells(pace.sliceMs), progress.step);
    const costs = await serverCosts(server, limiters, progress.step);
    await killAll();
    const sizes = await counterSizes(server, progress.step);
    const left = await leftovers(server, progress.step);
    const of = (workload: string, concurrency: number, contestant: Contestant): readonly Slice[] =>
      slices.get(cellLabel(workload, concurrency, contestant)) ?? [];
    const speeds = workloads.flatMap(({ name }) =>
      CONCURRENCIES.map(
        (concurrency) =>
          `### ${name}, ${concurrency} at a time\n\n${speedTable((contestant) => of(name, concurrency, contestant))}`,
      ),
    );
    return {
      title: 'Quotas on Redis',
      text: [notes, ...speeds, costTable(costs, sizes, oneClientEach), leftoverTable(left)].join('\n\n'),
      targets: speedTargets(
        of,
        workloads.map(({ name }) => name),
      ),
    };
  } finally {
    await killAll();
    await server.stop();
  }
};

function cellLabel(workload: string, concurrency: number, contestant: Contestant): string {
  return `${workload}, ${concurrency} at a time, ${labelOf(contestant)}`;
}

/** @returns costs per take by label, for each workload. */
async function serverCosts(
  server: RedisServer,
  limiters: ReadonlyMap<Contestant, LimiterProcess>,
  progress: (text: string) => void,
): Promise<ReadonlyMap<string, readonly ServerCosts[]>> {
  const costs = new Map<string, readonly ServerCosts[]>();
  for (const [contestant, limiter] of limiters) {
    progress(`commands and bytes: ${labelOf(contestant)}`);
    const each: ServerCosts[] = [];
    for (const workload of workloads) {
      const run = (): Promise<Slice> => limiter.count(workload, COUNTED_CONCURRENCY, COUNTED_TAKES);
      each.push(await costsOf(server, COUNTED_TAKES, run));
    }
    costs.set(labelOf(contestant), each);
  }
  return costs;
}
