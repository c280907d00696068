import { checkCost, checkOpen, knowTime, type QuotaCore } from './core.ts';
import { Decision, type Receipt } from './decision.ts';
import { QuotaError } from './errors.ts';
import { companionKey } from './keys.ts';
import { datedPeriod } from './receipts.ts';
import { callStore } from './store-calls.ts';

/** What a refund did. */
export interface Refund {
  /** Given back; 0 when it was given back before, when the period is over, after a reset, or when nothing had been charged. */
  readonly refunded: number;
  /** Spent in that period after the refund; `undefined` when the store was not asked or holds no counter. */
  readonly used: number | undefined;
}

const NOTHING: Refund = { refunded: 0, used: undefined };

/**
 * Gives back what a take was charged, to the period in which it was charged, and never more than that: a second counter beside
 * the first remembers how much of this take went back. A process that dies in between leaves the amount spent.
 * @param amount at most what was charged; default all of it.
 */
export async function refund(core: QuotaCore, take: Decision | Receipt, amount: number | undefined): Promise<Refund> {
  checkOpen(core);
  await knowTime(core);
  const receipt = take instanceof Decision ? take.receipt : take;
  const { quota, subject, charged, period: periodId, resetAt, takenAt, id } = receipt;
  const { engine, rules, tracker } = core;
  if (quota !== rules.id) {
    throw new QuotaError(
      'invalid-argument',
      `a take of quota ${JSON.stringify(quota)} cannot be refunded by ${JSON.stringify(rules.id)}`,
    );
  }
  if (charged === 0) return NOTHING;
  checkCost(charged, 'what was charged');
  if (amount !== undefined) checkCost(amount, 'a refund');
  if (amount !== undefined && amount > charged) {
    throw new QuotaError('invalid-cost', `only ${charged} was charged, ${amount} cannot be refunded`);
  }
  // The counter of an ended period is read by nobody; a write could only bring it back to life.
  if (core.now() >= resetAt) return NOTHING;
  const period = datedPeriod(core, periodId, resetAt);
  const known = tracker.known(subject);
  const counter = known?.period.id === periodId ? known : tracker.detached(subject, period);
  const once = {
    key: companionKey(counter.prefix, 'refund', id),
    amount: amount ?? charged,
    unit: 1,
    limit: charged,
    deadline: period.deadline,
  };
  const [granted, resetMark] = await Promise.all([
    callStore(engine, counter.lane, rules.budgetMs, () => engine.store.take([once])),
    callStore(engine, counter.lane, rules.budgetMs, () =>
      engine.store.get(companionKey(counter.prefix, 'reset', periodId)),
    ),
  ]);
  const [drawn] = granted;
  if (drawn instanceof Error) throw drawn;
  const resetBefore = resetMark !== undefined && Number(resetMark) >= takenAt;
  if (drawn === undefined || drawn.granted === 0 || resetBefore) return NOTHING;
  const [total] = await callStore(engine, counter.lane, rules.budgetMs, () =>
    engine.store.giveBack([{ key: counter.key, amount: drawn.granted, deadline: period.deadline }]),
  );
  if (total instanceof Error) throw total;
  if (total === undefined) return NOTHING;
  counter.heard(total, engine.clock());
  counter.reopen();
  engine.metrics.refunded += drawn.granted;
  return { refunded: drawn.granted, used: total };
}
