import { BATCH, nanosecondsOf } from '../load/batches.ts';
import { heapBytes } from '../load/heap.ts';
import { inRounds } from '../load/rounds.ts';
import { median, medianRatio } from '../load/statistics.ts';
import { hotSubject, manySubjects, subject, type Workload } from '../load/subjects.ts';
import type { Suite, Target } from '../report/section.ts';
import { figure, table, times } from '../report/table.ts';
import { flexibleMemory, memoryContestants, weirTake, weirTakeNow, type MemoryContestant } from './limiters.ts';

/** 100,000 are more subjects than an engine of Weir remembers places of (65,536). */
const workloads: readonly Workload[] = [manySubjects(1_000), hotSubject, manySubjects(100_000)];

const SIZED = 100_000;

export const memorySuite: Suite = async (pace, progress) => {
  progress.stage('memory');
  const limiters = workloads.map((workload) => ({
    workload,
    open: memoryContestants.map((contestant) => ({ contestant, limiter: contestant.open() })),
  }));
  const cells = (durationMs: number) =>
    limiters.map(({ workload, open }) =>
      open.map(({ contestant, limiter }) => ({
        label: `${workload.name}, ${contestant.name}`,
        measure: () => nanosecondsOf(durationMs, () => limiter.batch(workload.subjects)),
      })),
    );
  await inRounds(1, cells(pace.sliceMs), (text) => progress.step(`warm-up, ${text}`));
  const costs = await inRounds(pace.rounds, cells(pace.sliceMs), progress.step);
  for (const { open } of limiters) for (const { limiter } of open) await limiter.close();
  const of = (workload: Workload, { name }: MemoryContestant): readonly number[] =>
    costs.get(`${workload.name}, ${name}`) ?? [];
  const tables = workloads.map((workload) => {
    const base = of(workload, flexibleMemory);
    const rows = memoryContestants.map((contestant) => {
      const each = of(workload, contestant);
      return [contestant.name, figure(1e9 / median(each)), times(medianRatio(base, each)), figure(median(each))];
    });
    return `### ${workload.name}\n\n${table(['', 'takes/s', 'ratio', 'ns/take'], rows)}`;
  });
  progress.step('bytes per counter');
  const sizes: string[][] = [];
  for (const contestant of memoryContestants) {
    if (contestant !== weirTakeNow) sizes.push([contestant.name, figure(await bytesOf(contestant))]);
  }
  const size = `### Bytes per counter\n\nGrowth of the heap with ${figure(SIZED)} subjects.\n\n${table(['', 'bytes'], sizes)}`;
  return {
    title: 'Counters in memory',
    text: [notes, ...tables, size].join('\n\n'),
    targets: workloads.flatMap((workload) => targets(workload, of)),
  };
};

const notes = `One process; every take is awaited before the next one, but those of \`takeNow\`, which needs no promise when the store is in the
process. Timed in batches of ${figure(BATCH)}. express-rate-limit's store is measured without the middleware around it; it counts, and leaves
limits to the middleware. Ratios are to RateLimiterMemory.`;

function targets(
  workload: Workload,
  of: (workload: Workload, contestant: MemoryContestant) => readonly number[],
): Target[] {
  return [weirTakeNow, weirTake].map((contestant) => {
    const measured = medianRatio(of(workload, flexibleMemory), of(workload, contestant));
    return {
      text: `Memory, ${workload.name}: ${contestant.name}, to RateLimiterMemory`,
      wanted: '≥ 3×',
      measured: times(measured),
      met: measured >= 3,
    };
  });
}

async function bytesOf(contestant: MemoryContestant): Promise<number> {
  const limiter = contestant.open();
  const subjects = Array.from({ length: SIZED }, (_, index) => subject(index));
  await limiter.batch(['warm']);
  const before = heapBytes();
  for (let done = 0; done < SIZED; done += BATCH) await limiter.batch(subjects);
  const bytes = (heapBytes() - before) / SIZED;
  await limiter.close();
  return bytes;
}
