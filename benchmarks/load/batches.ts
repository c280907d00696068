import { Bench } from 'tinybench';

/** Calls in one measured batch: reading the clock around each would cost as much as what is measured. */
export const BATCH = 1_000;

/** What a call costs, in ns: until it is done, and of it the CPU time of this process. */
export interface CallCost {
  readonly ns: number;
  readonly cpuNs: number;
}

/**
 * Measures something that is too short to be timed alone.
 * @param batch makes `BATCH` calls.
 * @returns ns per call.
 */
export async function nanosecondsOf(durationMs: number, batch: () => unknown): Promise<number> {
  return (await costOf(durationMs, batch)).ns;
}

/** As `nanosecondsOf`, and says how much of it is work: who waits for timers is slow without working. */
export async function costOf(durationMs: number, batch: () => unknown): Promise<CallCost> {
  const bench = new Bench({ time: durationMs, iterations: 1, warmup: false, throws: true });
  bench.add('batch', batch);
  const before = process.cpuUsage();
  const [task] = await bench.run();
  const { user, system } = process.cpuUsage(before);
  const result = task?.result;
  if (result?.state !== 'completed') throw new Error(`the benchmark ended as ${String(result?.state)}`);
  const calls = result.latency.samplesCount * BATCH;
  return { ns: (result.latency.mean * 1e6) / BATCH, cpuNs: ((user + system) * 1_000) / calls };
}
