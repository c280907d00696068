import { checkOpen, knowTime, limitOf, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import { callStore } from './store-calls.ts';

/** Where a subject stands. */
export interface Usage {
  readonly quota: string;
  readonly subject: string;
  readonly period: string;
  readonly used: number;
  readonly remaining: number;
  readonly limit: number;
  /** End of the period, in ms since 1970. */
  readonly resetAt: number;
}

/**
 * Reads without taking; an absent counter is zero and is not created.
 * @throws {QuotaError} `store-unavailable`, `store-timeout`: a number that is not known is not made up.
 */
export async function peek(core: QuotaCore, subject: string): Promise<Usage> {
  checkOpen(core);
  await knowTime(core);
  const { engine, rules } = core;
  const charged = core.tracker.charged(subject);
  const limit = await limitOf(core, charged);
  const counter = core.tracker.at(subject, core.now());
  const [read] = await callStore(engine, counter.lane, rules.budgetMs, () => engine.store.read([counter.key]));
  if (read instanceof Error) throw read;
  if (read !== undefined) counter.heard(read, engine.clock());
  return usageOf(counter, read ?? 0, limit);
}

/** Where a counter stands at this total; an unspent block is not used. */
export function usageOf(counter: Counter, total: number, limit: number): Usage {
  const used = Math.max(0, total - counter.lease);
  const { quota, subject, period, resetAt } = counter.label;
  return { quota, subject, period, resetAt, used, remaining: Math.max(0, limit - used), limit };
}
