import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargesOf, workedExample } from '../../src/pages/settings/worked-example.ts';

const TYPES = { LIST: true, GET: true, PUT: true, DELETE: false };

function example(over: Partial<Parameters<typeof workedExample>[0]> = {}): ReturnType<typeof workedExample> {
  return workedExample({
    globalLimitTps: 10_000,
    agents: 1,
    windowSeconds: 30,
    types: TYPES,
    costModel: 'per-object',
    thresholdPercent: 95,
    ...over,
  });
}

describe('the worked example', () => {
  it('reads as documented for an allocation of 164 TPS: 4,920 credits, 492 TPS, 300 %', () => {
    const { allocatedTps, credits, spentInSeconds, parkedSeconds, reportedTps, efficiencyPercent } = example({
      globalLimitTps: 492,
      agents: 3,
    });
    expect({ allocatedTps, credits, spentInSeconds, parkedSeconds, reportedTps, efficiencyPercent }).toEqual({
      allocatedTps: 164,
      credits: 4_920,
      spentInSeconds: 10,
      parkedSeconds: 20,
      reportedTps: 492,
      efficiencyPercent: 300,
    });
  });

  it('follows the values on the page', () => {
    const before = example({ agents: 3 });
    expect(before.allocatedTps).toBeCloseTo(3_333.33, 1);
    expect(before.credits).toBe(100_000);
    expect(example({ agents: 3, globalLimitTps: 5_000 }).credits).toBe(50_000);
  });

  it('never goes below the 100 TPS that the coordinator enforces, nor below 1 TPS per agent', () => {
    expect(example({ globalLimitTps: 40 }).globalLimitTps).toBe(100);
    expect(example({ globalLimitTps: 100, agents: 250 }).allocatedTps).toBe(1);
  });

  it('counts the objects that the credits pay for, with the listing calls', () => {
    expect(example({ globalLimitTps: 1_001, windowSeconds: 1 }).objectsPerWindow).toBe(1_000);
    expect(
      example({ globalLimitTps: 1_000, windowSeconds: 1, types: { ...TYPES, LIST: false } }).objectsPerWindow,
    ).toBe(1_000);
    expect(example({ globalLimitTps: 100, windowSeconds: 1, types: { ...TYPES, PUT: false } }).objectsPerWindow).toBe(
      100_000,
    );
  });

  it('says that nothing is counted when neither LIST nor PUT is, whatever GET and DELETE are', () => {
    for (const GET of [true, false]) {
      for (const DELETE of [true, false]) {
        expect(example({ types: { LIST: false, GET, PUT: false, DELETE } }).objectsPerWindow).toBeNull();
      }
    }
  });

  it('clears the alarm 10 points below its threshold and never above 85 %', () => {
    expect(example({ thresholdPercent: 95 })).toMatchObject({
      alarmAboveTps: 9_500,
      clearPercent: 85,
      clearBelowTps: 8_500,
    });
    expect(example({ thresholdPercent: 100 }).clearPercent).toBe(85);
    expect(example({ thresholdPercent: 60 }).clearPercent).toBe(50);
    expect(example({ thresholdPercent: 5 }).clearPercent).toBe(0);
  });

  it('never gives more credits than the limit allows in a window, unless each agent has its 1 TPS', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 1_000_000 }),
        fc.integer({ min: 1, max: 90 }),
        fc.constantFrom(1, 5, 30),
        (globalLimitTps, agents, windowSeconds) => {
          const { credits } = example({ globalLimitTps, agents, windowSeconds });
          expect(Number.isInteger(credits)).toBe(true);
          expect(credits * agents).toBeLessThanOrEqual(globalLimitTps * windowSeconds);
        },
      ),
    );
  });

  it('charges a copy in parts its 2N + 3 requests when every request is counted, and 11 as documented', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (parts) => {
        const all = { LIST: true, GET: true, PUT: true, DELETE: true };
        expect(chargesOf(all, 'per-request', parts)).toEqual({ single: 2, multipart: 2 * parts + 3 });
        expect(chargesOf(all, 'per-object', parts)).toEqual({ single: 1, multipart: 11 });
      }),
    );
  });

  it('says that reading is free as documented, and what it costs otherwise', () => {
    const onlyGet = { LIST: false, GET: true, PUT: false, DELETE: false };
    expect(example({ types: onlyGet }).objectsPerWindow).toBeNull();
    expect(example({ types: onlyGet, costModel: 'per-request' }).objectsPerWindow).toBe(300_000);
  });
});
