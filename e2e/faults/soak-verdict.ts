import type { SoakSample } from './soak-samples.ts';

/** One statement about a soak. */
export interface Finding {
  what: string;
  measured: string;
  bound: string;
  ok: boolean;
}

/**
 * RSS may grow by so much over the last two thirds of a soak, in MiB, or by this part of what it is.
 *
 * Why: V8 returns memory when it likes, so RSS of a process of 100–200 MiB that leaks nothing still wanders by some MiB; the
 * trend is the median of all slopes between two samples (Theil–Sen), which such wandering and single peaks hardly move.
 * In 30 minutes with windows of one second ten agents send 18,000 heartbeats and as many reports: 1 kB that each leaves
 * behind is 24 MiB over the last two thirds, three times this bound. The first third is warm-up: code is compiled, pools
 * and histories that are bounded fill up.
 */
export const MOST_GROWTH_MIB = 8;
export const MOST_GROWTH_PART = 0.05;
/** Connections come and go with the load: so many more than in the middle third are no leak. */
const MOST_NEW_HANDLES = 10;
/** Fewer samples in the last two thirds say nothing about a trend. */
const FEWEST_SAMPLES = 6;

/** Median of the slopes between all pairs of points; 0 for fewer than two. Sen 1968. */
export function medianSlope(points: readonly { x: number; y: number }[]): number {
  const slopes = points.flatMap((a, n) => points.slice(n + 1).map((b) => (b.y - a.y) / (b.x - a.x)));
  slopes.sort((a, b) => a - b);
  const middle = Math.floor(slopes.length / 2);
  return slopes.length % 2 === 1 ? (slopes[middle] ?? 0) : ((slopes[middle - 1] ?? 0) + (slopes[middle] ?? 0)) / 2;
}

/** Judges a soak. `watched`: names of the processes that are ours; the servers are only shown. */
export function judgeSoak(samples: readonly SoakSample[], watched: readonly string[]): Finding[] {
  const last = samples.at(-1);
  if (last === undefined) return [finding('samples', 0, '≥ 1', false)];
  const warm = samples.slice(Math.floor(samples.length / 3));
  return [
    finding('samples after the warm-up', warm.length, `≥ ${FEWEST_SAMPLES}`, warm.length >= FEWEST_SAMPLES),
    ...watched.flatMap((name) => [judgeMemory(warm, name), judgeHandles(warm, name)]),
    atMost('keys in Redis without a deadline, at any sample', Math.max(...samples.map((each) => each.undatedKeys)), 0),
    atMost('windows above their budget', last.windowsAboveBudget, 0),
    atMost('jobs that ended otherwise than complete', last.jobsNotComplete, 0),
    finding('jobs ended', last.jobsEnded, '≥ 1', last.jobsEnded >= 1),
  ];
}

function judgeMemory(warm: readonly SoakSample[], name: string): Finding {
  const points = warm.map(({ atSeconds, processes }) => ({ x: atSeconds, y: rssOf(processes, name) }));
  const spanSeconds = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
  const growthMiB = medianSlope(points) * spanSeconds;
  const mean = points.reduce((sum, { y }) => sum + y, 0) / Math.max(1, points.length);
  const bound = Math.max(MOST_GROWTH_MIB, MOST_GROWTH_PART * mean);
  const perHour = spanSeconds === 0 ? 0 : (growthMiB * 3_600) / spanSeconds;
  const measured = `${growthMiB.toFixed(1)} MiB of ${mean.toFixed(0)} MiB (${perHour.toFixed(0)} MiB/h)`;
  return { what: `growth of ${name}`, measured, bound: `≤ ${bound.toFixed(1)} MiB`, ok: growthMiB <= bound };
}

function judgeHandles(warm: readonly SoakSample[], name: string): Finding {
  const half = Math.floor(warm.length / 2);
  const most = (part: readonly SoakSample[]): number =>
    Math.max(0, ...part.map(({ processes }) => processes.find((each) => each.name === name)?.handles ?? 0));
  const before = most(warm.slice(0, half));
  return atMost(`handles of ${name} (before: ${before})`, most(warm.slice(half)), before + MOST_NEW_HANDLES);
}

function rssOf(processes: SoakSample['processes'], name: string): number {
  return processes.find((each) => each.name === name)?.rssMiB ?? 0;
}

function atMost(what: string, measured: number, most: number): Finding {
  return finding(what, measured, `≤ ${most}`, measured <= most);
}

function finding(what: string, measured: number, bound: string, ok: boolean): Finding {
  return { what, measured: String(measured), bound, ok };
}
