import type { Contrary, CounterName, Evidence } from '../names/counter-name.ts';
import { countItem, newFrequent, type Frequent } from './frequent.ts';
import { hasEnded, isFinding, isInteger, type EntryFacts, type Verdict } from './judge.ts';

/** Sum of sizes that were measured, and how many. */
export interface Sizes {
  count: number;
  bytes: number;
}

/** What was seen of one family. */
export interface FamilyTally {
  readonly family: string;
  readonly evidence: Evidence;
  /** Several families, thrown together because there were too many. */
  readonly isMixed: boolean;
  /** Whole numbers under names of this family. */
  counters: number;
  /** Of these, with a limiter's word in the name. */
  worded: number;
  /** Entries of such names that are no whole numbers. */
  strangers: number;
  /** Names that have a number where the others have a period, and it is none. */
  contrary: number;
  undated: number;
  /** Undated and without a period in the name: how old they are cannot be told. */
  undatedAgeless: number;
  ended: number;
  /** Of the ended: how many have a deadline, a far one. */
  endedDated: number;
  tooLong: number;
  negative: number;
  notNumbers: number;
  /** Keys with at least one finding. */
  found: number;
  wasted: number;
  /** Counters of ended periods that are about to go; no finding. */
  leaving: number;
  /** Longest time to live among counters without findings, in ms: how long this limiter's window is, at least. */
  longestLifeMs: number;
  readonly sizes: Sizes;
  readonly wastedSizes: Sizes;
  /** Starts of periods seen, up to `DISTINCT_STARTS`. */
  readonly starts: number[];
  /** Undated counters of ended periods, by the day (UTC, number since 1970) on which the period ended. */
  readonly endedPerDay: Map<number, number>;
  /** Keys with findings. */
  readonly examples: string[];
  readonly subjects: Frequent;
}

/** Enough to tell one date in many names from many dates. */
const DISTINCT_STARTS = 4;

const MAX_EXAMPLES = 3;
const MAX_SUBJECTS = 256;

/** Families beyond this many are thrown together: names that are nothing but ids must not fill the memory. */
const MAX_FAMILIES = 1_000;

/** The name of what is thrown together; no key's family is called so. */
const MIXED = 'too many families to tell apart';

const DAY_MS = 86_400_000;

/** Numeric strings whose names say nothing, by the first part of the name; from a sample. */
export interface UnjudgedTally {
  sampled: number;
  numbers: number;
  undated: number;
  keys: number;
}

/** Everything that an audit has seen so far: plain data and maps, so that an interrupted audit can be continued. */
export interface Tally {
  /** Keys listed. */
  keys: number;
  /** Entries of limiters that are no counters. */
  companions: number;
  /** Listed, and gone or expired when they were looked at. */
  gone: number;
  readonly families: Map<string, FamilyTally>;
  readonly unjudged: Map<string, UnjudgedTally>;
}

/** A tally of nothing. */
export function newTally(): Tally {
  return {
    keys: 0,
    companions: 0,
    gone: 0,
    families: new Map(),
    unjudged: new Map(),
  };
}

/** By what a family is found in the tally and in plan lines. */
export function familyId({ family, evidence }: { family: string; evidence: Evidence }): string {
  return `${evidence} ${family}`;
}

/** Adds one entry with a counter's name. @returns the id of its family. */
export function tallyEntry(
  tally: Tally,
  name: CounterName,
  facts: EntryFacts,
  verdict: Verdict,
  seen: { key: string; sizeBytes: number | undefined; nowMs: number },
): string {
  const family = familyOf(tally, name);
  if (verdict.isCounter) tallyCounter(family, name, facts, verdict, seen.nowMs);
  else {
    family.strangers += 1;
    if (verdict.notANumber) family.notNumbers += 1;
  }
  if (seen.sizeBytes !== undefined && (verdict.isCounter || verdict.notANumber)) {
    add(family.sizes, seen.sizeBytes);
    if (verdict.wasted) add(family.wastedSizes, seen.sizeBytes);
  }
  if (isFinding(verdict)) {
    family.found += 1;
    if (family.examples.length < MAX_EXAMPLES) family.examples.push(seen.key);
  }
  return familyId(family);
}

function tallyCounter(
  family: FamilyTally,
  name: CounterName,
  facts: EntryFacts,
  verdict: Verdict,
  nowMs: number,
): void {
  family.counters += 1;
  if (name.worded) family.worded += 1;
  const { period, subject } = name;
  const { deadlineMs } = facts;
  if (period !== undefined && family.starts.length < DISTINCT_STARTS && !family.starts.includes(period.startMs)) {
    family.starts.push(period.startMs);
  }
  if (verdict.negative) family.negative += 1;
  if (verdict.tooLong) family.tooLong += 1;
  if (verdict.undated) family.undated += 1;
  if (verdict.undated && period === undefined) family.undatedAgeless += 1;
  if (verdict.ended) {
    family.ended += 1;
    if (!verdict.undated) family.endedDated += 1;
  }
  // Without the margin that late writers have, or yesterday would be missing every morning.
  if (verdict.undated && period !== undefined && period.endMs <= nowMs) {
    const day = Math.floor((period.endMs - 1) / DAY_MS);
    family.endedPerDay.set(day, (family.endedPerDay.get(day) ?? 0) + 1);
  }
  if (verdict.wasted) {
    family.wasted += 1;
    countItem(family.subjects, subject);
  } else if (deadlineMs !== undefined) {
    if (period !== undefined && hasEnded(period, nowMs)) family.leaving += 1;
    if (!verdict.tooLong) family.longestLifeMs = Math.max(family.longestLifeMs, deadlineMs - nowMs);
  }
}

/** Adds a name that speaks against a home-made family. */
export function tallyContrary(tally: Tally, { family, evidence }: Contrary): void {
  const name = { family, evidence, distinctive: false, worded: false, subject: '' };
  familyOf(tally, name).contrary += 1;
}

function familyOf(tally: Tally, name: CounterName): FamilyTally {
  const id = familyId(name);
  const known = tally.families.get(id);
  if (known !== undefined) return known;
  const isHomeMade = name.evidence !== 'known' && name.evidence !== 'claimed';
  const isMixed = name.family === MIXED;
  if (isHomeMade && !isMixed && tally.families.size >= MAX_FAMILIES) return familyOf(tally, { ...name, family: MIXED });
  const family = newFamily(name.family, name.evidence, isMixed);
  tally.families.set(id, family);
  return family;
}

function newFamily(family: string, evidence: Evidence, isMixed: boolean): FamilyTally {
  return {
    family,
    evidence,
    isMixed,
    counters: 0,
    worded: 0,
    strangers: 0,
    contrary: 0,
    undated: 0,
    undatedAgeless: 0,
    ended: 0,
    endedDated: 0,
    tooLong: 0,
    negative: 0,
    notNumbers: 0,
    found: 0,
    wasted: 0,
    leaving: 0,
    longestLifeMs: 0,
    sizes: { count: 0, bytes: 0 },
    wastedSizes: { count: 0, bytes: 0 },
    starts: [],
    endedPerDay: new Map(),
    examples: [],
    subjects: newFrequent(MAX_SUBJECTS),
  };
}

function add(sizes: Sizes, bytes: number): void {
  sizes.count += 1;
  sizes.bytes += bytes;
}

/** How many keys of one beginning are looked at although their names say nothing. */
const SAMPLED_PER_HEAD = 32;
const MAX_HEADS = 256;

/** Counts a key whose name says nothing. @returns whether it should be looked at, as one of a sample. */
export function tallyUnjudged(tally: Tally, head: string): boolean {
  let seen = tally.unjudged.get(head);
  if (seen === undefined) {
    if (tally.unjudged.size >= MAX_HEADS) return false;
    seen = { sampled: 0, numbers: 0, undated: 0, keys: 0 };
    tally.unjudged.set(head, seen);
  }
  seen.keys += 1;
  return seen.sampled < SAMPLED_PER_HEAD;
}

/** Adds what the look at such a key found. */
export function tallySample(tally: Tally, head: string, facts: EntryFacts): void {
  const seen = tally.unjudged.get(head);
  if (seen === undefined) return;
  seen.sampled += 1;
  if (typeof facts.value !== 'string' || !isInteger(facts.value)) return;
  seen.numbers += 1;
  if (facts.deadlineMs === undefined) seen.undated += 1;
}
