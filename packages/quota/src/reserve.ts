import { chargeCounter } from './charge.ts';
import { checkCost, checkOpen, knowTime, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import type { Decision } from './decision.ts';
import { QuotaError } from './errors.ts';
import { addHold, expireHolds, MAX_HOLDS, removeHold } from './holds.ts';
import type { Return } from './store.ts';
import { callStore } from './store-calls.ts';
import { datedPeriod } from './receipts.ts';
import { takeOne } from './take.ts';

/** An amount set aside until it is settled or its lease ends. Plain data; may be settled by another process. */
export interface Reservation {
  readonly allowed: boolean;
  readonly quota: string;
  readonly subject: string;
  readonly amount: number;
  readonly id: string;
  /** Id and end of the period that was charged. */
  readonly period: string;
  readonly resetAt: number;
  /** When the amount comes free by itself, in ms since 1970. */
  readonly expiresAt: number;
  readonly decision: Decision;
}

/**
 * - `settled`: charged what was really used. `late`: the lease had ended and the amount was free again, so what was used
 *   is charged now, even above the limit.
 * - `unknown`: settled before, or the lease ended long ago; nothing was changed. `period-ended`: its period is over.
 * - `not-charged`: it was refused, or admitted without the store; nothing was changed.
 */
export type SettleOutcome = 'settled' | 'late' | 'unknown' | 'period-ended' | 'not-charged';

/** What a settlement did. */
export interface Settlement {
  readonly outcome: SettleOutcome;
  /** Given back to the counter. */
  readonly returned: number;
  /** Charged beyond the reservation. */
  readonly added: number;
}

const NOTHING = { returned: 0, added: 0 };

/** Takes `amount` and remembers that it is only reserved. */
export async function reserve(core: QuotaCore, subject: string, amount: number): Promise<Reservation> {
  const leaseMs = leaseOf(core);
  const decision = await takeOne(core, subject, amount);
  const id = `${core.engine.instance}-${core.engine.nextNumber()}`;
  const expiresAt = Math.ceil(core.storeClock.now() + leaseMs);
  const { allowed, quota, subject: charged, period, resetAt } = decision;
  const reservation: Reservation = {
    allowed,
    quota,
    subject: charged,
    amount,
    id,
    period,
    resetAt,
    expiresAt,
    decision,
  };
  if (decision.charged === 0) return reservation;
  const counter = counterOf(core, reservation);
  const written = await core.ledgers
    .change(counter, (holds) => {
      const freed = expireHolds(holds, core.storeClock.now(), leaseMs);
      return { freed, room: addHold(holds, id, { amount, expiresMs: expiresAt }) };
    })
    // Charged, but perhaps not on the list: it then stays charged in full until the period ends.
    .catch(() => ({ freed: { amount: 0, count: 0 }, room: true }));
  core.engine.metrics.reservationsExpired += written.freed.count;
  await giveBack(core, counter, written.freed.amount + (written.room ? 0 : amount));
  if (written.room) return reservation;
  throw new QuotaError('too-many-reservations', `${charged} has ${MAX_HOLDS} open reservations in this period`);
}

/**
 * Replaces the reserved amount by what was really used; 0 cancels.
 * @throws {QuotaError} `invalid-cost` unless `actual` is a whole number from 0 to 2^53 - 1; what the store fails with.
 */
export async function settle(core: QuotaCore, reservation: Reservation, actual: number): Promise<Settlement> {
  if (actual !== 0) checkCost(actual, 'what was used');
  checkOpen(core);
  await knowTime(core);
  if (!reservation.allowed || reservation.decision.charged === 0) return { outcome: 'not-charged', ...NOTHING };
  if (core.now() >= reservation.resetAt) return { outcome: 'period-ended', ...NOTHING };
  const leaseMs = leaseOf(core);
  const counter = counterOf(core, reservation);
  const nowMs = core.storeClock.now();
  const { hold, freed } = await core.ledgers.change(counter, (holds) => {
    const own = removeHold(holds, reservation.id);
    return { hold: own, freed: expireHolds(holds, nowMs, leaseMs) };
  });
  core.engine.metrics.reservationsExpired += freed.count;
  if (hold === undefined) {
    await giveBack(core, counter, freed.amount);
    return { outcome: 'unknown', ...NOTHING };
  }
  const surplus = hold.amount - actual;
  await giveBack(core, counter, Math.max(0, surplus) + freed.amount);
  // The work is done, so it is charged, whatever the limit says.
  if (surplus < 0) await chargeCounter(core, counter, -surplus);
  const outcome = hold.amount === 0 ? 'late' : 'settled';
  return { outcome, returned: Math.max(0, surplus), added: Math.max(0, -surplus) };
}

function leaseOf(core: QuotaCore): number {
  const { reservationMs, id } = core.rules;
  if (reservationMs !== undefined) return reservationMs;
  throw new QuotaError(
    'invalid-argument',
    `quota ${JSON.stringify(id)} has no reservationMs, so nothing can be reserved`,
  );
}

/** The counter that the reservation was charged to, also in another process. */
function counterOf(core: QuotaCore, reservation: Reservation): Counter {
  const { subject, period, resetAt } = reservation;
  const known = core.tracker.known(subject);
  if (known?.period.id === period) return known;
  return core.tracker.detached(subject, datedPeriod(core, period, resetAt));
}

async function giveBack(core: QuotaCore, counter: Counter, amount: number): Promise<void> {
  if (amount === 0) return;
  const back: Return = { key: counter.key, amount, deadline: counter.period.deadline };
  const { engine, rules } = core;
  const [total] = await callStore(engine, counter.lane, rules.budgetMs, () => engine.store.giveBack([back]));
  if (total instanceof Error) throw total;
  if (total !== undefined) counter.heard(total, engine.clock());
  counter.reopen();
}
