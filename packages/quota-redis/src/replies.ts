import { QuotaError } from '@weir/quota';

/** Clients can be told to hand numbers out as texts and texts as buffers; these read either. */

/** @throws {QuotaError} `store-unavailable` when the reply is no number. */
export function asNumber(reply: unknown): number {
  const value = typeof reply === 'number' ? reply : Number(asText(reply) ?? Number.NaN);
  if (Number.isNaN(value)) throw unexpected('a number', reply);
  return value;
}

/** The text of a bulk or simple string; `undefined` for a null reply. */
export function asText(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply;
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString('utf8');
  if (typeof reply === 'number' || typeof reply === 'bigint') return String(reply);
  if (reply === null || reply === undefined) return undefined;
  throw unexpected('a string', reply);
}

/** @throws {QuotaError} `store-unavailable` when the reply is no array of at least `length` items. */
export function asArray(reply: unknown, length = 0): readonly unknown[] {
  if (Array.isArray(reply) && reply.length >= length) return reply;
  throw unexpected(`an array of ${length} or more`, reply);
}

/** A counter's total out of its text. @throws {QuotaError} `store-corrupt` when it is none. */
export function asTotal(key: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw notACounter(key);
}

/** The error for an entry that is no counter. */
export function notACounter(key: string): QuotaError {
  return new QuotaError('store-corrupt', `the entry ${key} is no counter`);
}

/** The error for a deadline that is past by the clock of the server. */
export function deadOnArrival(key: string): QuotaError {
  return new QuotaError(
    'invalid-deadline',
    `the deadline of ${key} is past by the clock of Redis: the clocks differ by more than the margin of the quota`,
  );
}

function unexpected(wanted: string, reply: unknown): QuotaError {
  return new QuotaError(
    'store-unavailable',
    `Redis answered ${JSON.stringify(reply)?.slice(0, 100)} instead of ${wanted}`,
  );
}
