import { redisPipeline, type RedisServer } from '@weir/testkit/redis';
import { subject } from '../load/subjects.ts';
import { labelOf, markOf, oneClientEach, type Contestant } from './contestants.ts';
import { keysWith } from './keys.ts';

const COUNTERS = 10_000;
const PERIOD_SECONDS = 3_600;
const AT_ONCE = 250;

/** What one counter takes in the memory of the server, in bytes. */
export interface CounterSize {
  /** As MEMORY USAGE says: key, value and dictionary entry. */
  readonly memoryUsage: number;
  /** As `used_memory` grew: with the entry for the deadline and the growth of the dictionaries. */
  readonly usedMemory: number;
}

/** @returns sizes by the label of the contestant. */
export async function counterSizes(
  server: RedisServer,
  progress: (text: string) => void,
): Promise<ReadonlyMap<string, CounterSize>> {
  const sizes = new Map<string, CounterSize>();
  for (const contestant of oneClientEach) {
    progress(`bytes per counter: ${labelOf(contestant)}`);
    sizes.set(labelOf(contestant), await sizeOf(server, contestant));
  }
  return sizes;
}

async function sizeOf(server: RedisServer, contestant: Contestant): Promise<CounterSize> {
  await server.command('FLUSHALL');
  const limiter = await contestant.open(server.url, {
    limit: 1e6,
    periodSeconds: PERIOD_SECONDS,
    mark: markOf(contestant),
  });
  try {
    await limiter.take('warm');
    const before = await usedMemory(server);
    for (let from = 0; from < COUNTERS; from += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => limiter.take(subject(from + index))));
    }
    const after = await usedMemory(server);
    const keys = await keysWith(server, 'tenant');
    if (keys.length !== COUNTERS)
      throw new Error(`${labelOf(contestant)} made ${keys.length} keys for ${COUNTERS} subjects`);
    const usages = await redisPipeline(
      server.port,
      keys.slice(0, 100).map((key) => ['MEMORY', 'USAGE', key]),
    );
    const memoryUsage = usages.reduce((sum: number, bytes) => sum + Number(bytes), 0) / usages.length;
    return { memoryUsage, usedMemory: (after - before) / COUNTERS };
  } finally {
    await limiter.close();
    await server.command('FLUSHALL');
  }
}

async function usedMemory(server: RedisServer): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(String(await server.command('INFO', 'memory')))?.[1]);
}
