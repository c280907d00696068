import { companyOf, pressingAtMs } from './company.ts';
import type { Counter, Lane, WaitingTake } from './counter.ts';
import type { Engine } from './engine.ts';
import { QuotaError } from './errors.ts';
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
 *   take ──▶ counter.waiting ──end of the tick──▶ a batch per lane ──▶ store ──▶ split among the takes, in order
 *                 ▲                                                        │
 *                 └── takes that come while the counter's draw is ─────────┘ under way wait here and travel together
 *
 * A counter has at most one draw under way, so a hot counter costs one increment per round trip, however many takes it serves.
 * When many counters wait, they travel in several batches, with turns of the event loop between: the store counts the first ones
 * while this process writes the next. When few wait and others are under way, they wait for a turn for company: calls that became
 * small would stay so. Nobody waits so for long: when turns take their time, all that is queued travels at once.
 * What the store does not answer in time is decided by the quota's outage policy; a reply that comes later is returned.
 */

/** Most counters in one call to the store, when there is no next turn to wait for. */
const MAX_BATCH = 1_000;

/**
 * Counters in the batch of one turn: half of all that are under way or wait, so that one call is being written or read while
 * another is at the store; within bounds, because a call has a cost of its own, and a large one keeps the store from the others.
 * Measured with 64 takes at a time on Redis: smaller pieces cost more CPU than the waiting that they save, above all where the
 * cores have other work; one piece for all leaves the store idle while this process reads.
 */
const BATCHES_UNDER_WAY = 2;
const LEAST_PACED = 32;
const MOST_PACED = 64;

// Part of every host that the package supports; it is compiled without their types.
declare function queueMicrotask(run: () => void): void;

/** The draws of one call. A counter's draws stand next to each other. */
interface Batch {
  readonly lane: Lane;
  readonly planned: readonly PlannedDraw[];
  /** When its takes must be decided, in ms. */
  dueMs: number;
  /** Counted as a failure of its lane. */
  failed: boolean;
  /** Decided without the store, because it did not answer in time; the takes that were then admitted. */
  overdue: Set<WaitingTake> | undefined;
}

/** Sends what waits at the end of each tick and hands out the answers. */
export class Dispatcher {
  readonly #engine: Engine;
  readonly #landing: Landing;
  readonly #watchdogs = new Map<number, Watchdog<Batch>>();
  #queued: Counter[] = [];
  #scheduled = false;
  /** What is queued has waited for company. */
  #hasWaited = false;
  /** When the first one of what is queued will have waited for long, in ms; may be early, after that one was sent. */
  #pressingAtMs = Number.POSITIVE_INFINITY;
  /** Draws that the store was asked for and has not answered within their budget. */
  #underWay = 0;

  constructor(engine: Engine, hooks: Pick<Landing, 'reap' | 'leased'>) {
    this.#engine = engine;
    this.#landing = { engine, ...hooks, enqueue: (counter) => this.enqueue(counter) };
  }

  /** Puts a counter with waiting takes into the batch of this tick. */
  enqueue(counter: Counter): void {
    if (counter.queued || counter.inFlight) return;
    counter.queued = true;
    this.#queued.push(counter);
    this.#pressingAtMs = Math.min(this.#pressingAtMs, pressingAtMs(counter));
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#flush());
  }

  /** Decides what is under way without waiting for the store any longer. */
  stop(): void {
    const nowMs = this.#engine.clock();
    const queued = this.#queued;
    this.#queued = [];
    for (const counter of queued) {
      counter.queued = false;
      this.#giveUp(counter, nowMs);
    }
    for (const watchdog of this.#watchdogs.values()) watchdog.stop(nowMs);
  }

  #flush(): void {
    this.#scheduled = false;
    const nowMs = this.#engine.clock();
    const queued = this.#nextOnes(nowMs);
    for (const counter of queued) counter.queued = false;
    for (const [lane, lists] of companyOf(queued, nowMs)) {
      for (const counters of lists.values()) {
        const { budgetMs } = counters[0].rules;
        for (let at = 0; at < counters.length; at += MAX_BATCH) {
          const some = counters.length <= MAX_BATCH ? counters : counters.slice(at, at + MAX_BATCH);
          this.#send(lane, budgetMs, some, nowMs);
        }
      }
    }
  }

  /** Those of this turn; the others have theirs after it. */
  #nextOnes(nowMs: number): readonly Counter[] {
    const queued = this.#queued;
    const { timers, store } = this.#engine;
    // A store in this process does nothing while this process does something else.
    if (timers.soon === undefined || store.takeNow !== undefined || this.#isPressing(nowMs)) {
      this.#queued = [];
      this.#hasWaited = false;
      this.#pressingAtMs = Number.POSITIVE_INFINITY;
      return queued;
    }
    const share = Math.ceil((queued.length + this.#underWay) / BATCHES_UNDER_WAY);
    const most = Math.min(MOST_PACED, Math.max(LEAST_PACED, share));
    const few = queued.length < LEAST_PACED && this.#underWay > 0 && !this.#hasWaited;
    this.#hasWaited = few;
    if (few || queued.length > most) this.#flushAfterNextPoll();
    if (few) return [];
    this.#queued = queued.slice(most);
    return queued.slice(0, most);
  }

  /** Whether something has waited for long: turns are long too, then, and there may be many before it is its own. */
  #isPressing(nowMs: number): boolean {
    if (nowMs < this.#pressingAtMs) return false;
    this.#pressingAtMs = Number.POSITIVE_INFINITY;
    for (const counter of this.#queued) this.#pressingAtMs = Math.min(this.#pressingAtMs, pressingAtMs(counter));
    return nowMs >= this.#pressingAtMs;
  }

  /**
   * Clients write at the end of a turn, so in the next turn but one what this turn sends is on its way. Were two batches one write,
   * the store would answer them together, and it and this process would work in turn from then on instead of at the same time.
   */
  #flushAfterNextPoll(): void {
    const { timers } = this.#engine;
    this.#scheduled = true;
    timers.soon?.(() => timers.soon?.(() => this.#flush()));
  }

  #send(lane: Lane, budgetMs: number, counters: readonly Counter[], nowMs: number): void {
    const engine = this.#engine;
    if (!lane.breaker.admits(nowMs)) {
      for (const counter of counters) this.#giveUp(counter, nowMs);
      return;
    }
    const planned: PlannedDraw[] = [];
    let oldestMs = nowMs;
    for (const counter of counters) {
      const takes = counter.waiting;
      // Decided meanwhile, because the engine closes.
      if (takes.length === 0) continue;
      counter.waiting = [];
      counter.inFlight = true;
      oldestMs = Math.min(oldestMs, takes[0]?.atMs ?? nowMs);
      planDraws(counter, takes, nowMs, planned);
      counter.owed = 0;
      engine.metrics.coalesced += Math.max(0, takes.length - 1);
    }
    if (planned.length === 0) return;
    const batch: Batch = { lane, planned, dueMs: oldestMs + budgetMs, failed: false, overdue: undefined };
    this.#watchdog(budgetMs).add(batch, nowMs);
    engine.metrics.storeCalls += 1;
    engine.metrics.draws += planned.length;
    this.#underWay += planned.length;
    settled(() => engine.store.take(planned.map((one) => one.draw))).then(
      (results) => this.#land(batch, budgetMs, results),
      (error: unknown) => this.#land(batch, budgetMs, asQuotaError(error)),
    );
  }

  /** @param results one per draw, or the failure of all. */
  #land(batch: Batch, budgetMs: number, results: readonly (Drawn | Error)[] | Error): void {
    const nowMs = this.#engine.clock();
    const { planned, overdue } = batch;
    if (overdue === undefined) this.#underWay -= planned.length;
    this.#tellLane(batch, results);
    if (overdue === undefined) this.#watchdog(budgetMs).remove(batch);
    for (let index = 0; index < planned.length; index++) {
      const one = planned[index];
      if (one === undefined) break;
      const result = results instanceof Error ? results : (results[index] ?? missing());
      if (overdue !== undefined) {
        returnLate(this.#engine, one, overdue, result);
        continue;
      }
      const { counter } = one;
      applyDraw(this.#landing, one, result, nowMs);
      if (planned[index + 1]?.counter === counter) continue;
      counter.inFlight = false;
      if (counter.waiting.length > 0) this.enqueue(counter);
    }
  }

  /** The store did not answer in time: what travels and what waits behind it is decided here. */
  #overdue(batch: Batch, nowMs: number): void {
    const admitted = new Set<WaitingTake>();
    batch.overdue = admitted;
    this.#underWay -= batch.planned.length;
    this.#engine.metrics.storeTimeouts += 1;
    batch.failed = true;
    const error = new QuotaError('store-timeout', 'the store did not answer within the budget');
    laneFailed(this.#engine, batch.lane, error);
    for (const { kind, counter, draw, takes } of batch.planned) {
      counter.inFlight = false;
      if (kind === 'debt') counter.unknown += draw.amount;
      for (const take of takes) {
        const decision = decideWithoutStore(this.#engine, counter, take, nowMs, true);
        if (decision.allowed) admitted.add(take);
        take.answer(decision);
      }
      this.#giveUp(counter, nowMs);
    }
  }

  /** Decides everything that waits for this counter without the store. */
  #giveUp(counter: Counter, nowMs: number): void {
    const takes = counter.waiting;
    counter.waiting = [];
    for (const take of takes) take.answer(decideWithoutStore(this.#engine, counter, take, nowMs, false));
  }

  /** A batch counts as one success or one failure of its lane. */
  #tellLane(batch: Batch, results: readonly (Drawn | Error)[] | Error): void {
    // Given up before: an answer that comes too late is no success.
    if (batch.failed) return;
    const failure = failureOf(results);
    if (failure === undefined) {
      laneSucceeded(this.#engine, batch.lane);
      return;
    }
    batch.failed = true;
    this.#engine.metrics.storeFailures += 1;
    laneFailed(this.#engine, batch.lane, failure);
  }

  #watchdog(budgetMs: number): Watchdog<Batch> {
    const known = this.#watchdogs.get(budgetMs);
    if (known !== undefined) return known;
    const { clock, timers } = this.#engine;
    const made = new Watchdog<Batch>(clock, timers, (batch, nowMs) => this.#overdue(batch, nowMs));
    this.#watchdogs.set(budgetMs, made);
    return made;
  }
}

/** Why the store is away; `undefined` when it answered at least one draw, if only to say that a counter is corrupt. */
function failureOf(results: readonly (Drawn | Error)[] | Error): QuotaError | undefined {
  if (results instanceof Error) {
    const error = asQuotaError(results);
    return isOutage(error) ? error : undefined;
  }
  let outage: QuotaError | undefined;
  for (const result of results) {
    if (!(result instanceof Error)) return undefined;
    const error = asQuotaError(result);
    if (isOutage(error)) outage ??= error;
  }
  return outage;
}

function missing(): QuotaError {
  return new QuotaError('store-unavailable', 'the store answered fewer results than it was asked for');
}
