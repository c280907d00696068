import type { SoakSample } from './soak-samples.ts';

/** One statement about a soak. */
export interface Finding {
  what: string;
  measured: string;
  bound: string;
  ok: boolean;
}

/**
 * The floor and the median of RSS may rise by so much from the middle third of a soak to the last, in MiB, or by this part of what
 * they are; one of them that does not rise shows that nothing leaks, since a leak raises both.
 *
 * Why both: V8 returns memory when it likes. RSS of a console that leaks nothing was seen to climb from 165 to 245 MiB within
 * minutes and to fall back in one, which moves the median; RSS of agents stood at 235 MiB for half an hour but for one minute of
 * 181, which moves the floor. In 30 minutes with windows of one second ten agents send 6,000 heartbeats from third to third: 2 kB
 * that each leaves behind is 12 MiB, which is over the bound. The first third is warm-up: code is compiled, pools and histories
 * that are bounded fill up.
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
  const sizes = warm.map(({ processes }) => rssOf(processes, name));
  const [before, after] = [sortedOf(sizes.slice(0, half)), sortedOf(sizes.slice(half))];
  const [floor, middle] = [riseAt(before, after, 0), riseAt(before, after, 0.5)];
  const least = floor.grown < middle.grown ? floor : middle;
  const bound = Math.max(MOST_GROWTH_MIB, MOST_GROWTH_PART * least.from);
  const measured = `floor ${textOf(floor)}, median ${textOf(middle)}`;
  return { what: `growth of ${name}`, measured, bound: `one ≤ ${bound.toFixed(1)} MiB`, ok: least.grown <= bound };
}

/** From the middle third to the last, in MiB. */
interface Rise {
  from: number;
  to: number;
  grown: number;
}

function riseAt(before: readonly number[], after: readonly number[], share: number): Rise {
  const at = (sizes: readonly number[]): number => sizes[Math.floor(sizes.length * share)] ?? 0;
  return { from: at(before), to: at(after), grown: at(after) - at(before) };
}

function textOf({ from, to, grown }: Rise): string {
  return `${from.toFixed(0)} → ${to.toFixed(0)} (${grown.toFixed(1)} MiB)`;
}

function sortedOf(sizes: readonly number[]): readonly number[] {
  return sizes.toSorted((a, b) => a - b);
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
