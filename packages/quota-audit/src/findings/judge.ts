import { defaultMarginMs } from '@weir/quota';
import type { CounterName } from '../names/counter-name.ts';

/** What the store says about an entry. */
export interface EntryFacts {
  /** When the store will forget it, in ms since 1970; `undefined`: never. */
  readonly deadlineMs: number | undefined;
  /** Its value or the beginning of it; `undefined`: not looked at; `null`: it is no string. */
  readonly value: string | undefined | null;
}

/** What counts as a finding. */
export interface AuditPolicy {
  /** A counter that has longer than this to live is a finding, in ms. */
  readonly maxLifetimeMs: number;
}

/** A counter of an ended period that goes within this time is no finding: it is on its way. */
export const LEAVING_MS = 3_600_000;

/** What was found out about one entry with a counter's name. */
export interface Verdict {
  /** It is a counter: a whole number under a counter's name. All else is false when it is not. */
  readonly isCounter: boolean;
  /** No counter, but the name is distinctive and the value is a text: somebody overwrote it. */
  readonly notANumber: boolean;
  readonly undated: boolean;
  /** Its period ended and nothing will remove it soon. */
  readonly ended: boolean;
  /** It will live longer than its period, or the policy, gives reason for. */
  readonly tooLong: boolean;
  readonly negative: boolean;
  /** It takes memory for nothing: undated, or of an ended period. */
  readonly wasted: boolean;
}

const INTEGER = /^(-?)\d{1,20} *$/;

const DAY_MS = 86_400_000;
const JITTER_MS = 300_000;

const NOT_A_COUNTER: Verdict = {
  isCounter: false,
  notANumber: false,
  undated: false,
  ended: false,
  tooLong: false,
  negative: false,
  wasted: false,
};

/** Whether a value is a whole number, as counters are; memcached leaves spaces behind one that it lowered. */
export function isInteger(value: string): boolean {
  return INTEGER.test(value);
}

/**
 * Judges one entry. Pure.
 *
 * The deadline of a healthy counter may lie after the end of its period: others date by the last write and add jitter. Up to two
 * periods, at least a day, are taken for that; what goes within the hour is left out, too.
 */
export function judge(name: CounterName, facts: EntryFacts, policy: AuditPolicy, nowMs: number): Verdict {
  const { deadlineMs, value } = facts;
  if (value === null) return NOT_A_COUNTER;
  const digits = value === undefined ? undefined : INTEGER.exec(value);
  if (digits === null) return { ...NOT_A_COUNTER, notANumber: name.distinctive };
  const undated = deadlineMs === undefined;
  const leftMs = undated ? Number.POSITIVE_INFINITY : deadlineMs - nowMs;
  const { period } = name;
  let ended = false;
  let tooLong = !undated && leftMs > policy.maxLifetimeMs;
  if (period !== undefined) {
    const over = hasEnded(period, nowMs);
    const overdue = undated || deadlineMs > period.endMs + allowanceMs(period);
    ended = over && overdue && leftMs > LEAVING_MS;
    tooLong ||= !over && !undated && overdue;
  }
  const negative = digits !== undefined && digits[1] === '-';
  return { isCounter: true, notANumber: false, undated, ended, tooLong, negative, wasted: undated || ended };
}

/** Whether a period is over, with the margin that late writers have. */
export function hasEnded({ startMs, endMs }: { startMs: number; endMs: number }, nowMs: number): boolean {
  return nowMs > endMs + defaultMarginMs(endMs - startMs);
}

/** How long after its period a counter may well be dated. */
function allowanceMs({ startMs, endMs }: { startMs: number; endMs: number }): number {
  return Math.max(2 * (endMs - startMs), DAY_MS) + JITTER_MS;
}

/** Whether anything was found. */
export function isFinding(verdict: Verdict): boolean {
  return verdict.undated || verdict.ended || verdict.tooLong || verdict.negative || verdict.notANumber;
}
