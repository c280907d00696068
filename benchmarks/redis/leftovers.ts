import { setTimeout as sleep } from 'node:timers/promises';
import { redisPipeline, type RedisServer } from '@weir/testkit/redis';
import { labelOf, markOf, oneClientEach, type Contestant } from './contestants.ts';
import { keysWith } from './keys.ts';
import { LimiterProcess } from './limiter-process.ts';

/** Period of the counters, in seconds. */
export const PERIOD_SECONDS = 2;

/** How many processes are killed in the middle of their takes, for each limiter. */
export const KILLS = 3;

/** Takes under way in a process when it is killed. */
export const UNDER_WAY = 64;

const LOAD_MS = 250;

/** Keys of a limiter after its processes were killed and two periods have passed. */
export interface Leftover {
  /** Keys that it had made, at least; the counters of 3 processes that each took from a new subject with every take. */
  readonly made: number;
  readonly left: number;
  /** Of these without a deadline: they stay for ever. */
  readonly undated: number;
}

/** @returns what is left, by the label of the contestant. */
export async function leftovers(
  server: RedisServer,
  progress: (text: string) => void,
): Promise<ReadonlyMap<string, Leftover>> {
  await server.command('FLUSHALL');
  const made = new Map<Contestant, number>();
  for (const contestant of oneClientEach) {
    for (let kill = 0; kill < KILLS; kill += 1) {
      progress(`kill ${kill + 1} of ${KILLS}: ${labelOf(contestant)}`);
      made.set(contestant, (made.get(contestant) ?? 0) + (await killOne(server, contestant, kill)));
    }
  }
  progress('two periods pass');
  await sleep(2 * PERIOD_SECONDS * 1_000);
  const result = new Map<string, Leftover>();
  for (const contestant of oneClientEach) {
    const left = await keysWith(server, markOf(contestant));
    const asked = left.map((key) => ['PTTL', key]);
    const deadlines = asked.length === 0 ? [] : await redisPipeline(server.port, asked);
    const undated = deadlines.filter((ms) => ms === -1).length;
    result.set(labelOf(contestant), { made: made.get(contestant) ?? 0, left: left.length, undated });
  }
  await server.command('FLUSHALL');
  return result;
}

async function killOne(server: RedisServer, contestant: Contestant, number: number): Promise<number> {
  const limiter = new LimiterProcess(server.url, contestant, PERIOD_SECONDS);
  try {
    await limiter.flood(UNDER_WAY, `tenant-${number}`);
    await sleep(LOAD_MS);
    return (await keysWith(server, markOf(contestant))).length;
  } finally {
    await limiter.kill();
  }
}
