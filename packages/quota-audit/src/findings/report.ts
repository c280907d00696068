import { isBelieved } from './belief.ts';
import { mostFrequent } from './frequent.ts';
import { growthOf, project, type Growth, type Projection } from './projection.ts';
import type { FamilyTally, Sizes, Tally } from './tally.ts';

/** A number of keys and about how many bytes they take. */
export interface Amount {
  readonly keys: number;
  readonly bytes: number;
}

/** One family of counters. */
export interface FamilyReport {
  readonly family: string;
  readonly evidence: FamilyTally['evidence'];
  readonly counters: number;
  readonly bytes: number;
  readonly undated: number;
  readonly ended: number;
  readonly tooLong: number;
  readonly negative: number;
  readonly notNumbers: number;
  /** Keys with at least one finding. */
  readonly found: number;
  readonly wastedBytes: number;
  readonly examples: readonly string[];
}

/** Keys whose names hold too little to judge them. */
export interface UnjudgedReport {
  /** How the names begin. */
  readonly names: string;
  readonly keys: number;
  /** Share of whole numbers among those looked at, 0 to 1. */
  readonly numbers: number;
  /** Share of numbers without a deadline among those looked at. */
  readonly undated: number;
}

/** What an audit found. All byte counts are estimates from samples unless the store tells sizes. */
export interface AuditReport {
  /** When, by the store's clock, in ms since 1970. */
  readonly atMs: number;
  readonly keys: {
    readonly listed: number;
    readonly counters: number;
    /** Entries of limiters that are no counters. */
    readonly companions: number;
    /** Counters of ended periods that are about to go by themselves. */
    readonly leaving: number;
  };
  readonly findings: {
    /** Keys with at least one finding; the kinds overlap. */
    readonly keys: number;
    readonly undated: Amount;
    readonly ended: Amount;
    readonly tooLong: number;
    readonly negative: number;
    readonly notNumbers: number;
  };
  /** Undated, or of ended periods: memory for nothing. */
  readonly waste: Amount;
  readonly growth: Growth & {
    /** Undated counters without a period in their names: they are not in the rate. */
    readonly ageless: number;
  };
  readonly projection: readonly Projection[];
  /** Most waste first. */
  readonly families: readonly FamilyReport[];
  /** Subjects with most wasted counters; `keys` may be up to `missed` too low. */
  readonly subjects: readonly { family: string; subject: string; keys: number; missed: number }[];
  /** Not judged; name the counters among them with a claim. Most numbers first. */
  readonly unjudged: readonly UnjudgedReport[];
}

const MOST_SUBJECTS = 10;
const MOST_UNJUDGED = 10;
const DAY_MS = 86_400_000;

/** About what a counter takes when no size was measured, in bytes: an undated one on Redis 7. */
const GUESSED_BYTES = 90;

/** Families that are taken for counters by what was seen of them so far. */
function reported({ families }: Tally): FamilyTally[] {
  return [...families.values()].filter((family) => isBelieved(family) && family.counters + family.notNumbers > 0);
}

/** Keys with at least one finding, as a report would count them now. */
export function foundSoFar(tally: Tally): number {
  return reported(tally).reduce((total, { found }) => total + found, 0);
}

/** Makes the report. Pure. */
export function reportOf(tally: Tally, atMs: number): AuditReport {
  const families = reported(tally);
  const sum = (amount: (family: FamilyTally) => number): number =>
    families.reduce((total, family) => total + amount(family), 0);
  const waste = { keys: sum(({ wasted }) => wasted), bytes: Math.round(sum(wastedBytes)) };
  const growth = growthOf(
    endedPerDay(families),
    waste.keys === 0 ? 0 : waste.bytes / waste.keys,
    Math.floor(atMs / DAY_MS),
  );
  return {
    atMs,
    keys: {
      listed: tally.keys,
      counters: sum(({ counters }) => counters),
      companions: tally.companions,
      leaving: sum(({ leaving }) => leaving),
    },
    findings: {
      keys: foundSoFar(tally),
      undated: { keys: sum(({ undated }) => undated), bytes: Math.round(sum((f) => f.undated * eachWasted(f))) },
      ended: { keys: sum(({ ended }) => ended), bytes: Math.round(sum((f) => f.ended * eachWasted(f))) },
      tooLong: sum(({ tooLong }) => tooLong),
      negative: sum(({ negative }) => negative),
      notNumbers: sum(({ notNumbers }) => notNumbers),
    },
    waste,
    growth: { ...growth, ageless: sum(({ undatedAgeless }) => undatedAgeless) },
    projection: project(waste, growth),
    families: families.map(familyReport).sort((a, b) => b.found - a.found || b.counters - a.counters),
    subjects: subjectsOf(families),
    unjudged: unjudgedOf(tally),
  };
}

/** Whether there is anything to repair or to look at. */
export function hasFindings({ findings }: AuditReport): boolean {
  return findings.keys > 0;
}

function mean({ count, bytes }: Sizes, otherwise: number): number {
  return count === 0 ? otherwise : bytes / count;
}

function eachWasted(family: FamilyTally): number {
  return mean(family.wastedSizes, mean(family.sizes, GUESSED_BYTES));
}

function wastedBytes(family: FamilyTally): number {
  return family.wasted * eachWasted(family);
}

function endedPerDay(families: readonly FamilyTally[]): Map<number, number> {
  const days = new Map<number, number>();
  for (const family of families) {
    for (const [day, count] of family.endedPerDay) {
      days.set(day, (days.get(day) ?? 0) + count);
    }
  }
  return days;
}

function familyReport(family: FamilyTally): FamilyReport {
  const { counters, undated, ended, tooLong, negative, notNumbers, found, evidence, examples } = family;
  return {
    family: family.family,
    evidence,
    counters,
    bytes: Math.round(counters * mean(family.sizes, GUESSED_BYTES)),
    undated,
    ended,
    tooLong,
    negative,
    notNumbers,
    found,
    wastedBytes: Math.round(wastedBytes(family)),
    examples,
  };
}

function subjectsOf(families: readonly FamilyTally[]): AuditReport['subjects'] {
  return families
    .flatMap(({ family, subjects }) =>
      mostFrequent(subjects, MOST_SUBJECTS).map(({ item, count }) => ({
        family,
        subject: item,
        keys: count,
        missed: subjects.missed,
      })),
    )
    .sort((a, b) => b.keys - a.keys)
    .slice(0, MOST_SUBJECTS);
}

function unjudgedOf(tally: Tally): UnjudgedReport[] {
  const byHead = [...tally.unjudged]
    .filter(([, { numbers }]) => numbers > 0)
    .map(([head, { keys, sampled, numbers, undated }]) => ({
      names: `${head}*`,
      keys,
      numbers: numbers / sampled,
      undated: undated / sampled,
    }));
  const doubtful = [...tally.families.values()]
    .filter((family) => !isBelieved(family) && family.counters > 0)
    .map(({ family, counters, strangers, contrary, undated }) => ({
      names: family,
      keys: counters + strangers + contrary,
      numbers: counters / (counters + strangers),
      undated: undated / (counters + strangers),
    }));
  return [...byHead, ...doubtful].sort((a, b) => b.keys * b.numbers - a.keys * a.numbers).slice(0, MOST_UNJUDGED);
}
