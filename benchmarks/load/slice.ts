/** One piece of work of one contestant: some workers that take one after the other, each awaiting its answer. */
export interface Load {
  readonly subjects: readonly string[];
  readonly concurrency: number;
  readonly durationMs: number;
}

/** What was seen in it. */
export interface Slice {
  readonly takes: number;
  readonly takesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the process per take, in µs, the load generator's share included. */
  readonly clientCpuUs: number;
}

export function isSlice(value: unknown): value is Slice {
  return typeof value === 'object' && value !== null && 'takesPerSecond' in value && 'clientCpuUs' in value;
}

/** Latencies kept; of more takes the latest ones are. */
const KEPT = 1 << 20;

const latencies = new Float64Array(KEPT);

/**
 * @param take the limiter's own call, with nothing around it, whose answer `admitted` understands.
 * @throws when a take is refused or fails: figures of a store that does not answer say nothing.
 */
export async function runSlice<Answer>(
  { subjects, concurrency, durationMs }: Load,
  take: (subject: string) => Answer | Promise<Answer>,
  admitted: (answer: Answer) => boolean,
): Promise<Slice> {
  let next = 0;
  let takes = 0;
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const endMs = startedMs + durationMs;
  const worker = async (): Promise<void> => {
    for (let atMs = performance.now(); atMs < endMs;) {
      const subject = subjects[next] ?? '';
      next = next + 1 === subjects.length ? 0 : next + 1;
      if (!admitted(await take(subject))) throw new Error('a take was refused, although the limit is far away');
      const doneMs = performance.now();
      latencies[takes % KEPT] = doneMs - atMs;
      takes += 1;
      atMs = doneMs;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = latencies.subarray(0, Math.min(takes, KEPT)).slice().sort();
  return {
    takes,
    takesPerSecond: takes / seconds,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    clientCpuUs: (user + system) / takes,
  };
}
