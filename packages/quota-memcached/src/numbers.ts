import { corrupt } from './failures.ts';

/** memcached pads a number that became shorter with spaces. */
const COUNTER = /^(\d{1,20}) *$/;

/** Up to this many digits every number is safe. */
const SAFE_DIGITS = 15;

/** The value of a counter, exact; `undefined` when the text is no counter. */
export function parseCounter(text: string): bigint | number | undefined {
  const digits = COUNTER.exec(text)?.[1];
  if (digits === undefined) return undefined;
  if (digits.length <= SAFE_DIGITS) return Number(digits);
  const exact = BigInt(digits);
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}

/**
 * The total of a counter as a safe integer.
 * @throws {QuotaError} `store-corrupt` when the text is no number or one that no quota can have counted to.
 */
export function totalOf(key: string, text: string): number {
  const value = parseCounter(text);
  if (typeof value === 'number') return value;
  throw corrupt(
    key,
    value === undefined ? `its value is ${JSON.stringify(text.slice(0, 40))}` : `${value} is over 2^53 - 1`,
  );
}

/** memcached's numbers wrap at this. */
export const WRAP: bigint = 2n ** 64n;

/**
 * What a counter held before `amount` was added and this text came back; negative when it went once round. Not exact over
 * 2^53 - 1, where it only has to be larger than every limit.
 * @throws {QuotaError} `store-corrupt` when the text is no number.
 */
export function beforeAdding(key: string, text: string, amount: number): { total: number; before: number } {
  const value = parseCounter(text);
  if (value === undefined) throw corrupt(key, `its value is ${JSON.stringify(text.slice(0, 40))}`);
  if (typeof value === 'number') return { total: value, before: value - amount };
  return { total: Number(value), before: Number(value - BigInt(amount)) };
}
