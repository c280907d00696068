import { beforeEach, describe, expect, it } from 'vitest';
import { CreditWindow, type AbortSource, type TransactionType, type WindowGrant } from '../../src/index.ts';

let nowMs = 0;
let window: CreditWindow;
let nextNumber = 1;

beforeEach(() => {
  nowMs = 0;
  nextNumber = 1;
  window = new CreditWindow({ now: () => nowMs });
});

function grantOf(creditBudget: number, overrides: Partial<WindowGrant> = {}): WindowGrant {
  const windowNumber = nextNumber;
  nextNumber += 1;
  return { epoch: 'e1', windowNumber, windowSeconds: 30, allocatedTps: creditBudget / 30, creditBudget, ...overrides };
}

/** A charge that must be admitted at once. */
function take(cost: number, type: TransactionType = 'PUT'): void {
  expect(window.charge(type, cost), `${cost} credits are there`).toBeUndefined();
}

/** A charge that must park. */
function park(cost: number, signal?: AbortSource): Promise<number> {
  const parked = window.charge('PUT', cost, signal);
  if (parked === undefined) throw new Error(`a charge of ${cost} was admitted that should park`);
  return parked;
}

/** Parks or admits; records in `log` the order in which operations go through. */
async function send(name: string, log: string[], cost = 1): Promise<void> {
  await window.charge('PUT', cost);
  log.push(name);
}

const microtasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('admission', () => {
  it('parks everything before the first grant', async () => {
    const parked = park(1);
    expect(window.mode).toBe('closed');
    expect(window.parkedOps).toBe(1);
    nowMs = 250;
    window.grant(grantOf(1));
    await expect(parked).resolves.toBe(250);
    expect(window.parkedOps).toBe(0);
  });

  it('admits at once while credits last, then parks', () => {
    window.grant(grantOf(3));
    expect(window.charge('PUT', 1)).toBeUndefined();
    expect(window.charge('LIST', 2)).toBeUndefined();
    expect(window.remainingCredits).toBe(0);
    void park(1);
  });

  it('parks a charge that would exceed what is left, and everything younger behind it', async () => {
    const log: string[] = [];
    window.grant(grantOf(15));
    await send('first', log, 10);
    const large = send('large', log, 11);
    const small = send('small', log, 1);
    expect(log).toEqual(['first']);
    expect(window.remainingCredits).toBe(5);
    window.grant(grantOf(15));
    await Promise.all([large, small]);
    expect(log).toEqual(['first', 'large', 'small']);
    expect(window.remainingCredits).toBe(3);
  });

  it('wakes parked operations in the order in which they came, over several windows', async () => {
    const log: string[] = [];
    const names = Array.from({ length: 25 }, (_, index) => `op-${index}`);
    for (const name of names) void send(name, log);
    for (const expected of [10, 20, 25]) {
      window.grant(grantOf(10));
      await microtasks();
      expect(log).toEqual(names.slice(0, expected));
    }
  });

  it('replaces unspent credits, never adds to them', () => {
    window.grant(grantOf(100));
    take(1);
    window.grant(grantOf(50));
    expect(window.remainingCredits).toBe(50);
  });

  it('does not hand out the same credits twice when an answer is repeated or overtaken', () => {
    const first = grantOf(10);
    window.grant(first);
    take(10);
    window.grant(first);
    expect(window.remainingCredits).toBe(0);
    const second = grantOf(10);
    window.grant(second);
    take(4);
    window.grant(first);
    expect(window.remainingCredits).toBe(6);
    window.endWindow();
    window.grant(second);
    expect(window.mode).toBe('closed');
    window.grant(grantOf(7, { epoch: 'e2', windowNumber: 1 }));
    expect(window.remainingCredits).toBe(7);
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses a cost of %d', (cost) => {
    expect(() => window.charge('PUT', cost)).toThrow(RangeError);
    window.grant(grantOf(10));
    expect(() => window.charge('PUT', cost)).toThrow(RangeError);
    expect(window.remainingCredits).toBe(10);
    expect(window.parkedOps).toBe(0);
  });
});

describe('a charge larger than a whole window', () => {
  it('is admitted alone at the start of a window and paid from the grants that follow', () => {
    window.grant(grantOf(5));
    expect(window.charge('PUT', 11)).toBeUndefined();
    expect(window.remainingCredits).toBe(0);
    expect(window.debtCredits).toBe(6);
    void park(1);
    window.grant(grantOf(5));
    expect(window.debtCredits).toBe(1);
    expect(window.parkedOps).toBe(1);
    window.grant(grantOf(5));
    expect(window.debtCredits).toBe(0);
    expect(window.parkedOps).toBe(0);
    expect(window.remainingCredits).toBe(3);
  });

  it('waits for the start of a window when something was charged in this one', () => {
    window.grant(grantOf(5));
    take(1);
    void park(11);
    window.grant(grantOf(5));
    expect(window.parkedOps).toBe(0);
    expect(window.endWindow()).toMatchObject({ chargedOps: 11, creditBudget: 5 });
  });

  it('is not admitted into a window without credits', () => {
    window.grant(grantOf(0));
    void park(11);
    expect(window.debtCredits).toBe(0);
  });

  it('parks like any other when a normal window could hold it', () => {
    window.grant(grantOf(20));
    take(10);
    void park(11);
    expect(window.debtCredits).toBe(0);
  });
});

describe('an aborted operation', () => {
  it('leaves the queue with the reason of its signal and costs nothing', async () => {
    const controller = new AbortController();
    const parked = park(1, controller.signal);
    const other = park(1);
    controller.abort(new Error('job cancelled'));
    await expect(parked).rejects.toThrow('job cancelled');
    expect(window.parkedOps).toBe(1);
    window.grant(grantOf(1));
    await expect(other).resolves.toBe(0);
  });

  it('lets the next one pass when the credits suffice for that', async () => {
    const controller = new AbortController();
    window.grant(grantOf(15));
    take(10);
    const large = park(11, controller.signal);
    const small = park(2);
    expect(window.parkedOps).toBe(2);
    controller.abort(new Error('stop'));
    await expect(large).rejects.toThrow('stop');
    await expect(small).resolves.toBe(0);
    expect(window.remainingCredits).toBe(3);
  });

  it('takes all operations of its signal out and no other', async () => {
    const stopped = new AbortController();
    const running = new AbortController();
    const results = Array.from({ length: 10 }, (_, index) =>
      park(1, index % 2 === 0 ? stopped.signal : running.signal),
    );
    stopped.abort(new Error('stop'));
    window.grant(grantOf(5));
    const settled = await Promise.allSettled(results);
    expect(settled.map((result) => result.status)).toEqual(
      results.map((_, index) => (index % 2 === 0 ? 'rejected' : 'fulfilled')),
    );
  });

  it('is refused at once when the signal was aborted before, without taking a place or a credit', async () => {
    window.grant(grantOf(1));
    take(1);
    await expect(window.charge('PUT', 1, AbortSignal.abort('gone'))).rejects.toBe('gone');
    expect(window.parkedOps).toBe(0);
  });

  it('leaves no listener behind once it is admitted', async () => {
    const listeners = { added: 0, removed: 0 };
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: () => (listeners.added += 1),
      removeEventListener: () => (listeners.removed += 1),
    };
    const parked = [park(1, signal), park(1, signal)];
    expect(listeners).toEqual({ added: 1, removed: 0 });
    window.grant(grantOf(2));
    await Promise.all(parked);
    expect(listeners).toEqual({ added: 1, removed: 1 });
  });
});

describe('limiter off', () => {
  it('admits everything parked in order, and charges nothing from then on', async () => {
    const log: string[] = [];
    const waiting = ['a', 'b', 'c'].map((name) => send(name, log, 1_000));
    window.open();
    await Promise.all(waiting);
    expect(log).toEqual(['a', 'b', 'c']);
    expect(window.charge('PUT', 1_000)).toBeUndefined();
    expect(window.mode).toBe('open');
    expect(window.endWindow()).toBeNull();
    expect(window.mode).toBe('open');
  });

  it('enforces again with the next grant', () => {
    window.grant(grantOf(5));
    window.open();
    expect(window.charge('PUT', 100)).toBeUndefined();
    window.grant(grantOf(5));
    expect(window.charge('PUT', 5)).toBeUndefined();
    void park(1);
    expect(window.endWindow()).toMatchObject({ chargedOps: 5 });
  });
});

describe('the report of a window', () => {
  it('164 TPS are 4,920 credits; spent in 10 s they report 492 TPS, 300 % of the allocation', () => {
    window.grant({ epoch: 'e1', windowNumber: 1, windowSeconds: 30, allocatedTps: 164, creditBudget: 164 * 30 });
    let parked = 0;
    for (let op = 0; op <= 4_920; op += 1) {
      nowMs = (op / 4_920) * 10_000;
      if (window.charge('PUT', 1) !== undefined) parked += 1;
    }
    expect(parked).toBe(1);
    nowMs = 30_000;
    const report = window.endWindow();
    expect(report).toMatchObject({
      windowNumber: 1,
      windowMs: 30_000,
      creditBudget: 4_920,
      chargedOps: 4_920,
      exhaustedMs: 20_000,
      actualTps: 492,
      meanTps: 164,
      peakSecondTps: 492,
      parkedOps: 1,
    });
    expect(((report?.actualTps ?? 0) / 164) * 100).toBe(300);
  });

  it('counts no exhausted time while credits are out but nobody waits', () => {
    window.grant(grantOf(10));
    nowMs = 2_000;
    take(10);
    nowMs = 10_000;
    expect(window.endWindow()).toMatchObject({ exhaustedMs: 0, actualTps: 1, meanTps: 1 });
  });

  it('stops counting exhausted time when the last parked operation is aborted', async () => {
    const controller = new AbortController();
    window.grant(grantOf(10));
    take(10);
    nowMs = 4_000;
    const parked = park(1, controller.signal);
    nowMs = 9_000;
    controller.abort(new Error('stop'));
    await expect(parked).rejects.toThrow('stop');
    nowMs = 10_000;
    expect(window.endWindow()).toMatchObject({ windowMs: 10_000, exhaustedMs: 5_000, actualTps: 2 });
  });

  it('is frozen when the window ends: nothing is charged between two windows', () => {
    window.grant(grantOf(10));
    take(3);
    nowMs = 30_000;
    const report = window.endWindow();
    void park(1);
    expect(window.remainingCredits).toBe(0);
    nowMs = 33_000;
    expect(window.endWindow()).toBe(report);
    window.grant(grantOf(10));
    expect(report).toMatchObject({ chargedOps: 3, chargedByType: { LIST: 0, GET: 0, PUT: 3, DELETE: 0 } });
    nowMs = 63_000;
    expect(window.endWindow()).toMatchObject({ windowNumber: 2, windowMs: 30_000, chargedOps: 1 });
  });

  it('is null before the first grant', () => {
    expect(window.endWindow()).toBeNull();
    void park(1);
    expect(window.endWindow()).toBeNull();
  });

  it('names the busiest whole second since the start of the window', () => {
    nowMs = 500;
    window.grant(grantOf(1_000));
    for (const [atMs, ops] of [
      [500, 3],
      [1_499, 4],
      [1_500, 5],
      [9_000, 6],
      [9_499, 1],
      [9_500, 2],
    ] as const) {
      nowMs = atMs;
      take(ops, 'GET');
    }
    nowMs = 30_500;
    expect(window.endWindow()).toMatchObject({ peakSecondTps: 7, chargedByType: { GET: 21 } });
  });

  it('computes a burst of an instant over a second, not over nothing', () => {
    for (let op = 0; op < 200; op += 1) void park(1);
    window.grant(grantOf(100));
    nowMs = 30_000;
    expect(window.endWindow()).toMatchObject({ exhaustedMs: 30_000, actualTps: 100, peakSecondTps: 100 });
  });

  it('stays finite when the window ends in the moment in which it began', () => {
    window.grant(grantOf(10));
    take(10);
    expect(window.endWindow()).toMatchObject({ windowMs: 0, actualTps: 10, meanTps: 10 });
  });
});

describe('size', () => {
  it('parks 100,000 operations under one signal and settles each exactly once', async () => {
    const controller = new AbortController();
    let admitted = 0;
    let aborted = 0;
    const all = Array.from({ length: 100_000 }, () => park(1, controller.signal));
    const settled = all.map((parked) =>
      parked.then(
        () => (admitted += 1),
        () => (aborted += 1),
      ),
    );
    expect(window.parkedOps).toBe(100_000);
    window.grant(grantOf(60_000));
    controller.abort();
    await Promise.all(settled);
    expect({ admitted, aborted, parked: window.parkedOps }).toEqual({ admitted: 60_000, aborted: 40_000, parked: 0 });
  });
});
