import type { Counter, Lane, WaitingTake } from './counter.ts';
import type { Engine } from './engine.ts';
import type { QuotaError } from './errors.ts';
import { applyDraw, type Landing } from './landing.ts';
import { returnLate } from './late.ts';
import { planDraws, type PlannedDraw } from './split.ts';
import type { Drawn } from './store.ts';
import { asQuotaError, isOutage, laneFailed, laneSucceeded, settled } from './store-calls.ts';
import { decideWithoutStore } from './verdict.ts';
import { Watchdog } from './watchdog.ts';

/*
 * How takes travel.
 *
 *   take ──▶ counter.waiting ──end of the tick──▶ one batch per lane ──▶ store ──▶ split among the takes, in order
 *                 ▲                                                        │
 *                 └── takes that come while the counter's draw is ─────────┘ under way wait here and travel together
 *
 * A counter has at most one draw under way, so a hot counter costs one increment per round trip, however many takes it serves.
 * What the store does not answer in time is decided by the quota's outage policy; a reply that comes later is returned.
 */

/** Most draws in one call to the store. */
const MAX_BATCH = 1_000;

// Part of every host that the package supports; it is compiled without their types.
declare function queueMicrotask(run: () => void): void;

/** One counter's draws in one call. */
export interface Flight {
  readonly counter: Counter;
  readonly planned: readonly PlannedDraw[];
  readonly batch: Batch;
  readonly dueMs: number;
  /** Decided without the store, because it did not answer in time. */
  overdue: boolean;
  /** The takes that were then admitted. */
  readonly admitted: Set<WaitingTake>;
}

interface Batch {
  readonly lane: Lane;
  failed: boolean;
}

/** Sends what waits at the end of each tick and hands out the answers. */
export class Dispatcher {
  readonly #engine: Engine;
  readonly #landing: Landing;
  readonly #watchdogs = new Map<number, Watchdog<Flight>>();
  #queued: Counter[] = [];
  #scheduled = false;

  constructor(engine: Engine, hooks: Pick<Landing, 'reap' | 'leased'>) {
    this.#engine = engine;
    this.#landing = { engine, ...hooks, enqueue: (counter) => this.enqueue(counter) };
  }

  /** Puts a counter with waiting takes into the batch of this tick. */
  enqueue(counter: Counter): void {
    if (counter.queued || counter.inFlight) return;
    counter.queued = true;
    this.#queued.push(counter);
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#flush());
  }

  /** Decides what is under way without waiting for the store any longer. */
  stop(): void {
    const nowMs = this.#engine.clock();
    for (const watchdog of this.#watchdogs.values()) watchdog.stop(nowMs);
  }

  #flush(): void {
    this.#scheduled = false;
    const queued = this.#queued;
    this.#queued = [];
    const nowMs = this.#engine.clock();
    const lanes = new Map<Lane, Counter[]>();
    for (const counter of queued) {
      counter.queued = false;
      const list = lanes.get(counter.lane);
      if (list === undefined) lanes.set(counter.lane, [counter]);
      else list.push(counter);
    }
    for (const [lane, counters] of lanes) {
      for (let at = 0; at < counters.length; at += MAX_BATCH)
        this.#send(lane, counters.slice(at, at + MAX_BATCH), nowMs);
    }
  }

  #send(lane: Lane, counters: readonly Counter[], nowMs: number): void {
    const { engine } = this.#landing;
    if (!lane.breaker.admits(nowMs)) {
      for (const counter of counters) this.#giveUp(counter, nowMs);
      return;
    }
    const batch: Batch = { lane, failed: false };
    const flights = counters.map((counter) => this.#depart(counter, batch, nowMs));
    const draws = flights.flatMap((flight) => flight.planned.map((planned) => planned.draw));
    engine.metrics.storeCalls += 1;
    engine.metrics.draws += draws.length;
    settled(() => engine.store.take(draws)).then(
      (results) => this.#land(batch, flights, results),
      (error: unknown) => {
        const failure = asQuotaError(error);
        this.#land(
          batch,
          flights,
          draws.map(() => failure),
        );
      },
    );
  }

  #depart(counter: Counter, batch: Batch, nowMs: number): Flight {
    const takes = counter.waiting;
    counter.waiting = [];
    counter.inFlight = true;
    const planned = planDraws(counter, takes, nowMs);
    counter.owed = 0;
    if (takes.length > 1) this.#engine.metrics.coalesced += takes.length - 1;
    const budgetMs = counter.rules.budgetMs;
    const dueMs = (takes[0]?.atMs ?? nowMs) + budgetMs;
    const flight: Flight = { counter, planned, batch, dueMs, overdue: false, admitted: new Set() };
    this.#watchdog(budgetMs).add(flight, nowMs);
    return flight;
  }

  #land(batch: Batch, flights: readonly Flight[], results: readonly (Drawn | Error)[]): void {
    const nowMs = this.#engine.clock();
    this.#tellLane(batch, results);
    let at = 0;
    for (const flight of flights) {
      const own = results.slice(at, at + flight.planned.length);
      at += flight.planned.length;
      if (!flight.overdue) this.#arrive(flight, own, nowMs);
      else returnLate(this.#engine, flight.counter, flight.planned, flight.admitted, own);
    }
  }

  #arrive(flight: Flight, results: readonly (Drawn | Error)[], nowMs: number): void {
    const { counter, planned } = flight;
    this.#watchdog(counter.rules.budgetMs).remove(flight);
    counter.inFlight = false;
    planned.forEach((one, index) => applyDraw(this.#landing, counter, one, results[index] ?? missing(), nowMs));
    if (counter.waiting.length > 0) this.enqueue(counter);
  }

  /** The store did not answer in time: what travels and what waits behind it is decided here. */
  #overdue(flight: Flight, nowMs: number): void {
    const { counter, batch } = flight;
    flight.overdue = true;
    counter.inFlight = false;
    if (!batch.failed) {
      batch.failed = true;
      this.#engine.metrics.storeTimeouts += 1;
      laneFailed(this.#engine, batch.lane, asQuotaError(new Error('the store did not answer within the budget')));
    }
    for (const { kind, draw, takes } of flight.planned) {
      if (kind === 'debt') counter.unknown += draw.amount;
      for (const take of takes) {
        const decision = decideWithoutStore(this.#engine, counter, take, nowMs, true);
        if (decision.allowed) flight.admitted.add(take);
        take.answer(decision);
      }
    }
    this.#giveUp(counter, nowMs);
  }

  /** Decides everything that waits for this counter without the store. */
  #giveUp(counter: Counter, nowMs: number): void {
    const takes = counter.waiting;
    counter.waiting = [];
    for (const take of takes) take.answer(decideWithoutStore(this.#engine, counter, take, nowMs, false));
  }

  /** A batch counts as one success or one failure of its lane. */
  #tellLane(batch: Batch, results: readonly (Drawn | Error)[]): void {
    const { engine } = this.#landing;
    // Given up before: an answer that comes too late is no success.
    if (batch.failed) return;
    const failures = results.filter((result) => result instanceof Error).map(asQuotaError);
    const outage = failures.find(isOutage);
    if (outage === undefined || failures.length < results.length) {
      laneSucceeded(engine, batch.lane);
      return;
    }
    engine.metrics.storeFailures += 1;
    batch.failed = true;
    laneFailed(engine, batch.lane, outage);
  }

  #watchdog(budgetMs: number): Watchdog<Flight> {
    const known = this.#watchdogs.get(budgetMs);
    if (known !== undefined) return known;
    const { clock, timers } = this.#engine;
    const made = new Watchdog<Flight>(clock, timers, (flight, nowMs) => this.#overdue(flight, nowMs));
    this.#watchdogs.set(budgetMs, made);
    return made;
  }
}

function missing(): QuotaError {
  return asQuotaError(new Error('the store answered fewer results than it was asked for'));
}
