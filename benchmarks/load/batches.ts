import { Bench } from 'tinybench';

/** Calls in one measured batch: reading the clock around each would cost as much as what is measured. */
export const BATCH = 1_000;

/**
 * Measures something that is too short to be timed alone.
 * @param batch makes `BATCH` calls.
 * @returns ns per call.
 */
export async function nanosecondsOf(durationMs: number, batch: () => unknown): Promise<number> {
  const bench = new Bench({ time: durationMs, iterations: 1, warmup: false, throws: true });
  bench.add('batch', batch);
  const [task] = await bench.run();
  const result = task?.result;
  if (result?.state !== 'completed') throw new Error(`the benchmark ended as ${String(result?.state)}`);
  return (result.latency.mean * 1e6) / BATCH;
}
