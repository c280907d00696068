import { expect, test } from 'vitest';
import { Watchdog } from '../../src/watchdog.ts';
import { World } from '../world.ts';

test('what is overdue first is ended first, in whatever order it came', async () => {
  const world = new World();
  const ended: string[] = [];
  const watchdog = new Watchdog<{ name: string; dueMs: number }>(world.clock, world.timers, ({ name }) => {
    ended.push(name);
  });
  const startMs = world.nowMs;
  for (const [name, ms] of [
    ['young', 500],
    ['old', 100],
    ['older', 0],
    ['middle', 300],
  ] as const) {
    watchdog.add({ name, dueMs: startMs + ms }, startMs);
  }
  expect(world.timersPending).toBe(1);
  const after: string[][] = [];
  for (const ms of [1, 100, 200, 200]) {
    await world.advance(ms);
    after.push([...ended]);
  }
  expect(after).toEqual([['older'], ['older', 'old'], ['older', 'old', 'middle'], ['older', 'old', 'middle', 'young']]);
  expect(world.timersPending).toBe(0);
});
