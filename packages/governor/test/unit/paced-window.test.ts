import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreditWindow } from '../../src/index.ts';

/** A clock whose timers run when the test lets time pass. */
class Bench {
  nowMs = 0;
  readonly timers: { atMs: number; run: () => void }[] = [];
  readonly window = new CreditWindow({
    now: () => this.nowMs,
    startTimer: (run, delayMs) => {
      const timer = { atMs: this.nowMs + delayMs, run };
      this.timers.push(timer);
      return () => void this.timers.splice(this.timers.indexOf(timer), 1);
    },
  });
  /** When each operation was admitted, and its cost, in order. */
  readonly admissions: { atMs: number; cost: number; index: number }[] = [];
  #operations = 0;
  grants = 0;

  /** `lateMs`: how much later than asked the timers of this machine run. */
  async pass(ms: number, lateMs = 0): Promise<void> {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined || next.atMs + lateMs > untilMs) break;
      this.timers.splice(this.timers.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs + lateMs);
      next.run();
      await settled();
    }
    this.nowMs = untilMs;
  }

  grant(tps: number, burstSeconds: number, windowSeconds = 30): void {
    this.grants += 1;
    const creditBudget = Math.floor(tps * windowSeconds);
    this.window.grant(
      { epoch: 'e', windowNumber: this.grants, windowSeconds, allocatedTps: tps, creditBudget },
      { pacing: { burstSeconds } },
    );
  }

  charge(cost: number): void {
    const index = this.#operations;
    this.#operations += 1;
    const admit = (): void => void this.admissions.push({ atMs: this.nowMs, cost, index });
    const parked = this.window.charge('PUT', cost);
    if (parked === undefined) admit();
    else void parked.then(admit);
  }

  /** Most credits charged within any `spanMs`. */
  busiest(spanMs: number): number {
    let most = 0;
    let sum = 0;
    let from = 0;
    for (const { atMs, cost } of this.admissions) {
      sum += cost;
      for (let oldest = this.admissions[from]; oldest !== undefined && oldest.atMs <= atMs - spanMs;) {
        sum -= oldest.cost;
        from += 1;
        oldest = this.admissions[from];
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a paced window', () => {
  it('spreads its credits: no second sees more than one second’s worth and a burst', async () => {
    const bench = new Bench();
    for (let window = 0; window < 3; window += 1) {
      bench.grant(1_000, 0.05, 4);
      for (let operation = 0; operation < 4_000; operation += 1) bench.charge(1);
      await bench.pass(4_000);
      bench.window.endWindow();
    }
    expect(bench.busiest(1_000)).toBeLessThanOrEqual(1_050);
    // And it loses next to nothing by waiting: a slot at the end.
    expect(bench.admissions.length).toBeGreaterThanOrEqual(0.99 * 12_000);
  });

  it('whatever is charged when, with timers however late: bounded in every second, first in first out, all admitted in the end', async () => {
    const step = fc.record({
      costs: fc.array(fc.constantFrom(1, 1, 1, 2, 11), { maxLength: 60 }),
      passesMs: fc.nat(700),
      lateMs: fc.nat(40),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 12, max: 300 }),
        fc.constantFrom(0.02, 0.05, 0.5, 2),
        async (steps, tps, burstSeconds) => {
          const bench = new Bench();
          bench.grant(tps, burstSeconds, 5);
          let endsAtMs = 5_000;
          let charged = 0;
          const roll = (): void => {
            const report = bench.window.endWindow();
            expect(report?.chargedOps).toBeLessThanOrEqual(Math.floor(tps * 5));
            charged += report?.chargedOps ?? 0;
            bench.grant(tps, burstSeconds, 5);
            endsAtMs = bench.nowMs + 5_000;
          };
          for (const { costs, passesMs, lateMs } of steps) {
            for (const cost of costs) bench.charge(cost);
            await settled();
            await bench.pass(passesMs, lateMs);
            if (bench.nowMs >= endsAtMs) roll();
          }
          for (let window = 0; bench.window.parkedOps > 0 && window < 400; window += 1) {
            await bench.pass(5_000);
            roll();
            await settled();
          }
          roll();
          expect(bench.window.parkedOps).toBe(0);
          const costs = steps.flatMap((each) => each.costs);
          expect(bench.admissions.map(({ index }) => index)).toEqual(costs.map((_, index) => index));
          expect(charged).toBe(costs.reduce((sum, cost) => sum + cost, 0));
          const burst = Math.max(1, tps * burstSeconds);
          const largest = Math.max(0, ...costs);
          expect(bench.busiest(1_000)).toBeLessThanOrEqual(tps + burst + largest);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lets a charge larger than a burst wait for a full one, and pays it back before the next', async () => {
    const bench = new Bench();
    bench.grant(20, 0.05);
    bench.charge(11);
    bench.charge(1);
    expect(bench.admissions).toHaveLength(1);
    await bench.pass(449);
    expect(bench.admissions).toHaveLength(1);
    await bench.pass(101);
    expect(bench.admissions).toHaveLength(2);
  });

  it('tells waiting for a slot from being out of credits', async () => {
    const bench = new Bench();
    bench.grant(10, 0.1, 10);
    for (let operation = 0; operation < 150; operation += 1) bench.charge(1);
    await bench.pass(30_000);
    const report = bench.window.endWindow();
    expect(report).toMatchObject({ chargedOps: 100, parkedOps: 50 });
    expect(report?.pacedMs).toBeGreaterThan(9_800);
    expect(report?.pacedMs).toBeLessThan(10_000);
    expect((report?.pacedMs ?? 0) + (report?.exhaustedMs ?? 0)).toBeCloseTo(30_000, 6);
    // D1 leaves out only the time without credits.
    expect(report?.actualTps).toBeCloseTo(100_000 / (report?.pacedMs ?? 1), 6);
  });

  it('has no timer while nothing waits, and none after it has ended', async () => {
    const bench = new Bench();
    bench.grant(100, 0.05);
    bench.charge(1);
    expect(bench.timers).toHaveLength(0);
    for (let operation = 0; operation < 50; operation += 1) bench.charge(1);
    expect(bench.timers).toHaveLength(1);
    await bench.pass(1_000);
    expect(bench.timers).toHaveLength(0);
    for (let operation = 0; operation < 50; operation += 1) bench.charge(1);
    bench.window.endWindow();
    expect(bench.timers).toHaveLength(0);
    bench.window.open();
    await settled();
    expect(bench.admissions).toHaveLength(101);
  });

  it('needs a timer', () => {
    const window = new CreditWindow({ now: () => 0 });
    const grant = { epoch: 'e', windowNumber: 1, windowSeconds: 30, allocatedTps: 1, creditBudget: 30 };
    expect(() => window.grant(grant, { pacing: { burstSeconds: 1 } })).toThrow('needs a timer');
  });
});

describe('credits with an end', () => {
  it('admit nothing from then on, and what waits counts as being out of credits', async () => {
    const bench = new Bench();
    const grant = { epoch: 'e', windowNumber: 1, windowSeconds: 30, allocatedTps: 1, creditBudget: 30 };
    bench.window.grant(grant, { validUntilMs: 1_000 });
    bench.nowMs = 999;
    bench.charge(1);
    bench.nowMs = 1_000;
    bench.charge(1);
    expect(bench.admissions).toHaveLength(1);
    bench.nowMs = 3_000;
    expect(bench.window.endWindow()).toMatchObject({ chargedOps: 1, parkedOps: 1, exhaustedMs: 2_000 });
  });
});
