import { checkCost, checkOpen, limitOf, waiting, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import type { Decision } from './decision.ts';
import { decide, decideWithoutStore } from './verdict.ts';

/** Most takes of one counter that wait for the store; more are decided by the outage policy. */
const MAX_WAITING = 100_000;

/**
 * Takes `cost` from the subject's counter of the current period, or refuses and takes nothing.
 * A plain function and not an async one: most decisions out of a block or the deny cache need no promise machinery.
 */
export function takeOne(core: QuotaCore, subject: string, cost: number): Promise<Decision> {
  try {
    checkCost(cost, 'a cost');
    checkOpen(core);
    // Which period it is cannot be said before the store's clock was asked once.
    if (core.rules.storeClock && !core.storeClock.known)
      return core.storeClock.measure().then(() => take(core, subject, cost));
    return take(core, subject, cost);
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

function take(core: QuotaCore, subject: string, cost: number): Promise<Decision> {
  const nowMs = core.now();
  const counter = core.tracker.at(subject, nowMs);
  const limit = limitOf(core, counter.subject);
  if (typeof limit === 'number') return takeFrom(core, counter, cost, limit, nowMs);
  return limit.then((later) => {
    // The period may have changed while the plan was looked up.
    const laterMs = core.now();
    return takeFrom(core, core.tracker.at(subject, laterMs), cost, later, laterMs);
  });
}

function takeFrom(core: QuotaCore, counter: Counter, cost: number, limit: number, nowMs: number): Promise<Decision> {
  const local = decideLocally(core, counter, cost, limit, nowMs);
  if (local !== undefined) return Promise.resolve(local);
  if (counter.waiting.length >= MAX_WAITING) {
    core.engine.metrics.overloaded += 1;
    return Promise.resolve(decideWithoutStore(core.engine, counter, { cost, limit }, nowMs, false));
  }
  return new Promise((resolve) => {
    counter.waiting.push(waiting(cost, limit, core.engine.clock(), resolve));
    core.dispatcher.enqueue(counter);
  });
}

/** What needs no store: spending a block, repeating a refusal, a cost above the limit. */
export function decideLocally(
  core: QuotaCore,
  counter: Counter,
  cost: number,
  limit: number,
  nowMs: number,
): Decision | undefined {
  const { engine } = core;
  if (counter.lease >= cost && counter.waiting.length === 0) {
    counter.lease -= cost;
    counter.leaseUsedAtMs = nowMs;
    engine.metrics.fromLease += 1;
    const used = (counter.total ?? 0) - counter.lease;
    return decide(engine, counter, { allowed: true, used, limit, cost, source: 'lease' }, nowMs);
  }
  if (counter.rules.shadow) return undefined;
  if (cost > limit) {
    const used = Math.max(0, (counter.total ?? 0) - counter.lease);
    return decide(engine, counter, { allowed: false, used, limit, cost, source: 'rule' }, nowMs);
  }
  if (counter.refuses(cost, limit, nowMs)) {
    engine.metrics.fromDenyCache += 1;
    const used = counter.refusedTotal - counter.lease;
    return decide(engine, counter, { allowed: false, used, limit, cost, source: 'deny-cache' }, nowMs);
  }
  return undefined;
}
