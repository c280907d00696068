import { checkCost, checkOpen, limitOf, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import type { Decision } from './decision.ts';
import { admit, decideWithoutStore, refuse, storeSource } from './verdict.ts';

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
  const now = decideNow(core, counter, cost, limit, nowMs);
  if (now !== undefined) return Promise.resolve(now);
  if (counter.waiting.length >= MAX_WAITING) {
    core.engine.metrics.overloaded += 1;
    return Promise.resolve(decideWithoutStore(core.engine, counter, { cost, limit }, nowMs, false));
  }
  return new Promise((resolve) => {
    const atMs = core.rules.storeClock ? core.engine.clock() : nowMs;
    const take = { cost, limit, atMs, answer: resolve, retried: false };
    // A literal holds one element; the first `push` onto an empty array would reserve seventeen.
    if (counter.waiting.length === 0) counter.waiting = [take];
    else counter.waiting.push(take);
    core.dispatcher.enqueue(counter);
  });
}

/**
 * As `takeOne`, at once, when this process can decide alone: the store lives in it, it holds a block, or it repeats a refusal.
 * @returns `undefined` when the store must be asked, or the plan gives its limit later; then `takeOne` decides.
 */
export function takeNow(core: QuotaCore, subject: string, cost: number): Decision | undefined {
  checkCost(cost, 'a cost');
  checkOpen(core);
  if (core.rules.storeClock && !core.storeClock.known) return undefined;
  const nowMs = core.now();
  const counter = core.tracker.at(subject, nowMs);
  const limit = limitOf(core, counter.subject);
  return typeof limit === 'number' ? decideNow(core, counter, cost, limit, nowMs) : undefined;
}

function decideNow(
  core: QuotaCore,
  counter: Counter,
  cost: number,
  limit: number,
  nowMs: number,
): Decision | undefined {
  const { engine } = core;
  const { place } = counter;
  if (place?.held === true && counter.plain && counter.quiet && cost <= limit - place.total) {
    place.total += cost;
    counter.total = place.total;
    engine.metrics.draws += 1;
    return admit(engine, counter, { cost, limit }, place.total, storeSource(engine), nowMs);
  }
  const local = decideLocally(core, counter, cost, limit, nowMs);
  const { store } = engine;
  if (local !== undefined || store.takeNow === undefined) return local;
  // Blocks, debts and reservations take the longer way; so does what others wait for already.
  const { rules } = counter;
  if (rules.lease > 0 || rules.reservationMs !== undefined || !counter.quiet) return undefined;
  const { key, period } = counter;
  const ceiling = rules.shadow ? Number.MAX_SAFE_INTEGER : limit;
  const drawn = store.takeNow(
    { key, amount: cost, unit: cost, limit: ceiling, deadline: period.deadline },
    nowMs,
    counter,
  );
  // A failure is decided by the outage policy, as on the longer way.
  if (drawn instanceof Error) return undefined;
  const { granted, total } = drawn;
  engine.metrics.draws += 1;
  counter.total = total;
  counter.totalAtMs = nowMs;
  const asked = { cost, limit };
  if (granted > 0) return admit(engine, counter, asked, total, storeSource(engine), nowMs);
  counter.refuse(total, nowMs);
  return refuse(engine, counter, asked, total, storeSource(engine), nowMs);
}

/** What needs no store: spending a block, repeating a refusal, a cost above the limit. */
function decideLocally(
  { engine }: QuotaCore,
  counter: Counter,
  cost: number,
  limit: number,
  nowMs: number,
): Decision | undefined {
  const asked = { cost, limit };
  if (counter.lease >= cost && counter.waiting.length === 0) {
    counter.lease -= cost;
    counter.leaseUsedAtMs = nowMs;
    engine.metrics.fromLease += 1;
    return admit(engine, counter, asked, (counter.total ?? 0) - counter.lease, 'lease', nowMs);
  }
  if (counter.rules.shadow) return undefined;
  if (cost > limit) {
    return refuse(engine, counter, asked, Math.max(0, (counter.total ?? 0) - counter.lease), 'rule', nowMs);
  }
  if (!counter.refuses(cost, limit, nowMs)) return undefined;
  engine.metrics.fromDenyCache += 1;
  return refuse(engine, counter, asked, counter.refusedTotal - counter.lease, 'deny-cache', nowMs);
}
