import type { Slice } from '../load/slice.ts';
import { median, medianRatio } from '../load/statistics.ts';
import type { Target } from '../report/section.ts';
import { figure, table, times } from '../report/table.ts';
import {
  contestants,
  isBase,
  isDefaultWeir,
  isLeasedWeir,
  isPlainBase,
  labelOf,
  type Contestant,
} from './contestants.ts';
import type { CounterSize } from './counter-size.ts';
import { KILLS, PERIOD_SECONDS, UNDER_WAY, type Leftover } from './leftovers.ts';
import type { ServerCosts } from './server-costs.ts';

/** The rounds of a contestant in one cell. */
type Rounds = (contestant: Contestant) => readonly Slice[];

export const notes = `One redis-server for all; each limiter in a process of its own with one connection, one at a time; rounds in turn, each round in
another order; medians of the rounds. The ratio is to the fastest row of rate-limiter-flexible in the same table, tuned clients included: the median of
the ratios within the rounds.

What each limiter is told: a limit that is far away, and a period of an hour. rate-limiter-flexible has \`inMemoryBlockOnConsumed\`
as its documentation advises, and \`useRedisPackage\` over node-redis, where it sends its script's text with each call; over ioredis it
sends the hash. rate-limit-redis and @fastify/rate-limit are measured without the middleware around their stores; the latter needs ioredis.
INCR + EXPIRE (when INCR answers 1) is what is written by hand most often. Clients have their default options. Since these cost the peers
much, rows say so where they have better ones: node-redis 6 sets a timer for each command (_no time-out_: off), ioredis writes each
command apart (_auto-pipelining_: those of a tick together). Weir is as by default unless its row says otherwise. On the hot
key it has one draw under way, so that 64 callers get at most 64 takes a round trip; only a lease decides without one. Subjects of the 1,000 come
in random order. CPU is that of the limiter's process, the load itself included.`;

function fastest(chosen: readonly Contestant[], rounds: Rounds): Contestant | undefined {
  const speed = (contestant: Contestant): number =>
    median(rounds(contestant).map(({ takesPerSecond }) => takesPerSecond));
  return [...chosen].sort((a, b) => speed(b) - speed(a))[0];
}

function speedRatio(contestant: Contestant | undefined, base: Contestant | undefined, rounds: Rounds): number {
  if (contestant === undefined || base === undefined) return Number.NaN;
  const speeds = (of: Contestant): number[] => rounds(of).map(({ takesPerSecond }) => takesPerSecond);
  return medianRatio(speeds(contestant), speeds(base));
}

export function speedTable(rounds: Rounds): string {
  const base = fastest(contestants.filter(isBase), rounds);
  return table(
    ['', 'takes/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU µs/take'],
    contestants.map((contestant) => {
      const of = (read: (slice: Slice) => number): string => figure(median(rounds(contestant).map(read)));
      return [
        labelOf(contestant),
        of((slice) => slice.takesPerSecond),
        times(speedRatio(contestant, base, rounds)),
        of((slice) => slice.p50Ms),
        of((slice) => slice.p99Ms),
        of((slice) => slice.clientCpuUs),
      ];
    }),
  );
}

export function speedTargets(
  rounds: (workload: string, concurrency: number, contestant: Contestant) => readonly Slice[],
  workloads: readonly string[],
): Target[] {
  const [many = '', hot = ''] = workloads;
  const wanted = [
    { workload: many, concurrency: 64, ratio: 4 },
    { workload: hot, concurrency: 64, ratio: 20 },
    { workload: hot, concurrency: 256, ratio: 20 },
  ];
  return wanted.flatMap(({ workload, concurrency, ratio }) => {
    const here: Rounds = (contestant) => rounds(workload, concurrency, contestant);
    const compare = (ours: readonly Contestant[], how: string, bases: readonly Contestant[], over: string): Target => {
      const [one, base] = [fastest(ours, here), fastest(bases, here)];
      const measured = speedRatio(one, base, here);
      return {
        text: `Redis, ${workload}, ${concurrency} at a time${how}, to rate-limiter-flexible over ${over} clients`,
        wanted: `≥ ${times(ratio)}`,
        measured: `${times(measured)}${base === undefined ? '' : ` (${base.client.library})`}`,
        met: measured >= ratio,
      };
    };
    const [ours, leased] = [contestants.filter(isDefaultWeir), contestants.filter(isLeasedWeir)];
    const [plain, any] = [contestants.filter(isPlainBase), contestants.filter(isBase)];
    return [
      compare(ours, '', plain, 'default'),
      compare(ours, '', any, 'tuned'),
      compare(leased, ', leased', plain, 'default'),
      compare(leased, ', leased', any, 'tuned'),
    ];
  });
}

/** Over 1,000 keys, and on the hot key. */
function both(each: readonly ServerCosts[], read: (costs: ServerCosts) => number): string {
  return each.map((one) => figure(read(one))).join(' · ');
}

export function costTable(
  costs: ReadonlyMap<string, readonly ServerCosts[]>,
  sizes: ReadonlyMap<string, CounterSize>,
  sized: readonly Contestant[],
): string {
  const costRows = Array.from(costs, ([label, each]) => [
    label,
    both(each, (one) => one.sent),
    both(each, (one) => one.inScripts),
    both(each, (one) => one.bytesIn),
    both(each, (one) => one.bytesOut),
    both(each, (one) => one.cpuUs),
  ]);
  const sizeRows = sized.map((contestant) => {
    const size = sizes.get(labelOf(contestant));
    return [contestant.name, figure(size?.memoryUsage ?? Number.NaN), figure(size?.usedMemory ?? Number.NaN)];
  });
  return `### What a take costs the server

Per take, 64 at a time: over 1,000 keys · on the hot key.

${table(['', 'commands sent', 'run in scripts', 'bytes in', 'bytes out', 'CPU µs'], costRows)}

### Bytes per counter

${table(['', 'MEMORY USAGE', 'growth of used_memory'], sizeRows)}`;
}

export function leftoverTable(left: ReadonlyMap<string, Leftover>): string {
  const rows = Array.from(left, ([label, { made, left: keys, undated }]) => [
    label,
    figure(made),
    figure(keys),
    figure(undated),
  ]);
  return `### Keys left after two periods

${KILLS} processes for each limiter take from a new subject with every take, ${UNDER_WAY} at a time, and are killed (SIGKILL) in the middle.
Counted two periods of ${PERIOD_SECONDS} s later; keys without a deadline stay for ever.

${table(['', 'keys seen before', 'left', 'undated'], rows)}`;
}
