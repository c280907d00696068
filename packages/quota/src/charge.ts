import { checkCost, checkOpen, knowTime, limitOf, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import { usageOf, type Usage } from './peek.ts';
import { callStore } from './store-calls.ts';

/** Charges the subject's counter of the current period without asking whether it fits. */
export async function charge(core: QuotaCore, subject: string, amount: number): Promise<Usage> {
  checkCost(amount, 'a charge');
  checkOpen(core);
  await knowTime(core);
  const limit = await limitOf(core, core.tracker.charged(subject));
  const counter = core.tracker.at(subject, core.now());
  return usageOf(counter, await chargeCounter(core, counter, amount), limit);
}

/** Raises a counter by an amount, above the limit if need be; resolves to the total. */
export async function chargeCounter(core: QuotaCore, counter: Counter, amount: number): Promise<number> {
  const { engine, rules } = core;
  const { key, lane, period } = counter;
  const draw = { key, amount, unit: amount, limit: Number.MAX_SAFE_INTEGER, deadline: period.deadline };
  const [drawn] = await callStore(engine, lane, rules.budgetMs, () => engine.store.take([draw]));
  if (drawn instanceof Error) throw drawn;
  if (drawn === undefined) return 0;
  counter.heard(drawn.total, engine.clock());
  return drawn.total;
}
