import * as fc from 'fast-check';
import { Coordinator, type PolicyName } from '@weir/governor';
import type { Grant } from '@weir/protocol';
import { MemoryStore } from '@weir/quota';
import { expect, test } from 'vitest';
import { longestLeaseMs, OvershootGuard } from '../../src/fleet/overshoot-guard.ts';
import { LedgerUnavailable } from '../../src/ports/credit-ledger.ts';
import { PeriodCreditLedger } from '../../src/fleet/period-credit-ledger.ts';
import { SimulatedLedgerServer } from '../support/simulated-ledger-server.ts';

const WINDOW_SECONDS = 30;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const AGENTS = 8;

interface Step {
  do:
    | 'beat'
    | 'stop'
    | 'restart-agent'
    | 'restart-console'
    | 'duplicate'
    | 'accept'
    | 'flush-ledger'
    | 'restart-ledger-empty'
    | 'restart-ledger-with-old-counters';
  who: number;
  console: number;
  passesMs: number;
  /** What becomes of the request and its answer, and how long each is under way. */
  fate: 'arrives' | 'request-lost' | 'answer-lost' | 'ledger-away';
  thereMs: number;
  backMs: number;
  /** Part of its allocation that the agent reports to use. */
  use: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    { weight: 14, arbitrary: fc.constant('beat' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom('stop', 'restart-agent', 'restart-console', 'duplicate', 'accept'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('flush-ledger', 'restart-ledger-empty', 'restart-ledger-with-old-counters'),
    },
  ),
  who: fc.nat(AGENTS - 1),
  console: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  passesMs: fc.oneof(fc.nat(4_000), fc.nat(4_000), fc.nat(4_000), fc.nat(45_000)),
  fate: fc.oneof(
    { weight: 8, arbitrary: fc.constant('arrives' as const) },
    { weight: 1, arbitrary: fc.constantFrom('request-lost', 'answer-lost', 'ledger-away') },
  ),
  thereMs: fc.oneof(fc.nat(50), fc.nat(50), fc.nat(5_000)),
  backMs: fc.oneof(fc.nat(50), fc.nat(50), fc.nat(5_000)),
  use: fc.constantFrom(0, 0.1, 0.5, 0.95, 3),
});

/** A process of an agent: what it may still spend, and until when. */
interface Process {
  bootId: string;
  grant: Grant | null;
  askedAtMs: number;
  /** Highest window that it ran under, per epoch: a repeated grant is not run twice. */
  reached: Map<string, number>;
}

interface Request {
  agent: number;
  process: Process;
  consoleIndex: number;
  ends: { epoch: string; windowNumber: number } | null;
  use: number;
  askedAtMs: number;
}

interface SimulatedConsole {
  coordinator: Coordinator;
  guard: OvershootGuard;
  /** What its clock shows beyond the time that passes. */
  aheadMs: number;
}

/**
 * Two consoles with coordinators of their own, and clocks ten minutes apart, over one ledger that may be lost, and agents that
 * keep books of what is live.
 */
class World {
  nowMs = 500_000;
  readonly budget: number;
  readonly server = new SimulatedLedgerServer(() => this.nowMs);
  readonly #policy: PolicyName;
  #lives = 0;
  #boots = 0;
  consoles: SimulatedConsole[];
  /** All processes that ever ran: a superseded one goes on spending what it has. */
  readonly processes: Process[] = [];
  readonly current: Process[] = [];
  readonly last: (Request | null)[] = [];
  highest = 0;
  grants = 0;

  constructor(limitTps: number, policy: PolicyName) {
    this.budget = Math.floor(limitTps * WINDOW_SECONDS);
    this.#policy = policy;
    this.consoles = [this.#newConsole(limitTps, false), this.#newConsole(limitTps, false)];
    for (let agent = 0; agent < AGENTS; agent += 1) this.#boot(agent);
  }

  #newConsole(limitTps: number, mayBeHeld: boolean): SimulatedConsole {
    this.#lives += 1;
    const aheadMs = (this.#lives % 3) * 600_000;
    const coordinator = new Coordinator({
      epoch: `e${this.#lives}`,
      windowSeconds: WINDOW_SECONDS,
      enabled: true,
      globalLimitTps: limitTps,
      policy: this.#policy,
      settles: true,
    });
    if (mayBeHeld) {
      const heard = this.current.map((_, agent) => ({ id: `a${agent}`, lastHeartbeatAtMs: this.nowMs + aheadMs }));
      coordinator.restore(heard);
    }
    const ledger = new PeriodCreditLedger({
      // Each console counts on its own: what they share is the server, as with one Redis.
      tier: this.server,
      windowSeconds: WINDOW_SECONDS,
      leaseMs: longestLeaseMs(WINDOW_MS),
      steadyMs: () => this.nowMs + aheadMs,
      shared: true,
    });
    ledger.begin(mayBeHeld);
    const guard = new OvershootGuard({
      ledger,
      windowMs: WINDOW_MS,
      cut: (agentId, windowNumber, allocatedTps) => coordinator.cut(agentId, windowNumber, allocatedTps),
    });
    return { coordinator, guard, aheadMs };
  }

  #boot(agent: number): void {
    this.#boots += 1;
    const process = { bootId: `b${this.#boots}`, grant: null, askedAtMs: 0, reached: new Map<string, number>() };
    this.processes.push(process);
    this.current[agent] = process;
    this.last[agent] = null;
  }

  /** Credits that anybody can still spend now. */
  live(): number {
    let sum = 0;
    for (const { grant, askedAtMs } of this.processes) {
      if (grant !== null && this.nowMs < askedAtMs + (grant.validSeconds ?? Infinity) * 1_000)
        sum += grant.creditBudget;
    }
    return sum;
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  async play(next: Step): Promise<void> {
    this.pass(next.passesMs);
    const process = this.current[next.who];
    if (process === undefined) return;
    if (next.do === 'restart-console') {
      this.consoles[next.console] = this.#newConsole(this.budget / WINDOW_SECONDS, true);
      return;
    }
    if (next.do === 'flush-ledger') return this.server.flush();
    if (next.do === 'restart-ledger-empty') return this.server.restart('empty');
    if (next.do === 'restart-ledger-with-old-counters') return this.server.restart('with-old-counters');
    if (next.do === 'restart-agent') this.#boot(next.who);
    if (next.do === 'duplicate') {
      // A copy of an earlier request that comes late, answered to nobody, or to whoever still runs.
      const request = this.last[next.who];
      if (request !== null && request !== undefined) await this.#deliver(request, next, 1);
      return;
    }
    const sender = this.current[next.who] ?? process;
    // The report is frozen as the heartbeat begins: what is left of the window is void.
    const { grant } = sender;
    const ends = grant === null ? null : { epoch: grant.epoch, windowNumber: grant.windowNumber };
    sender.grant = null;
    const request = {
      agent: next.who,
      process: sender,
      consoleIndex: next.console,
      ends: ends ?? this.last[next.who]?.ends ?? null,
      use: next.use,
      askedAtMs: this.nowMs,
    };
    this.last[next.who] = request;
    await this.#deliver(request, next, next.do === 'stop' ? 0 : 1);
  }

  async #deliver(request: Request, { fate, thereMs, backMs }: Step, runningJobs: number): Promise<void> {
    const { process, ends } = request;
    if (fate === 'request-lost') return;
    const askedAtMs = this.nowMs;
    this.pass(thereMs);
    const found = this.consoles[request.consoleIndex];
    if (found === undefined) return;
    const agentId = `a${request.agent}`;
    const consoleMs = this.nowMs + found.aheadMs;
    const computed = found.coordinator.heartbeat(
      agentId,
      {
        epoch: ends?.epoch ?? null,
        windowNumber: ends?.windowNumber ?? null,
        runningJobs,
        limiter: true,
        chargedOps: request.use * 1_000,
        actualTps: (request.use * this.budget) / WINDOW_SECONDS / AGENTS,
      },
      consoleMs,
    );
    const asked = { agentId, bootId: process.bootId, ends };
    this.server.away = fate === 'ledger-away';
    try {
      if (computed === null) {
        await found.guard.release(asked, consoleMs);
        return;
      }
      const { grant } = await found.guard.secure(asked, computed, this.budget, consoleMs);
      if (grant !== null && fate !== 'answer-lost') this.#run(grant, process, askedAtMs, backMs);
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
    } finally {
      this.server.away = false;
    }
  }

  /** An answer arrives. */
  #run(grant: Grant, process: Process, askedAtMs: number, backMs: number): void {
    this.pass(backMs);
    if (grant.windowNumber <= (process.reached.get(grant.epoch) ?? 0)) return;
    process.reached.set(grant.epoch, grant.windowNumber);
    process.grant = grant;
    process.askedAtMs = askedAtMs;
    this.grants += 1;
    this.highest = Math.max(this.highest, this.live());
  }
}

test.each(['reclaim', 'max-min'] as const)(
  'with the guard and %s, the sum of live grants never passes the budget of a window: 5,000 histories of joins, restarts, duplicates, losses, and two consoles over a ledger that is lost or away',
  async (policy) => {
    let grants = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 100, max: 5_000 }),
        fc.array(step, { minLength: 10, maxLength: 30 }),
        async (limitTps, steps) => {
          const world = new World(limitTps, policy);
          for (const next of steps) {
            await world.play(next);
            // Live credits only grow when a grant arrives, where `highest` looks.
            if (world.highest > world.budget) throw new Error(`${world.highest} credits live, ${world.budget} allowed`);
          }
          grants += world.grants;
        },
      ),
      { numRuns: 5_000 },
    );
    expect(grants).toBeGreaterThan(10_000);
  },
  180_000,
);

function beat(who: number): Step {
  return { do: 'beat', who, console: 0, passesMs: 0, fate: 'arrives', thereMs: 1, backMs: 1, use: 3 };
}

test('a fleet in step uses the whole budget under the guard', async () => {
  const world = new World(1_000, 'max-min');
  for (let window = 0; window < 6; window += 1) {
    const begunMs = world.nowMs;
    for (let who = 0; who < AGENTS; who += 1) {
      world.nowMs = Math.max(world.nowMs, begunMs + (who * WINDOW_MS) / AGENTS);
      await world.play(beat(who));
    }
    world.nowMs = begunMs + WINDOW_MS;
  }
  expect(world.live()).toBeGreaterThan(0.99 * world.budget);
  expect(world.live()).toBeLessThanOrEqual(world.budget);
});

const grantOf = (windowNumber: number, creditBudget: number) => ({
  epoch: 'e1',
  windowNumber,
  windowSeconds: WINDOW_SECONDS,
  allocatedTps: creditBudget / WINDOW_SECONDS,
  creditBudget,
});

function guardOver(clock: () => number, mayBeHeld = false): OvershootGuard {
  const ledger = new PeriodCreditLedger({
    tier: { store: new MemoryStore({ clock }), connections: () => 0 },
    windowSeconds: WINDOW_SECONDS,
    leaseMs: longestLeaseMs(WINDOW_MS),
    steadyMs: clock,
    shared: false,
  });
  ledger.begin(mayBeHeld);
  return new OvershootGuard({
    ledger,
    windowMs: WINDOW_MS,
    cut: (_, windowNumber, allocatedTps) => grantOf(windowNumber, allocatedTps * WINDOW_SECONDS),
  });
}

test('an agent that finds little free gets that, and asks again sooner', async () => {
  let nowMs = 0;
  const guard = guardOver(() => nowMs);
  const first = { agentId: 'a', bootId: 'b', ends: null };
  const second = { agentId: 'b', bootId: 'b', ends: null };
  expect(await guard.secure(first, grantOf(1, 2_400), 3_000, nowMs)).toMatchObject({
    grant: { creditBudget: 2_400, validSeconds: 31.5 },
    askAgainSeconds: null,
  });
  nowMs = 2_000;
  expect(await guard.secure(second, grantOf(1, 1_500), 3_000, nowMs)).toMatchObject({
    grant: { creditBudget: 600 },
    askAgainSeconds: 5,
  });
  // The first gives back what it does not want any more.
  nowMs = 20_000;
  const ends = { epoch: 'e1', windowNumber: 1 };
  expect((await guard.secure({ ...first, ends }, grantOf(2, 900), 3_000, nowMs)).grant?.creditBudget).toBe(900);
  expect((await guard.secure({ ...second, ends }, grantOf(2, 2_100), 3_000, nowMs)).grant?.creditBudget).toBe(2_100);
});

test('the same heartbeat again gets the same grant with the time that is left; a new process waits until it has run out', async () => {
  let nowMs = 0;
  const guard = guardOver(() => nowMs);
  const asked = { agentId: 'a', bootId: 'b1', ends: null };
  await guard.secure(asked, grantOf(1, 3_000), 3_000, nowMs);
  nowMs = 11_500;
  expect((await guard.secure(asked, grantOf(1, 3_000), 3_000, nowMs)).grant).toMatchObject({
    creditBudget: 3_000,
    validSeconds: 20,
  });
  expect(await guard.secure({ ...asked, bootId: 'b2' }, grantOf(1, 3_000), 3_000, nowMs)).toEqual({
    grant: null,
    askAgainSeconds: 20,
  });
  nowMs = 60_000;
  expect((await guard.secure({ ...asked, bootId: 'b2' }, grantOf(1, 3_000), 3_000, nowMs)).grant?.creditBudget).toBe(
    3_000,
  );
});

test('after a restart with a ledger of its own nothing is granted until earlier grants have run out', async () => {
  let nowMs = 0;
  const guard = guardOver(() => nowMs, true);
  const asked = { agentId: 'a', bootId: 'b1', ends: null };
  const nothing = { grant: null, askAgainSeconds: 5 };
  expect(await guard.secure(asked, grantOf(1, 3_000), 3_000, nowMs)).toEqual(nothing);
  nowMs = 31_499;
  expect(await guard.secure(asked, grantOf(1, 3_000), 3_000, nowMs)).toEqual(nothing);
  nowMs = 31_500;
  const ends = { epoch: 'e1', windowNumber: 1 };
  expect((await guard.secure({ ...asked, ends }, grantOf(2, 3_000), 3_000, nowMs)).grant?.creditBudget).toBe(3_000);
});

test('a new console over the same ledger ends what the one before it granted, and grants it anew at once', async () => {
  const world = new World(1_000, 'max-min');
  for (let window = 0; window < 3; window += 1) {
    for (let who = 0; who < AGENTS; who += 1) await world.play({ ...beat(who), passesMs: who === 0 ? WINDOW_MS : 0 });
  }
  expect(world.live()).toBeGreaterThan(0.99 * world.budget);
  await world.play({ ...beat(0), do: 'restart-console' });
  for (let who = 0; who < AGENTS; who += 1) await world.play({ ...beat(who), passesMs: who === 0 ? 20_000 : 0 });
  expect(world.live()).toBeGreaterThan(0.95 * world.budget);
  expect(world.highest).toBeLessThanOrEqual(world.budget);
});
