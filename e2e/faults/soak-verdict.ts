import type { SoakSample } from './soak-samples.ts';

/** One statement about a soak. */
export interface Finding {
  what: string;
  measured: string;
  bound: string;
  ok: boolean;
}

/**
 * The floor of RSS may rise by so much from the middle third of a soak to the last, in MiB, or by this part of what it is.
 *
 * Why the floor: V8 returns memory when it likes. RSS of a console that leaks nothing was seen to climb from 165 to 245 MiB within
 * minutes and to fall back in one, so averages and slopes say more about its collector than about us; what stays after the
 * collector has worked is the lowest value of a stretch, and only a leak raises that. In 30 minutes with windows of one second
 * ten agents send 6,000 heartbeats from third to third: 2 kB that each leaves behind is 12 MiB, which is over the bound. The
 * first third is warm-up: code is compiled, pools and histories that are bounded fill up.
 */
export const MOST_GROWTH_MIB = 8;
export const MOST_GROWTH_PART = 0.05;
/** Connections come and go with the load: so many more than in the middle third are no leak. */
const MOST_NEW_HANDLES = 10;
/** Fewer samples in the last two thirds say nothing about a trend. */
const FEWEST_SAMPLES = 6;

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
  const half = Math.floor(warm.length / 2);
  const floor = (part: readonly SoakSample[]): number =>
    part.reduce((least, { processes }) => Math.min(least, rssOf(processes, name)), Number.POSITIVE_INFINITY);
  const [before, after] = [floor(warm.slice(0, half)), floor(warm.slice(half))];
  const bound = Math.max(MOST_GROWTH_MIB, MOST_GROWTH_PART * before);
  const measured = `${(after - before).toFixed(1)} MiB, from ${before.toFixed(0)} to ${after.toFixed(0)}`;
  return { what: `growth of ${name}`, measured, bound: `≤ ${bound.toFixed(1)} MiB`, ok: after - before <= bound };
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
