import { expect, test } from 'vitest';
import { MAX_SERIES_AGENTS } from '@weir/protocol';
import { EventLog } from '../../src/fleet/event-log.ts';
import { FleetWatch } from '../../src/fleet/fleet-watch.ts';
import { LimitTimeline } from '../../src/fleet/limit-timeline.ts';
import { MonitorHistory } from '../../src/fleet/monitor-history.ts';
import type { Sample } from '../../src/ports/history-store.ts';

const W = 30_000;
const T = 1_800_000_000_000;
const agents = [{ agentId: 'a', name: 'A' }];
const historyOf = (samples: readonly Sample[]): MonitorHistory =>
  new MonitorHistory(W, samples, {
    limits: new LimitTimeline(W, 1_000),
    events: new EventLog([]),
    watch: new FleetWatch([], [], T),
  });
/** Agents as the history asks for them. */
const fleetOf = (list: { agentId: string; name: string }[]) => ({
  size: list.length,
  all: () => list,
  nameOf: (agentId: string) => list.find((agent) => agent.agentId === agentId)?.name,
});
const sample = (atMs: number, tps: number, agentIds = ['a']) => ({
  atMs,
  limitTps: 1_000,
  setLimitTps: 1_000,
  totalTps: tps,
  agents: agentIds.map((agentId) => ({ agentId, actualTps: tps, allocatedTps: 0, mbps: 0 })),
});

test('the chart has 60 points that end with the newest sample', () => {
  const history = historyOf(Array.from({ length: 100 }, (_, n) => sample(T + n * W, n)));
  const series = history.series(T + 99 * W + 12_000, fleetOf(agents));
  expect(series.atMs).toHaveLength(60);
  expect(series.atMs.at(-1)).toBe(T + 99 * W);
  expect(series.totalTps[0]).toBe(40);
  expect(series.totalTps.at(-1)).toBe(99);
  expect(series.agents[0]?.actualTps).toEqual(series.totalTps);
});

test('windows in which nothing was sampled are gaps, and so is an agent that was away', () => {
  const history = historyOf([sample(T, 1), sample(T + 3 * W, 2, [])]);
  const series = history.series(T + 3 * W + 1_000, fleetOf(agents));
  expect(series.totalTps.slice(-4)).toEqual([1, null, null, 2]);
  expect(series.limitTps.slice(-4)).toEqual([1_000, null, null, 1_000]);
  expect(series.agents[0]?.actualTps.slice(-4)).toEqual([1, null, null, null]);
});

test('before the current window is sampled the chart ends with the one before', () => {
  const history = historyOf([sample(T, 1)]);
  expect(history.series(T + W + 1, fleetOf(agents)).atMs.at(-1)).toBe(T);
});

test('a console that never sampled shows 60 empty points', () => {
  const series = historyOf([]).series(T, fleetOf(agents));
  expect(series.totalTps).toEqual(Array.from({ length: 60 }, () => null));
});

test('of a fleet with more agents than lines the busiest have a column, and the total has everybody', () => {
  const many = Array.from({ length: MAX_SERIES_AGENTS + 100 }, (_, n) => ({ agentId: `a${n}`, name: `A${n}` }));
  const point = {
    atMs: T,
    limitTps: 1_000_000,
    setLimitTps: 1_000_000,
    totalTps: 500_000,
    agents: many.map(({ agentId }, n) => ({ agentId, actualTps: n, allocatedTps: 0, mbps: 0 })),
  };
  const series = historyOf([point]).series(T, fleetOf(many));
  expect(series.agents).toHaveLength(MAX_SERIES_AGENTS);
  expect(series.agentCount).toBe(MAX_SERIES_AGENTS + 100);
  expect(Math.min(...series.agents.map((agent) => agent.actualTps.at(-1) ?? -1))).toBe(100);
  expect(series.totalTps.at(-1)).toBe(500_000);
});
