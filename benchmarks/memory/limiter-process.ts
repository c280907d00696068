import { BATCH, nanosecondsOf } from '../load/batches.ts';
import { heapBytes } from '../load/heap.ts';
import { answerRequests, MeasuringProcess } from '../load/measuring-process.ts';
import { hotSubject, manySubjects, subject, type Workload } from '../load/subjects.ts';
import { memoryContestants, type MemoryContestant } from './limiters.ts';

/** With 100,000 most of what a take costs is reading memory that is in no cache. */
export const workloads: readonly Workload[] = [manySubjects(1_000), hotSubject, manySubjects(100_000)];

/** The word for `main.ts`. */
export const MEMORY_LIMITER = 'memory-limiter';

/** Subjects for the size of a counter. */
export const SIZED = 100_000;

interface Figure {
  readonly figure: number;
}

function isFigure(value: unknown): value is Figure {
  return typeof value === 'object' && value !== null && 'figure' in value && typeof value.figure === 'number';
}

/** A limiter whose counters live in a process of its own; one for each workload, so that sizes do not add up. */
export class MemoryLimiterProcess {
  readonly #process: MeasuringProcess<Figure>;

  constructor(contestant: MemoryContestant, workload: Workload) {
    const args = [MEMORY_LIMITER, String(memoryContestants.indexOf(contestant)), String(workloads.indexOf(workload))];
    this.#process = new MeasuringProcess(args, isFigure);
  }

  async nanoseconds(durationMs: number): Promise<number> {
    return (await this.#process.ask({ durationMs })).figure;
  }

  async bytesPerCounter(): Promise<number> {
    return (await this.#process.ask({})).figure;
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }
}

/** What runs in such a process. */
export function beMemoryLimiter([index = '', workload = '']: readonly string[]): void {
  const contestant = memoryContestants[Number(index)];
  if (contestant === undefined) throw new Error(`there is no contestant ${index}`);
  const { batch } = contestant.open();
  const { subjects } = workloads[Number(workload)] ?? hotSubject;
  answerRequests(async ({ durationMs }) => ({
    figure: await (durationMs === undefined
      ? bytesOf(contestant)
      : nanosecondsOf(Number(durationMs), () => batch(subjects))),
  }));
}

async function bytesOf(contestant: MemoryContestant): Promise<number> {
  const { batch, close } = contestant.open();
  const subjects = Array.from({ length: SIZED }, (_, index) => subject(index));
  await batch(['warm']);
  const before = heapBytes();
  for (let done = 0; done < SIZED; done += BATCH) await batch(subjects);
  const bytes = (heapBytes() - before) / SIZED;
  await close();
  return bytes;
}
