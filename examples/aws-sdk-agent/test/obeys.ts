import { expect } from 'vitest';
import type { FinishedProgram, TimedGrant } from './program.ts';
import { costOf, type Arrival } from './recorder.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** What arrived from one program in each of its windows; what came after the last grant belongs to that. */
function windowsOf(
  grants: readonly TimedGrant[],
  arrivals: readonly Arrival[],
): { creditBudget: number; arrived: number }[] {
  return grants.map(({ atMs, creditBudget }, at) => {
    const endMs = grants[at + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const inWindow = arrivals.filter((arrival) => arrival.atMs >= atMs && arrival.atMs < endMs);
    return { creditBudget, arrived: sum(inWindow.map(costOf)) };
  });
}

/**
 * A program obeyed its share: at no moment had more arrived than was granted until then, no window held more than its
 * credits (and what was on its way when it began), and credits, not the program, were what held it back.
 */
export function expectObedience({ grants }: FinishedProgram, arrivals: readonly Arrival[], concurrency: number): void {
  let arrived = 0;
  for (const arrival of arrivals) {
    arrived += costOf(arrival);
    const granted = sum(grants.filter(({ atMs }) => atMs <= arrival.atMs).map(({ creditBudget }) => creditBudget));
    expect(arrived).toBeLessThanOrEqual(granted);
  }
  const windows = windowsOf(grants, arrivals);
  // One of those on their way may be the beginning of an object in parts.
  const onTheWay = concurrency + 10;
  for (const window of windows) expect(window.arrived).toBeLessThanOrEqual(window.creditBudget + onTheWay);
  const full = windows.filter((window) => window.arrived >= 0.9 * window.creditBudget);
  expect(full.length).toBeGreaterThanOrEqual(5);
}

/** Cost that arrived per second from several programs while all of them ran and had settled into their shares. */
export function sharedRate(programs: readonly (FinishedProgram & { arrivals: readonly Arrival[] })[]): number {
  const SETTLED_AFTER = 4;
  const fromMs = Math.max(...programs.map(({ grants }) => grants[SETTLED_AFTER]?.atMs ?? Number.POSITIVE_INFINITY));
  const untilMs = Math.min(...programs.map(({ grants }) => grants.at(-1)?.atMs ?? 0));
  expect(untilMs - fromMs).toBeGreaterThan(0);
  const within = programs.flatMap(({ arrivals }) => arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs));
  return (sum(within.map(costOf)) * 1_000) / (untilMs - fromMs);
}
