import { MemoryStore, openQuotas, QuotaError } from '@weir/quota';
import type { Draw, Drawn, GroupDrawn, Quotas } from '@weir/quota';

/** 2026-11-30 is a Monday; ten seconds into its 15th hour. */
export const START_MS = Date.UTC(2026, 10, 30, 14, 0, 10);

/** A memory store that fails on command. */
export class BreakableStore extends MemoryStore {
  failure: QuotaError | undefined;

  override takeNow(...call: Parameters<MemoryStore['takeNow']>): Drawn | Error {
    return this.failure ?? super.takeNow(...call);
  }

  override take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    return this.failure === undefined ? super.take(draws) : Promise.reject(this.failure);
  }

  override takeAll(draws: readonly Draw[]): Promise<GroupDrawn> {
    return this.failure === undefined ? super.takeAll(draws) : Promise.reject(this.failure);
  }
}

export interface TestEngine {
  readonly quotas: Quotas;
  readonly store: BreakableStore;
  /** Time that stands still. */
  nowMs: number;
}

export function testEngine(): TestEngine {
  const engine: { nowMs: number } = { nowMs: START_MS };
  const clock = (): number => engine.nowMs;
  const timers = { set: () => ({ cancel: () => {} }) };
  const store = new BreakableStore({ clock, timers });
  const quotas = openQuotas({ store, clock, timers, random: () => 0.5, healthEveryMs: 0 });
  return Object.assign(engine, { quotas, store });
}

/** The failure of a store that cannot be reached. */
export function storeDown(): QuotaError {
  return new QuotaError('store-unavailable', 'the store is gone');
}
