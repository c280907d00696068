import { checkOpen, knowTime, type QuotaCore } from './core.ts';
import type { Counter } from './counter.ts';
import { HoldLedgers } from './hold-ledgers.ts';
import { companionKey } from './keys.ts';
import { callStore } from './store-calls.ts';

/** Attempts to write the mark of a reset that others write at the same time. */
const MAX_ATTEMPTS = 8;

/**
 * Sets the subject's counter of the current period back to zero, by its exact key, with its open reservations. A mark
 * with the counter's deadline remembers when, so that takes from before cannot be refunded afterwards.
 * Blocks that other processes drew before (`lease`) stay theirs.
 */
export async function reset(core: QuotaCore, subject: string): Promise<void> {
  checkOpen(core);
  await knowTime(core);
  const { engine, rules } = core;
  const nowMs = core.now();
  const counter = core.tracker.at(subject, nowMs);
  await callStore(engine, counter.lane, rules.budgetMs, () => mark(core, counter, nowMs));
  const keys = [counter.key, HoldLedgers.keyOf(counter)];
  await callStore(engine, counter.lane, rules.budgetMs, () => engine.store.remove(keys));
  counter.forget();
}

async function mark(core: QuotaCore, counter: Counter, nowMs: number): Promise<void> {
  const key = companionKey(counter.prefix, 'reset', counter.period.id);
  let expected: string | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { swapped, value } = await core.engine.store.swap(key, expected, String(nowMs), counter.period.deadline);
    // Somebody else's mark is as good when it is not older.
    if (swapped || Number(value) >= nowMs) return;
    expected = value;
  }
}
