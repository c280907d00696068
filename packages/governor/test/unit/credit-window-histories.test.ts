import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CreditWindow, type WindowReport } from '../../src/index.ts';

type Action =
  | { do: 'charge'; cost: number; signal: number | null }
  | { do: 'grant'; credits: number }
  | { do: 'repeatGrant' }
  | { do: 'endWindow' }
  | { do: 'abort'; signal: number }
  | { do: 'open' };

const SIGNALS = 4;
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('charge' as const),
      cost: fc.oneof(fc.constantFrom(1, 11), fc.integer({ min: 1, max: 60 })),
      signal: fc.option(fc.nat(SIGNALS - 1)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('grant' as const), credits: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeatGrant' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('endWindow' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), signal: fc.nat(SIGNALS - 1) }) },
);
const opening: fc.Arbitrary<Action> = fc.record({ do: fc.constant('open' as const) });
const enforced = fc.array(fc.tuple(action, fc.nat(3_000)), { maxLength: 200, size: 'max' });
const withOpening = fc.array(fc.tuple(fc.oneof({ weight: 19, arbitrary: action }, opening), fc.nat(3_000)), {
  maxLength: 200,
  size: 'max',
});

interface Operation {
  cost: number;
  signal: number | null;
  state: 'parked' | 'admitted' | 'aborted';
  settled: number;
}

/** Plays actions against a window and keeps books of its own. Promises settle in microtasks: `play` waits for them. */
class Client {
  nowMs = 0;
  readonly window = new CreditWindow({ now: () => this.nowMs });
  readonly operations: Operation[] = [];
  /** Indices of operations in the order in which they were admitted. */
  readonly admissions: number[] = [];
  readonly controllers = Array.from({ length: SIGNALS }, () => new AbortController());
  grants = 0;
  lastCredits = 0;
  granted = 0;
  charged = 0;
  reports: WindowReport[] = [];

  async play(next: Action, passesMs: number): Promise<void> {
    this.nowMs += passesMs;
    switch (next.do) {
      case 'charge':
        this.#charge(next.cost, next.signal);
        break;
      case 'grant':
        // As agents do it: the window ends before the next begins, so every charge is in a report.
        this.#end();
        this.grants += 1;
        this.granted += next.credits;
        this.lastCredits = next.credits;
        this.#grant();
        break;
      case 'repeatGrant':
        if (this.grants > 0) this.#grant();
        break;
      case 'endWindow':
        this.#end();
        break;
      case 'abort':
        this.controllers[next.signal]?.abort(`signal ${next.signal}`);
        break;
      case 'open':
        this.#end();
        this.window.open();
        break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  parked(): Operation[] {
    return this.operations.filter((operation) => operation.state === 'parked');
  }

  #end(): void {
    const report = this.window.endWindow();
    if (report !== null && !this.reports.includes(report)) this.reports.push(report);
  }

  #grant(): void {
    this.window.grant({
      epoch: 'e1',
      windowNumber: this.grants,
      windowSeconds: 30,
      allocatedTps: this.lastCredits / 30,
      creditBudget: this.lastCredits,
    });
  }

  #charge(cost: number, signal: number | null): void {
    const index = this.operations.length;
    const operation: Operation = { cost, signal, state: 'parked', settled: 0 };
    this.operations.push(operation);
    const enforcing = this.window.mode !== 'open';
    const admit = (): void => {
      operation.state = 'admitted';
      operation.settled += 1;
      this.admissions.push(index);
      if (enforcing) this.charged += cost;
    };
    const controller = signal === null ? undefined : this.controllers[signal];
    const parked = this.window.charge('PUT', cost, controller?.signal);
    if (parked === undefined) admit();
    else {
      parked.then(admit, (reason: unknown) => {
        operation.state = reason === `signal ${signal}` ? 'aborted' : 'parked';
        operation.settled += 1;
      });
    }
  }
}

async function after(actions: readonly (readonly [Action, number])[], check: (client: Client) => void): Promise<void> {
  const client = new Client();
  for (const [next, passesMs] of actions) {
    await client.play(next, passesMs);
    check(client);
  }
}

describe('whatever operations, grants and aborts come', () => {
  it('no operation overtakes an older one, and each settles once', async () => {
    await fc.assert(
      fc.asyncProperty(withOpening, (actions) =>
        after(actions, (client) => {
          // An operation that an abort let past an older one is no overtaking: the older one is gone.
          expect(client.admissions).toEqual([...client.admissions].sort((a, b) => a - b));
          const oldestParked = client.operations.findIndex(({ state }) => state === 'parked');
          const youngestAdmitted = client.admissions.at(-1) ?? -1;
          expect(oldestParked === -1 || oldestParked > youngestAdmitted).toBe(true);
          expect(client.operations.every(({ state, settled }) => settled === (state === 'parked' ? 0 : 1))).toBe(true);
          expect(client.window.parkedOps).toBe(client.parked().length);
        }),
      ),
    );
  });

  it('no wake-up is lost: what waits lacks credits, belongs to no aborted signal, or the window is closed', async () => {
    await fc.assert(
      fc.asyncProperty(withOpening, (actions) =>
        after(actions, (client) => {
          const waiting = client.parked();
          const [oldest] = waiting;
          expect(
            waiting.every(({ signal }) => signal === null || client.controllers[signal]?.signal.aborted === false),
          ).toBe(true);
          expect(client.window.mode === 'open' ? waiting.length : 0).toBe(0);
          const credits = client.window.mode === 'enforced' ? client.window.remainingCredits : 0;
          expect(oldest?.cost ?? Number.POSITIVE_INFINITY).toBeGreaterThan(credits);
        }),
      ),
    );
  });

  it('nothing is charged without credit: charged ≤ granted + debt, and debt is less than one charge', async () => {
    await fc.assert(
      fc.asyncProperty(enforced, (actions) =>
        after(actions, (client) => {
          expect(client.charged).toBeLessThanOrEqual(client.granted + client.window.debtCredits);
          expect(client.window.debtCredits).toBeLessThan(60);
        }),
      ),
    );
  });

  it('every charge is in exactly one report, and only a charge larger than its window exceeds a budget', async () => {
    await fc.assert(
      fc.asyncProperty(enforced, async (actions) => {
        const client = new Client();
        for (const [next, passesMs] of actions) await client.play(next, passesMs);
        await client.play({ do: 'grant', credits: 0 }, 1);
        expect(client.reports.reduce((sum, report) => sum + report.chargedOps, 0)).toBe(client.charged);
        for (const report of client.reports) {
          const { windowMs, exhaustedMs, actualTps, meanTps, peakSecondTps, chargedOps, creditBudget } = report;
          expect(chargedOps).toBeLessThanOrEqual(Math.max(creditBudget, creditBudget > 0 ? 60 : 0));
          expect(exhaustedMs).toBeGreaterThanOrEqual(0);
          expect(exhaustedMs).toBeLessThanOrEqual(windowMs);
          expect(actualTps).toBeGreaterThanOrEqual(meanTps);
          expect(peakSecondTps).toBeLessThanOrEqual(chargedOps);
          expect(Number.isFinite(actualTps)).toBe(true);
          expect(Object.values(report.chargedByType).reduce((sum, ops) => sum + ops, 0)).toBe(chargedOps);
        }
      }),
    );
  });

  it('an operation of any size gets through once enough windows have passed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 20 }),
        async (costs, credits) => {
          const client = new Client();
          for (const cost of costs) await client.play({ do: 'charge', cost, signal: null }, 0);
          const total = costs.reduce((sum, cost) => sum + cost, 0);
          // Each operation may leave the rest of one window unused.
          const windows = Math.ceil(total / credits) + costs.length;
          for (let window = 0; window < windows; window += 1) await client.play({ do: 'grant', credits }, 30_000);
          expect(client.parked()).toEqual([]);
        },
      ),
    );
  });
});
