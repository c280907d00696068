import * as fc from 'fast-check';
import type { RunningAgent } from '../../src/index.ts';

/** Global limits, with the small ones that make minimum shares matter, and some below the enforced minimum. */
export const limits: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 0, max: 99 }),
  fc.integer({ min: 100, max: 400 }),
  fc.integer({ min: 401, max: 1_000_000 }),
);

const allocations = fc.oneof(
  fc.constantFrom(1, 2, 100),
  fc.double({ min: 0.001, max: 5, noNaN: true }),
  fc.double({ min: 1, max: 10_000, noNaN: true }),
);

/** Ratio of actual to allocated, with the boundaries of hungry and slack themselves. */
const hungryRatios = fc.oneof(fc.constantFrom(0.9, 1, 3), fc.double({ min: 0.9, max: 20, noNaN: true }));
const contentRatios = fc.oneof(
  fc.constantFrom(0, 0.8, 0.7999, 0.8999),
  fc.double({ min: 0, max: 0.8999, noNaN: true }),
  fc.constant(null),
);

/** A fleet of 0–250 agents in any state. */
export function fleet(options: { hungry?: boolean } = {}): fc.Arbitrary<RunningAgent[]> {
  const ratio = options.hungry === false ? contentRatios : fc.oneof(hungryRatios, contentRatios);
  return fc.array(fc.tuple(allocations, ratio), { maxLength: 250, size: 'max' }).map((agents) =>
    agents.map(([allocatedTps, part], index) => ({
      id: `agent-${index}`,
      allocatedTps,
      actualTps: part === null ? null : allocatedTps * part,
    })),
  );
}

/** Whether a sum is within a budget, but for the last bits of its floating-point values. */
export function within(sum: number, budget: number): boolean {
  return sum <= budget * (1 + 1e-9);
}
