import { BATCH } from '../load/batches.ts';
import { inRounds, type Cell } from '../load/rounds.ts';
import { median, medianRatio } from '../load/statistics.ts';
import type { Workload } from '../load/subjects.ts';
import type { Suite, Target } from '../report/section.ts';
import { figure, table, times } from '../report/table.ts';
import { MemoryLimiterProcess, SIZED, workloads } from './limiter-process.ts';
import { flexibleMemory, memoryContestants, weirTake, weirTakeNow, type MemoryContestant } from './limiters.ts';

const WANTED = 3;

const notes = `Each limiter in a process of its own; every take is awaited before the next one, but those of \`takeNow\`, which needs no promise when
the store is in the process. Timed in batches of ${figure(BATCH)}. express-rate-limit's store is measured without the middleware around it; it
counts, and leaves limits to the middleware. Ratios are to RateLimiterMemory.`;

type Costs = (workload: Workload, contestant: MemoryContestant) => readonly number[];

export const memorySuite: Suite = async (pace, progress) => {
  progress.stage('memory');
  const limiters = workloads.map((workload) => ({
    workload,
    started: memoryContestants.map((contestant) => ({
      contestant,
      limiter: new MemoryLimiterProcess(contestant, workload),
    })),
  }));
  const all = limiters.flatMap(({ started }) => started);
  try {
    const cells = (durationMs: number): Cell<number>[][] =>
      limiters.map(({ workload, started }) =>
        started.map(({ contestant, limiter }) => ({
          label: `${workload.name}, ${contestant.name}`,
          measure: () => limiter.nanoseconds(durationMs),
        })),
      );
    await inRounds(1, cells(pace.sliceMs), (text) => progress.step(`warm-up, ${text}`));
    const results = await inRounds(pace.rounds, cells(pace.sliceMs), progress.step);
    const costs: Costs = (workload, { name }) => results.get(`${workload.name}, ${name}`) ?? [];
    progress.step('bytes per counter');
    const sizes: string[][] = [];
    for (const { contestant, limiter } of limiters[0]?.started ?? []) {
      if (contestant !== weirTakeNow) sizes.push([contestant.name, figure(await limiter.bytesPerCounter())]);
    }
    const size = `### Bytes per counter\n\nGrowth of the heap with ${figure(SIZED)} subjects.\n\n${table(['', 'bytes'], sizes)}`;
    return {
      title: 'Counters in memory',
      text: [notes, ...workloads.map((workload) => speedTable(workload, costs)), size].join('\n\n'),
      targets: workloads.flatMap((workload) => targets(workload, costs)),
    };
  } finally {
    await Promise.all(all.map(({ limiter }) => limiter.kill()));
  }
};

function speedTable(workload: Workload, costs: Costs): string {
  const base = costs(workload, flexibleMemory);
  const rows = memoryContestants.map((contestant) => {
    const each = costs(workload, contestant);
    return [contestant.name, figure(1e9 / median(each)), times(medianRatio(base, each)), figure(median(each))];
  });
  return `### ${workload.name}\n\n${table(['', 'takes/s', 'ratio', 'ns/take'], rows)}`;
}

function targets(workload: Workload, costs: Costs): Target[] {
  return [weirTakeNow, weirTake].map((contestant) => {
    const measured = medianRatio(costs(workload, flexibleMemory), costs(workload, contestant));
    return {
      text: `Memory, ${workload.name}: ${contestant.name}, to RateLimiterMemory`,
      wanted: `≥ ${times(WANTED)}`,
      measured: times(measured),
      met: measured >= WANTED,
    };
  });
}
