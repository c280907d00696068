import { QuotaError } from './errors.ts';

/*
 * Open reservations of one counter, kept beside it as one small value: a line per reservation, `id amount expiresMs`.
 * A reservation whose lease ended is freed by whoever looks next and stays for a while with amount 0, so that a late settlement
 * learns that its amount was given away.
 */

/** One reservation; `amount` 0: its lease ended and the amount was freed. */
export interface Hold {
  readonly amount: number;
  readonly expiresMs: number;
}

/** Reservations by id. */
export type Holds = Map<string, Hold>;

/** Most reservations open at once per subject and period; a line is about 50 bytes, and every change rewrites the value. */
export const MAX_HOLDS = 1_000;

/** How long a freed reservation is remembered, in leases. */
const REMEMBERED_LEASES = 2;

/** @throws {QuotaError} `store-corrupt` when the text is no list of reservations. */
export function parseHolds(text: string | undefined): Holds {
  const holds: Holds = new Map();
  if (text === undefined || text === '') return holds;
  for (const line of text.split('\n')) {
    const found = /^([\w:.-]+) (\d{1,16}) (\d{1,16})$/.exec(line);
    if (found === null) throw new QuotaError('store-corrupt', 'the value beside a counter is no list of reservations');
    holds.set(found[1] ?? '', { amount: Number(found[2]), expiresMs: Number(found[3]) });
  }
  return holds;
}

/** The text that `parseHolds` reads. */
export function formatHolds(holds: Holds): string {
  return Array.from(holds, ([id, { amount, expiresMs }]) => `${id} ${amount} ${expiresMs}`).join('\n');
}

/** Adds a reservation; says whether there was room. */
export function addHold(holds: Holds, id: string, hold: Hold): boolean {
  if (holds.size >= MAX_HOLDS && !holds.has(id)) return false;
  holds.set(id, hold);
  return true;
}

/** Takes a reservation out; `undefined` when there is none of this id. */
export function removeHold(holds: Holds, id: string): Hold | undefined {
  const hold = holds.get(id);
  holds.delete(id);
  return hold;
}

/**
 * Frees the reservations whose lease ended, and forgets those freed long ago.
 * @returns the amount freed and how many reservations that were.
 */
export function expireHolds(holds: Holds, nowMs: number, leaseMs: number): { amount: number; count: number } {
  let amount = 0;
  let count = 0;
  for (const [id, hold] of holds) {
    if (hold.expiresMs > nowMs) continue;
    if (hold.amount === 0) {
      holds.delete(id);
      continue;
    }
    amount += hold.amount;
    count += 1;
    holds.set(id, { amount: 0, expiresMs: Math.ceil(nowMs + REMEMBERED_LEASES * leaseMs) });
  }
  return { amount, count };
}
