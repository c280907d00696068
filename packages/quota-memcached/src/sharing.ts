import type { Draw } from '@weir/quota';

/** A counter is near its limit within this many times the amount wanted … */
const NEAR_AMOUNTS = 4;

/** … or within this share of the limit. */
const NEAR_SHARE = 1 / 16;

/** The part of a draw that decides what it may be granted. */
export type Wish = Pick<Draw, 'amount' | 'unit' | 'limit'>;

/** What several draws on one counter get. */
export interface Share {
  /** In the order of the wishes. */
  readonly grants: readonly number[];
  /** The total after each wish. */
  readonly totals: readonly number[];
  readonly sum: number;
}

/** The largest multiple of the unit that a counter with this total can still grant. */
export function fitting(wish: Wish, total: number): number {
  const room = Math.min(wish.amount, wish.limit - total);
  return room < wish.unit ? 0 : room - (room % wish.unit);
}

/** Serves wishes in order from a counter with this total, each as if it came alone. */
export function share(wishes: readonly Wish[], total: number): Share {
  const grants: number[] = [];
  const totals: number[] = [];
  let sum = 0;
  for (const wish of wishes) {
    const grant = fitting(wish, total + sum);
    sum += grant;
    grants.push(grant);
    totals.push(total + sum);
  }
  return { grants, totals, sum };
}

/** Whether raising a counter from this total by `amount` without looking first might pass the limit. */
export function isNear(total: number, amount: number, limit: number): boolean {
  return total + amount > limit - Math.max(amount * NEAR_AMOUNTS, limit * NEAR_SHARE);
}
