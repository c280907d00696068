import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TpsBudget } from '../../../src/copy/tps-budget.ts';
import { SimulatedTime } from './simulated-time.ts';

/** Keeps `workers` operations asking for credits all the time; says when each was admitted. */
function load(budget: TpsBudget, time: SimulatedTime, workers: number): { admittedAtMs: number[]; stop: () => void } {
  const admittedAtMs: number[] = [];
  const work = { goesOn: true };
  const worker = async (): Promise<void> => {
    while (work.goesOn) {
      const parked = budget.charge('PutObject', 0);
      // Credits left at the end of a window would let this turn for ever without time passing.
      if (parked === undefined) await new Promise((resolve) => setImmediate(resolve));
      else await parked;
      admittedAtMs.push(time.now());
    }
  };
  for (let count = 0; count < workers; count += 1) void worker();
  return { admittedAtMs, stop: () => (work.goesOn = false) };
}

describe('a TPS limit without a console', () => {
  it('admits no more than the limit in any window, and all of it over time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(0.05, 0.1, 0.3, 1),
        fc.integer({ min: 0, max: 40 }),
        async (limitTps, windowSeconds, lateMs) => {
          const time = new SimulatedTime();
          const budget = new TpsBudget({ limitTps, windowSeconds, time });
          budget.start();
          const { admittedAtMs, stop } = load(budget, time, 400);
          const seconds = 6;
          for (let step = 0; step < seconds * 20; step += 1) await time.advance(50, lateMs);
          stop();
          budget.stop();
          const windowMs = windowSeconds * 1_000;
          const perWindow = new Map<number, number>();
          for (const atMs of admittedAtMs) {
            const window = Math.floor(atMs / windowMs);
            perWindow.set(window, (perWindow.get(window) ?? 0) + 1);
          }
          // A late grant shares its window with the next one at most.
          for (const admitted of perWindow.values())
            expect(admitted).toBeLessThanOrEqual(2 * (limitTps * windowSeconds + 1));
          const granted = limitTps * (seconds + windowSeconds);
          expect(admittedAtMs.length).toBeLessThanOrEqual(granted + 1);
          expect(budget.use().chargedOps).toBe(admittedAtMs.length);
          // Each late grant costs its lateness, and no more.
          const share = (windowSeconds * 1_000) / (windowSeconds * 1_000 + lateMs);
          const least = limitTps * (seconds - windowSeconds) * share - limitTps * windowSeconds - 1;
          expect(admittedAtMs.length).toBeGreaterThanOrEqual(Math.floor(least));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is exact over time although a window holds no whole number of credits', async () => {
    const time = new SimulatedTime();
    const budget = new TpsBudget({ limitTps: 7, windowSeconds: 0.1, time });
    budget.start();
    const { admittedAtMs, stop } = load(budget, time, 50);
    for (let step = 0; step < 100; step += 1) await time.advance(100);
    stop();
    budget.stop();
    expect(admittedAtMs.length).toBeGreaterThanOrEqual(69);
    expect(admittedAtMs.length).toBeLessThanOrEqual(71);
  });

  it('charges 11 for an object in parts even when a window holds less, and lets the debt be paid', async () => {
    const time = new SimulatedTime();
    const budget = new TpsBudget({ limitTps: 10, windowSeconds: 0.1, time });
    budget.start();
    expect(budget.charge('CreateMultipartUpload', 0)).toBeUndefined();
    const next = budget.charge('PutObject', 0);
    await time.advance(1_000);
    expect(budget.use()).toEqual({ chargedOps: 11, parkedOps: 1 });
    await time.advance(200);
    expect(budget.use()).toEqual({ chargedOps: 12, parkedOps: 0 });
    await expect(next).resolves.toBeGreaterThan(900);
    budget.stop();
  });

  it('does not charge what the documented model leaves free, nor retries', () => {
    const budget = new TpsBudget({ limitTps: 1, windowSeconds: 1, time: new SimulatedTime() });
    for (const operation of [
      'GetObject',
      'HeadObject',
      'UploadPart',
      'CompleteMultipartUpload',
      'ListParts',
    ] as const) {
      expect(budget.charge(operation, 0)).toBeUndefined();
    }
    expect(budget.charge('PutObject', 1)).toBeUndefined();
    expect(budget.use()).toEqual({ chargedOps: 0, parkedOps: 0 });
  });

  it('charges every request with costs per request, of any type, parts and retries too, and an object in parts no more', () => {
    const budget = new TpsBudget({ limitTps: null, windowSeconds: 1, costs: 'per-request', time: new SimulatedTime() });
    budget.start();
    const sent = [
      ['ListObjectsV2', 0],
      ['HeadObject', 0],
      ['GetObject', 0],
      ['GetObject', 1],
      ['GetObjectTagging', 0],
      ['CreateMultipartUpload', 0],
      ['UploadPart', 0],
      ['UploadPart', 2],
      ['CompleteMultipartUpload', 0],
      ['PutObjectTagging', 0],
      ['AbortMultipartUpload', 0],
    ] as const;
    for (const [operation, attempt] of sent) void budget.charge(operation, attempt);
    expect(budget.use().chargedOps).toBe(sent.length);
    budget.stop();
  });

  it('without a limit admits all and counts all, and sets no timer', () => {
    const time = new SimulatedTime();
    const budget = new TpsBudget({ limitTps: null, windowSeconds: 0.1, time });
    budget.start();
    for (let count = 0; count < 1_000; count += 1) expect(budget.charge('PutObject', 0)).toBeUndefined();
    expect(budget.use()).toEqual({ chargedOps: 1_000, parkedOps: 0 });
    expect(time.timers).toBe(0);
  });

  it('leaves no timer once stopped, and lets a parked operation be called off', async () => {
    const time = new SimulatedTime();
    const budget = new TpsBudget({ limitTps: 1, windowSeconds: 1, time });
    budget.start();
    expect(budget.charge('PutObject', 0)).toBeUndefined();
    const controller = new AbortController();
    const parked = budget.charge('PutObject', 0, controller.signal);
    controller.abort(new Error('called off'));
    await expect(parked).rejects.toThrow('called off');
    expect(budget.use()).toEqual({ chargedOps: 1, parkedOps: 0 });
    budget.stop();
    expect(time.timers).toBe(0);
  });
});
