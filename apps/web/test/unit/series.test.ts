import * as fc from 'fast-check';
import type { MonitorSeries } from '@weir/protocol';
import { describe, expect, it } from 'vitest';
import {
  chartData,
  figuresAt,
  isolatedPoints,
  IN_FORCE_KEY,
  LIMIT_KEY,
  MAX_AGENT_LINES,
  OTHERS_KEY,
  PEAK_KEY,
  timeRange,
  topOfScale,
  TOTAL_KEY,
} from '../../src/charts/series.ts';

function fleet(values: Readonly<Record<string, readonly (number | null)[]>>, limit = 10_000): MonitorSeries {
  const columns = Object.entries(values);
  const points = columns[0]?.[1].length ?? 0;
  const indices = Array.from({ length: points }, (_, index) => index);
  const totals = indices.map((index) => columns.reduce((sum, [, column]) => sum + (column[index] ?? 0), 0));
  return {
    atMs: indices.map((index) => 1_700_000_000_000 + index * 30_000),
    limitTps: indices.map(() => limit),
    setLimitTps: indices.map(() => limit),
    totalTps: totals,
    peakTps: totals,
    agentCount: columns.length,
    agents: columns.map(([name, column]) => ({ agentId: name, name, actualTps: [...column] })),
  };
}

const many = fleet(
  Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`agent-${index + 1}`, [index + 1, index + 1]])),
);

const anySeries = fc
  .record({ agents: fc.integer({ min: 0, max: 30 }), points: fc.integer({ min: 1, max: 12 }) })
  .chain(({ agents, points }) =>
    fc
      .array(fc.array(fc.option(fc.nat(5_000)), { minLength: points, maxLength: points }), {
        minLength: agents,
        maxLength: agents,
      })
      .map((columns) => fleet(Object.fromEntries(columns.map((column, index) => [`a${index}`, column])))),
  )
  .filter((series) => series.agents.length > 0);

describe('chart data', () => {
  it('has a line per agent in order of their names, then the total and the limit', () => {
    const { lines } = chartData(fleet({ 'agent-10': [1], 'agent-2': [5], 'agent-1': [3] }));
    expect(lines.map((line) => line.key)).toEqual(['agent-1', 'agent-2', 'agent-10', TOTAL_KEY, LIMIT_KEY]);
  });

  it('has one column per line after the times, in seconds', () => {
    const data = chartData(fleet({ a: [1, 2], b: [3, null] }));
    expect(data.columns).toHaveLength(data.lines.length + 1);
    expect(data.columns[0]).toEqual([1_700_000_000, 1_700_000_030]);
    expect(data.columns[2]).toEqual([3, null]);
  });

  it('keeps the ten busiest agents and sums up the rest', () => {
    const { lines, columns } = chartData(many);
    expect(lines.filter((line) => line.kind === 'agent').map((line) => line.key)).toEqual(
      Array.from({ length: MAX_AGENT_LINES }, (_, index) => `agent-${index + 16}`),
    );
    const others = lines.findIndex((line) => line.key === OTHERS_KEY);
    expect(lines[others]?.label).toBe('15 others');
    expect(columns[others + 1]).toEqual([120, 120]);
  });

  it('leaves no TPS out: lines and others add up to all agents at every point', () => {
    fc.assert(
      fc.property(anySeries, (series) => {
        const data = chartData(series);
        for (let point = 0; point < series.atMs.length; point += 1) {
          const shown = data.lines
            .map((line, position) =>
              line.kind === 'agent' || line.kind === 'others' ? (data.columns[position + 1]?.[point] ?? 0) : 0,
            )
            .reduce((sum, tps) => sum + tps, 0);
          expect(shown).toBe(series.agents.reduce((sum, agent) => sum + (agent.actualTps[point] ?? 0), 0));
        }
      }),
    );
  });

  it('gives every agent line a colour of its own', () => {
    fc.assert(
      fc.property(anySeries, anySeries, (before, after) => {
        const first = chartData(before);
        for (const data of [first, chartData(after, first.lines)]) {
          const slots = data.lines.flatMap((line) => (line.colourSlot === null ? [] : [line.colourSlot]));
          expect(new Set(slots).size).toBe(slots.length);
          for (const slot of slots) expect(slot).toBeLessThan(MAX_AGENT_LINES);
        }
      }),
    );
  });

  it('keeps the colour of each line that stays', () => {
    const first = chartData(fleet({ a: [1], b: [1], c: [1] }));
    const second = chartData(fleet({ b: [1], c: [1], z: [1] }), first.lines);
    const colour = (lines: typeof first.lines, key: string): number | null | undefined =>
      lines.find((line) => line.key === key)?.colourSlot;
    expect(colour(second.lines, 'b')).toBe(colour(first.lines, 'b'));
    expect(colour(second.lines, 'c')).toBe(colour(first.lines, 'c'));
    expect(colour(second.lines, 'z')).toBe(colour(first.lines, 'a'));
  });

  it('does not swap lines of equally busy agents at a refresh, but lets a clearly busier one in', () => {
    const first = chartData(fleet({ a: [100], b: [99] }), [], 1);
    expect(first.lines[0]?.key).toBe('a');
    expect(chartData(fleet({ a: [100], b: [110] }), first.lines, 1).lines[0]?.key).toBe('a');
    expect(chartData(fleet({ a: [100], b: [130] }), first.lines, 1).lines[0]?.key).toBe('b');
  });

  it('changes its structure only when lines or colours change', () => {
    const first = chartData(fleet({ a: [1, 2], b: [3, 4] }));
    expect(chartData(fleet({ a: [9, 9], b: [0, 0] }), first.lines).structureKey).toBe(first.structureKey);
    expect(chartData(fleet({ a: [1, 2] }), first.lines).structureKey).not.toBe(first.structureKey);
  });

  it('keeps a time without samples a gap, for the others too', () => {
    const series = { ...fleet({ a: [9, 9], b: [null, 1], c: [null, null] }), totalTps: [null, 10] };
    const { columns, lines } = chartData(series, [], 1);
    expect(columns[lines.findIndex((line) => line.key === OTHERS_KEY) + 1]).toEqual([null, 1]);
  });

  it('counts agents without a column among the others, when the total says that they did something', () => {
    const series = { ...fleet({ a: [5, 5] }), agentCount: 300, totalTps: [5, 95] };
    const { columns, lines } = chartData(series);
    const others = lines.findIndex((line) => line.key === OTHERS_KEY);
    expect(lines[others]?.label).toBe('299 others');
    expect(columns[others + 1]).toEqual([0, 90]);
    const resting = chartData({ ...fleet({ a: [5, 5] }), agentCount: 300 });
    expect(resting.lines.some((line) => line.key === OTHERS_KEY)).toBe(false);
  });

  it('has a line for the limit in force only while that is not the one that is set, and then only there', () => {
    const series = fleet({ a: [1, 2, 3, 4] }, 500);
    expect(chartData(series).lines.map((line) => line.key)).not.toContain(IN_FORCE_KEY);
    const lowered = chartData({ ...series, limitTps: [500, 350, 375, null] });
    const at = lowered.lines.findIndex((line) => line.key === IN_FORCE_KEY);
    expect(lowered.columns[at + 1]).toEqual([null, 350, 375, null]);
    expect(lowered.columns[at]).toEqual([500, 500, 500, 500]);
    expect(figuresAt(lowered, 1, new Set()).map(({ line, tps }) => [line.key, tps])).toEqual([
      [TOTAL_KEY, 2],
      [LIMIT_KEY, 500],
      [IN_FORCE_KEY, 350],
      ['a', 2],
    ]);
    expect(figuresAt(lowered, 0, new Set()).map(({ line }) => line.key)).not.toContain(IN_FORCE_KEY);
  });

  it('has a line for peaks only where a point is more than one sample', () => {
    expect(chartData(fleet({ a: [5] })).lines.some((line) => line.key === PEAK_KEY)).toBe(false);
    const { columns, lines } = chartData({ ...fleet({ a: [5] }), peakTps: [9] });
    expect(columns[lines.findIndex((line) => line.key === PEAK_KEY) + 1]).toEqual([9]);
  });
});

describe('figures of the tooltip', () => {
  const data = chartData(fleet({ a: [5], b: [50], c: [null] }));

  it('begin with the total and the limit, then go from the busiest agent down, gaps last', () => {
    expect(figuresAt(data, 0, new Set()).map(({ line, tps }) => [line.key, tps])).toEqual([
      [TOTAL_KEY, 55],
      [LIMIT_KEY, 10_000],
      ['b', 50],
      ['a', 5],
      ['c', null],
    ]);
  });

  it('leave out hidden lines', () => {
    expect(figuresAt(data, 0, new Set(['b', LIMIT_KEY])).map(({ line }) => line.key)).toEqual([TOTAL_KEY, 'a', 'c']);
  });
});

/** Length of the time axis of a chart of 60 windows in which only the last ones have samples. */
function shownSeconds(points: number, growing?: boolean): number {
  const column = Array.from({ length: 60 }, (_, index) => (index < 60 - points ? null : 1));
  const series = fleet({ a: column });
  const [from, to] = timeRange(chartData({ ...series, totalTps: column }), 1_770, growing);
  expect(to).toBe(series.atMs.at(-1)! / 1_000);
  return to - from;
}

describe('scales', () => {
  it('show a part of the span while a chart is young, so that its points are not squeezed, and grow in three steps', () => {
    const shown = Array.from({ length: 60 }, (_, index) => shownSeconds(index + 1));
    expect([...new Set(shown)]).toEqual([295, 590, 1_180, 1_770]);
    expect(shown[0]).toBe(295);
    expect(shown.at(-1)).toBe(1_770);
    for (const [index, seconds] of shown.entries()) expect(seconds).toBeGreaterThanOrEqual(index * 30);
  });

  it('show the whole of a span that somebody has chosen', () => {
    expect(shownSeconds(1, false)).toBe(1_770);
  });

  it('leave room above the limit and above every peak', () => {
    expect(topOfScale(chartData(fleet({ a: [20_000] })), new Set())).toBeGreaterThan(20_000);
    expect(topOfScale(chartData(fleet({ a: [20] })), new Set())).toBeGreaterThan(10_000);
  });

  it('fit the present limit, not a higher one of earlier', () => {
    const series = fleet({ a: [20, 20, 20] });
    const lowered = chartData({ ...series, limitTps: [10_000, 300, null], setLimitTps: [10_000, 300, null] });
    expect(topOfScale(lowered, new Set())).toBeCloseTo(324);
    // One that is not far above stays in sight.
    const slightly = chartData({ ...series, limitTps: [600, 300, null], setLimitTps: [600, 300, null] });
    expect(topOfScale(slightly, new Set())).toBeCloseTo(648);
  });

  it('fit the limit that is set, also while a lower one is in force', () => {
    const series = fleet({ a: [20, 20, 20] }, 300);
    const lowered = chartData({ ...series, limitTps: [300, 210, 225] });
    expect(topOfScale(lowered, new Set())).toBeCloseTo(324);
    expect(topOfScale(lowered, new Set([LIMIT_KEY]))).toBeCloseTo(225 * 1.08);
  });

  it('follow what is visible', () => {
    expect(topOfScale(chartData(fleet({ a: [20] })), new Set([LIMIT_KEY]))).toBeLessThan(30);
  });

  it('are never empty', () => {
    expect(topOfScale(chartData(fleet({ a: [0] }, 0)), new Set())).toBeGreaterThan(0);
  });
});

describe('isolated points', () => {
  it('are those without a neighbour on either side', () => {
    expect(isolatedPoints([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(isolatedPoints([7])).toEqual([0]);
    expect(isolatedPoints([null, undefined, null])).toEqual([]);
  });
});
