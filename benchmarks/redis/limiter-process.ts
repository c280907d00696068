import { answerRequests, MeasuringProcess } from '../load/measuring-process.ts';
import { isSlice, type Slice } from '../load/slice.ts';
import { hotSubject, manySubjects, type Workload } from '../load/subjects.ts';
import { contestants, markOf, type Contestant } from './contestants.ts';

export const workloads: readonly Workload[] = [manySubjects(1_000), hotSubject];

/** The word for `main.ts`. */
export const REDIS_LIMITER = 'redis-limiter';

/** No take is refused: the fast path keeps away from limits, and what a refusal costs is another question. */
const LIMIT = 1_000_000_000;

/** A limiter on Redis in a process of its own. */
export class LimiterProcess {
  readonly #process: MeasuringProcess<Slice>;

  constructor(url: string, contestant: Contestant, periodSeconds: number) {
    const args = [REDIS_LIMITER, url, String(contestants.indexOf(contestant)), String(periodSeconds)];
    this.#process = new MeasuringProcess(args, isSlice);
  }

  async ready(): Promise<void> {
    await this.count(hotSubject, 1, 1);
  }

  slice(workload: Workload, concurrency: number, durationMs: number): Promise<Slice> {
    return this.#process.ask({ workload: workloads.indexOf(workload), concurrency, durationMs });
  }

  /** A fixed number of takes. */
  count(workload: Workload, concurrency: number, takes: number): Promise<Slice> {
    return this.#process.ask({ workload: workloads.indexOf(workload), concurrency, takes });
  }

  /** Takes from a new subject with every take, until it is killed. Settles when it begins. */
  flood(concurrency: number, prefix: string): Promise<Slice> {
    return this.#process.ask({ flood: prefix, concurrency });
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }
}

const NOTHING: Slice = { takes: 0, takesPerSecond: 0, p50Ms: 0, p99Ms: 0, clientCpuUs: 0 };

/** What runs in such a process. */
export async function beLimiter([url = '', index = '', periodSeconds = '']: readonly string[]): Promise<void> {
  const contestant = contestants[Number(index)];
  if (contestant === undefined) throw new Error(`there is no contestant ${index}`);
  const rule = { limit: LIMIT, periodSeconds: Number(periodSeconds), mark: markOf(contestant) };
  const { slice, take } = await contestant.open(url, rule);
  answerRequests(async ({ workload, flood, concurrency, durationMs, takes }) => {
    const workers = Number(concurrency);
    if (typeof flood === 'string') {
      await take(`${flood}-0`);
      let next = 0;
      void atOnce(workers, async () => {
        for (;;) await take(`${flood}-${(next += 1)}`);
      });
      return NOTHING;
    }
    const { subjects } = workloads[Number(workload)] ?? hotSubject;
    if (takes === undefined) return slice({ subjects, concurrency: workers, durationMs: Number(durationMs) });
    let next = 0;
    await atOnce(workers, async () => {
      while (next < Number(takes)) {
        next += 1;
        await take(subjects[next % subjects.length] ?? '');
      }
    });
    return NOTHING;
  });
}

async function atOnce(workers: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: workers }, work));
}
