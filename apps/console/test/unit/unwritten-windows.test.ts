import { expect, test } from 'vitest';
import { UnwrittenWindows } from '../../src/fleet/unwritten-windows.ts';

const window = (windowNumber: number) => ({
  agentId: 'a',
  epoch: 'e',
  windowNumber,
  endedAtMs: 0,
  windowMs: 30_000,
  allocatedTps: 0,
  creditBudget: 0,
  chargedOps: 0,
  actualTps: 0,
  peakSecondTps: 0,
});

test('while the database takes nothing at most 100,000 windows wait: the newest, in order', () => {
  const waiting = new UnwrittenWindows();
  for (let n = 0; n < 150_000; n += 1) {
    waiting.add(window(n));
    expect(waiting.size <= 100_000).toBe(true);
  }
  const taken = waiting.take(3);
  waiting.again(taken);
  const all = waiting.take(200_000).map(({ windowNumber }) => windowNumber);
  expect(all.at(-1)).toBe(149_999);
  expect(all.length).toBeGreaterThan(98_000);
  expect(all).toEqual(Array.from({ length: all.length }, (_, index) => 150_000 - all.length + index));
});
