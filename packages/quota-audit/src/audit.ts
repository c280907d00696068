import type { Clock, Zone } from '@weir/quota';
import { isFinding, judge, type AuditPolicy, type EntryFacts } from './findings/judge.ts';
import {
  newTally,
  tallyContrary,
  tallyEntry,
  tallySample,
  tallyUnjudged,
  familyId,
  type Tally,
} from './findings/tally.ts';
import { foundSoFar } from './findings/report.ts';
import type { CounterName } from './names/counter-name.ts';
import { headOf } from './names/home-made.ts';
import { recognise, type Recognising } from './names/recognise.ts';
import type { Pacer } from './pacer.ts';
import type { Journal, ListingState } from './repair/journal.ts';
import { planLine, type PlanLine } from './repair/plan.ts';
import type { AuditedStore, ListedKey, Look, LookRequest, Page } from './stores/audited-store.ts';
import { textOf } from './stores/redis-nodes.ts';

/** What to audit. */
export interface AuditOptions {
  /** Only keys that match this pattern of Redis. */
  readonly match?: string;
  /** Patterns of keys that are counters, whatever they look like. */
  readonly claimed?: readonly string[];
  /** Zone of dates in home-made names; absent: UTC is assumed, and deletions wait until the day is over everywhere. */
  readonly zone?: Zone;
  readonly policy: AuditPolicy;
  /** Ends the audit between two pages; it throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told after each page. */
  readonly onProgress?: (progress: AuditProgress) => void;
}

/** How far an audit is. */
export interface AuditProgress {
  readonly keys: number;
  /** Of about so many; `undefined`: not known. */
  readonly total: number | undefined;
  /** Keys with at least one finding, as the report would count them now. */
  readonly found: number;
  readonly keysPerSecond: number;
}

/** What an audit is made of. */
export interface AuditParts {
  readonly store: AuditedStore;
  readonly pacer: Pacer;
  /** A clock that never goes back, in ms. */
  readonly monotonic: Clock;
}

/** Where to keep the record, and what to go on from. */
export interface Recording {
  readonly journal: Journal;
  /** Says what is audited and how. */
  readonly about: string;
  /** A checkpoint to continue from. */
  readonly from?: ListingState;
}

/** Time between two checkpoints, in ms: what an interrupted listing repeats. */
const CHECKPOINT_MS = 2_000;

/** Of each family so many entries are measured, and then one in so many. */
const MEASURED_FIRST = 64;
const MEASURED_EACH = 32;

/**
 * Lists and judges all keys of a store. Reads only; writes nothing but the journal.
 * @param recording keeps the plan of repairs; without it nothing can be repaired afterwards.
 * @returns the tally, and the store's time at which it began.
 */
export async function auditKeys(
  parts: AuditParts,
  options: AuditOptions,
  recording?: Recording,
): Promise<{ tally: Tally; atMs: number }> {
  const { store, pacer, monotonic } = parts;
  const storeMs = (await store.now()) - monotonic();
  const atMs = Math.round(storeMs + monotonic());
  const total = await store.count();
  const run = new AuditRun(parts, options, recording?.from?.tally);
  let planBytes = recording?.from?.planBytes ?? 0;
  let savedAtMs = monotonic();
  const save = async (phase: ListingState['phase'], cursor: string | undefined): Promise<void> => {
    if (recording === undefined) return;
    const startedAtMs = recording.from?.startedAtMs ?? atMs;
    const place = cursor === undefined ? {} : { cursor };
    await recording.journal.saveListing({
      about: recording.about,
      startedAtMs,
      phase,
      ...place,
      planBytes,
      tally: run.tally,
    });
    savedAtMs = monotonic();
  };
  for await (const page of store.list(recording?.from?.cursor, options.match)) {
    const askedMs = monotonic();
    await store.ping();
    pacer.observe(monotonic() - askedMs);
    const lines = await run.take(page, storeMs + monotonic());
    if (recording !== undefined) planBytes = await recording.journal.append(lines);
    const due = monotonic() - savedAtMs >= CHECKPOINT_MS || options.signal?.aborted === true;
    if (due && store.resumable && page.next !== undefined) await save('listing', page.next);
    options.onProgress?.({
      keys: run.tally.keys,
      total,
      found: foundSoFar(run.tally),
      keysPerSecond: pacer.keysPerSecond,
    });
    options.signal?.throwIfAborted();
    await pacer.pay(page.keys.length);
  }
  await save('listed', undefined);
  return { tally: run.tally, atMs };
}

/** A key with what its name says, that must be looked at. */
interface Question {
  readonly request: LookRequest;
  /** `undefined`: one of a sample of names that say nothing. */
  readonly name: CounterName | undefined;
  readonly head: string;
}

class AuditRun {
  readonly tally: Tally;
  readonly #store: AuditedStore;
  readonly #policy: AuditPolicy;
  readonly #claimed: readonly string[];
  readonly #zone: Zone | undefined;

  constructor({ store }: AuditParts, { policy, claimed, zone }: AuditOptions, from: Tally | undefined) {
    this.tally = from ?? newTally();
    this.#store = store;
    this.#policy = policy;
    this.#claimed = claimed ?? [];
    this.#zone = zone;
  }

  /** Judges the keys of a page. @returns what can be repaired. */
  async take(page: Page, nowMs: number): Promise<PlanLine[]> {
    const recognising = { nowMs, claimed: this.#claimed, ...(this.#zone === undefined ? {} : { zone: this.#zone }) };
    const questions: Question[] = [];
    for (const listed of page.keys) {
      const question = this.#question(listed, recognising);
      if (question !== undefined) questions.push(question);
    }
    this.tally.keys += page.keys.length;
    if (questions.length === 0) return [];
    const looks = await this.#store.look(questions.map(({ request }) => request));
    return questions.flatMap((question, index) => this.#answer(question, looks[index], nowMs) ?? []);
  }

  #question(listed: ListedKey, recognising: Recognising): Question | undefined {
    const key = textOf(listed.key);
    const reading = recognise(key, recognising);
    if (reading === undefined) return this.#sample(listed, key);
    switch (reading.is) {
      case 'companion':
        this.tally.companions += 1;
        return undefined;
      case 'contrary':
        tallyContrary(this.tally, reading);
        return undefined;
      case 'counter':
        if (reading.contrary !== undefined) tallyContrary(this.tally, reading.contrary);
        return this.#counterQuestion(listed, reading.name, recognising.nowMs);
      default:
        return reading satisfies never;
    }
  }

  /** A sample shows which names to claim. Not where looking makes an entry younger. */
  #sample(listed: ListedKey, key: string): Question | undefined {
    if (listed.listed !== undefined) return undefined;
    const head = headOf(key);
    if (!tallyUnjudged(this.tally, head)) return undefined;
    return { request: { ...listed, sized: false }, name: undefined, head };
  }

  #counterQuestion(listed: ListedKey, name: CounterName, nowMs: number): Question | undefined {
    if (listed.listed !== undefined) {
      const { deadlineMs, sizeBytes } = listed.listed;
      const facts = { deadlineMs, value: undefined };
      const verdict = judge(name, facts, this.#policy, nowMs);
      if (!isFinding(verdict)) {
        tallyEntry(this.tally, name, facts, verdict, { key: listed.key, sizeBytes, nowMs });
        return undefined;
      }
    }
    const seen = this.tally.families.get(familyId(name))?.counters ?? 0;
    const sized = seen < MEASURED_FIRST || seen % MEASURED_EACH === 0;
    return { request: { ...listed, sized }, name, head: '' };
  }

  #answer({ request, name, head }: Question, look: Look | undefined, nowMs: number): PlanLine | undefined {
    if (look === undefined) {
      this.tally.gone += 1;
      return undefined;
    }
    const facts: EntryFacts = look;
    if (name === undefined) {
      tallySample(this.tally, head, facts);
      return undefined;
    }
    const verdict = judge(name, facts, this.#policy, nowMs);
    const { sizeBytes } = look;
    const family = tallyEntry(this.tally, name, facts, verdict, { key: textOf(request.key), sizeBytes, nowMs });
    return planLine(request, name, family, facts, verdict);
  }
}
