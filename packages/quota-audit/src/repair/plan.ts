import { defaultMarginMs, MIN_MARGIN_MS } from '@weir/quota';
import { isBelieved } from '../findings/belief.ts';
import type { EntryFacts, Verdict } from '../findings/judge.ts';
import type { Tally } from '../findings/tally.ts';
import type { CounterName } from '../names/counter-name.ts';
import type { Change, ListedKey } from '../stores/audited-store.ts';

/** What the audit wrote down about one key that can be repaired; nothing else is ever touched. */
export interface PlanLine {
  /** Bytes of the key, one latin1 character each. */
  readonly key: string;
  readonly node: string;
  /** Id of its family in the tally. */
  readonly family: string;
  readonly undated: boolean;
  readonly ended: boolean;
  readonly tooLong: boolean;
  /** Its value when it was looked at. */
  readonly value: string;
  readonly period?: { readonly startMs: number; readonly endMs: number; readonly civil: boolean };
  readonly windowMs?: number;
}

/** `date` gives every listed counter the deadline that it should have; `delete` removes those of ended periods. */
export type FixMode = 'date' | 'delete';

/**
 * Why a listed key is left alone.
 *
 * - `no-lifetime`: its name says nothing of its period, none of its family has a deadline, and no lifetime was given.
 * - `may-be-running`: its period is over by UTC but perhaps not where its limiter's clock stands.
 * - `not-ended`: it is not of an ended period, so it is not deleted.
 * - `not-believed`: its family turned out not to be one of counters.
 */
export type Spared = 'no-lifetime' | 'may-be-running' | 'not-ended' | 'not-believed';

/** What changes depend on, beside the line. */
export interface FixRules {
  readonly mode: FixMode;
  /** Time to live of undated counters whose names do not tell their period, in ms; absent: as their siblings have. */
  readonly lifetimeMs?: number;
  readonly maxLifetimeMs: number;
}

/** What the whole family says. */
export interface FamilyFacts {
  readonly believed: boolean;
  readonly longestLifeMs: number;
}

/** Wall clocks are at most 12 h behind UTC. */
const BEHIND_MS = 12 * 3_600_000;

/** Deadlines of dead counters are spread over this many seconds, so that they do not all expire at once. */
const SPREAD_SECONDS = 600;

/** A sibling's time to live that is longer than this says nothing of the limiter's window, in ms. */
const MAX_SIBLING_LIFE_MS = 31 * 86_400_000;

/** The line for a key, if there is something to repair. */
export function planLine(
  { key, node }: ListedKey,
  name: CounterName,
  family: string,
  facts: EntryFacts,
  { undated, ended, tooLong }: Verdict,
): PlanLine | undefined {
  if (typeof facts.value !== 'string' || !(undated || ended || tooLong)) return undefined;
  const { period, windowMs } = name;
  return {
    key,
    node,
    family,
    undated,
    ended,
    tooLong,
    value: facts.value,
    ...(period === undefined ? {} : { period }),
    ...(windowMs === undefined ? {} : { windowMs }),
  };
}

/** What the families of a tally say. */
export function familyFacts(tally: Tally): ReadonlyMap<string, FamilyFacts> {
  return new Map(
    Array.from(tally.families, ([id, family]) => [
      id,
      { believed: isBelieved(family), longestLifeMs: Math.min(family.longestLifeMs, MAX_SIBLING_LIFE_MS) },
    ]),
  );
}

/**
 * What to do about a line. Pure.
 * @param number of the line in the plan; spreads deadlines.
 */
export function changeFor(
  line: PlanLine,
  number: number,
  rules: FixRules,
  family: FamilyFacts | undefined,
  nowMs: number,
): Change | Spared {
  if (family?.believed !== true) return 'not-believed';
  const { key, node, undated, value, period } = line;
  if (rules.mode === 'delete') {
    if (!line.ended || period === undefined) return 'not-ended';
    return nowMs > endAnywhere(period) ? { key, node, do: 'delete', value, undated } : 'may-be-running';
  }
  const deadlineMs = deadlineFor(line, number, rules, family, nowMs);
  if (deadlineMs === undefined) return 'no-lifetime';
  return { key, node, do: 'date', deadlineMs: Math.ceil(deadlineMs), only: undated ? 'undated' : 'later' };
}

/** When a period is over wherever its limiter's clock stands, its margin included. */
function endAnywhere({ startMs, endMs, civil }: NonNullable<PlanLine['period']>): number {
  return endMs + (civil ? BEHIND_MS : 0) + defaultMarginMs(endMs - startMs);
}

function deadlineFor(
  { period, undated, windowMs }: PlanLine,
  number: number,
  rules: FixRules,
  family: FamilyFacts,
  nowMs: number,
): number | undefined {
  const soonMs = nowMs + MIN_MARGIN_MS + (number % SPREAD_SECONDS) * 1_000;
  if (period !== undefined) return Math.max(endAnywhere(period), soonMs);
  if (rules.lifetimeMs !== undefined) return nowMs + rules.lifetimeMs;
  if (!undated) return nowMs + rules.maxLifetimeMs;
  if (windowMs !== undefined) return nowMs + windowMs + defaultMarginMs(windowMs);
  return family.longestLifeMs > 0 ? nowMs + family.longestLifeMs : undefined;
}
