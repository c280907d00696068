import { startRedis, type RedisServer } from '@weir/testkit/redis';
import { inRounds, type Cell } from '../load/rounds.ts';
import { runSlice, type Slice } from '../load/slice.ts';
import { hotSubject, manySubjects, type Workload } from '../load/subjects.ts';
import type { Suite } from '../report/section.ts';
import { contestants, labelOf, markOf, oneClientEach, type Contestant } from './contestants.ts';
import { counterSizes } from './counter-size.ts';
import { leftovers } from './leftovers.ts';
import type { Limiter } from './limiter.ts';
import { costTable, leftoverTable, notes, speedTable, speedTargets } from './report.ts';
import { costsOf, type ServerCosts } from './server-costs.ts';

const workloads: readonly Workload[] = [manySubjects(1_000), hotSubject];
const CONCURRENCIES = [1, 64, 256] as const;

/** No take is refused: the fast path keeps away from limits, and what a refusal costs is another question. */
const RULE = { limit: 1_000_000_000, periodSeconds: 3_600 };

/** Takes whose costs for the server are counted. */
const COUNTED_TAKES = 4_000;
const COUNTED_CONCURRENCY = 64;

export const quotaSuite: Suite = async (pace, progress) => {
  const server = await startRedis();
  const limiters = new Map<Contestant, Limiter>();
  try {
    progress.stage('quota on Redis');
    for (const contestant of contestants) {
      limiters.set(contestant, await contestant.open(server.url, { ...RULE, mark: markOf(contestant) }));
    }
    const cells = (durationMs: number): Cell<Slice>[][] =>
      workloads.flatMap((workload) =>
        CONCURRENCIES.map((concurrency) =>
          Array.from(limiters, ([contestant, { take }]) => ({
            label: cellLabel(workload.name, concurrency, contestant),
            measure: () => runSlice({ subjects: workload.subjects, concurrency, durationMs, take }),
          })),
        ),
      );
    // Code is compiled, scripts are loaded and counters are made before anything counts.
    await inRounds(1, cells(pace.sliceMs / 2), (text) => progress.step(`warm-up, ${text}`));
    const slices = await inRounds(pace.rounds, cells(pace.sliceMs), progress.step);
    const costs = await serverCosts(server, limiters, progress.step);
    await Promise.all(Array.from(limiters.values(), (limiter) => limiter.close()));
    limiters.clear();
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
    await Promise.all(Array.from(limiters.values(), (limiter) => limiter.close()));
    await server.stop();
  }
};

function cellLabel(workload: string, concurrency: number, contestant: Contestant): string {
  return `${workload}, ${concurrency} at a time, ${labelOf(contestant)}`;
}

/** @returns costs per take, by workload and label. */
async function serverCosts(
  server: RedisServer,
  limiters: ReadonlyMap<Contestant, Limiter>,
  progress: (text: string) => void,
): Promise<ReadonlyMap<string, readonly ServerCosts[]>> {
  const costs = new Map<string, readonly ServerCosts[]>();
  for (const [contestant, { take }] of limiters) {
    progress(`commands and bytes: ${labelOf(contestant)}`);
    const each: ServerCosts[] = [];
    for (const { subjects } of workloads) {
      const run = async (): Promise<void> => {
        let next = 0;
        const worker = async (): Promise<void> => {
          while (next < COUNTED_TAKES) {
            next += 1;
            await take(subjects[next % subjects.length] ?? '');
          }
        };
        await Promise.all(Array.from({ length: COUNTED_CONCURRENCY }, worker));
      };
      each.push(await costsOf(server, COUNTED_TAKES, run));
    }
    costs.set(labelOf(contestant), each);
  }
  return costs;
}
