import type { RefusalSeries } from '@weir/protocol';

/** One bar of the picture, in percent of its width and height. */
export interface RefusalBar {
  atMs: number;
  xPercent: number;
  widthPercent: number;
  admitted: number;
  refused: number;
  admittedPercent: number;
  refusedPercent: number;
}

/** The picture: bars where there is something to see, the top of its scale, and times when the console did not run. */
export interface RefusalPicture {
  bars: RefusalBar[];
  gaps: { xPercent: number; widthPercent: number }[];
  top: number;
  admitted: number;
  refused: number;
  mostAtLimit: number;
}

/** A time that the axis names, and its place in percent of the width. */
export interface AxisTime {
  atMs: number;
  xPercent: number;
}

/** Hours between two names of the axis: six on a day, which have room on a phone. */
const NAMED_HOURS = 4;

/** Nearer to an edge than this a name would stick out. */
const EDGE_PERCENT = 3;

/**
 * Whole hours of the viewer's clock to name below the bars: none later than the last bar's beginning, because its end is yet to come.
 * @param atMs beginnings of the bars, one distance apart
 */
export function axisTimes(atMs: readonly number[]): AxisTime[] {
  const [first = 0, last = first] = [atMs[0], atMs.at(-1)];
  const wholeMs = ((last - first) * atMs.length) / Math.max(1, atMs.length - 1);
  const hour = new Date(first);
  hour.setMinutes(0, 0, 0);
  const times: AxisTime[] = [];
  for (; hour.getTime() <= last; hour.setTime(hour.getTime() + 3_600_000)) {
    const xPercent = ((hour.getTime() - first) / wholeMs) * 100;
    const inside = xPercent >= EDGE_PERCENT && xPercent <= 100 - EDGE_PERCENT;
    if (inside && hour.getHours() % NAMED_HOURS === 0) times.push({ atMs: hour.getTime(), xPercent });
  }
  return times;
}

/** Round numbers that a scale may end at. */
const STEPS = [1, 2, 2.5, 5, 10];

/** The least round number that is not below a value. */
export function roundTop(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = STEPS.find((each) => each * power >= value) ?? 10;
  const top = step * power;
  return Number.isInteger(top) ? top : Math.ceil(top);
}

/** Shapes a series into bars; pure. */
export function refusalPicture({ atMs, admitted, refused, subjectsAtLimit }: RefusalSeries): RefusalPicture {
  const points = Math.max(1, atMs.length);
  const totals = atMs.map((_, point) => (admitted[point] ?? 0) + (refused[point] ?? 0));
  const top = roundTop(Math.max(0, ...totals));
  const widthPercent = 100 / points;
  const bars = atMs.flatMap((at, point): RefusalBar[] => {
    if ((totals[point] ?? 0) === 0) return [];
    const [yes, no] = [admitted[point] ?? 0, refused[point] ?? 0];
    return [
      {
        atMs: at,
        xPercent: point * widthPercent,
        widthPercent,
        admitted: yes,
        refused: no,
        admittedPercent: (yes / top) * 100,
        refusedPercent: (no / top) * 100,
      },
    ];
  });
  return {
    bars,
    gaps: gapsOf(refused, widthPercent),
    top,
    admitted: sum(admitted),
    refused: sum(refused),
    mostAtLimit: Math.max(0, ...subjectsAtLimit.map((count) => count ?? 0)),
  };
}

function gapsOf(refused: readonly (number | null)[], widthPercent: number): RefusalPicture['gaps'] {
  const gaps: RefusalPicture['gaps'] = [];
  let from: number | null = null;
  for (const [point, value] of [...refused, 0].entries()) {
    if (value === null) from ??= point;
    else if (from !== null) {
      gaps.push({ xPercent: from * widthPercent, widthPercent: (point - from) * widthPercent });
      from = null;
    }
  }
  return gaps;
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
