import type { Clock } from '@weir/quota';
import type { Tally } from '../findings/tally.ts';
import type { Pacer } from '../pacer.ts';
import type { AuditedStore, Change } from '../stores/audited-store.ts';
import type { Journal, RepairCounts, RepairState } from './journal.ts';
import { changeFor, familyFacts, type FamilyFacts, type FixRules, type Spared } from './plan.ts';

/** What a repair is made of. */
export interface RepairParts {
  readonly store: AuditedStore;
  readonly journal: Journal;
  readonly pacer: Pacer;
  /** A clock that never goes back, in ms. */
  readonly monotonic: Clock;
}

/** How to repair. */
export interface RepairOptions {
  readonly rules: FixRules;
  /** Progress of an interrupted repair of the same plan and mode. */
  readonly from?: RepairState;
  /** Ends it between two batches; it throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told after each batch. */
  readonly onProgress?: (progress: { lines: number; counts: RepairCounts }) => void;
  /** Told of each change that failed. */
  readonly onFailure?: (key: string, error: Error) => void;
}

/** What a plan comes to, before anything is done. */
export interface PlanSummary {
  readonly lines: number;
  readonly changes: number;
  readonly spared: Partial<Record<Spared, number>>;
}

const BATCH = 50;
const SAVE_MS = 1_000;

/** Counts what `repair` would do. */
export async function summarise(
  { store, journal }: Pick<RepairParts, 'store' | 'journal'>,
  tally: Tally,
  rules: FixRules,
  fromByte = 0,
): Promise<PlanSummary> {
  const families = familyFacts(tally);
  const nowMs = await store.now();
  const spared: Partial<Record<Spared, number>> = {};
  let lines = 0;
  let changes = 0;
  for await (const { line } of journal.lines(fromByte)) {
    const change = changeFor(line, lines, rules, families.get(line.family), nowMs);
    lines += 1;
    if (typeof change === 'string') spared[change] = (spared[change] ?? 0) + 1;
    else changes += 1;
  }
  return { lines, changes, spared };
}

/**
 * Makes the changes of a plan, in its order, each only if its entry still is as it was found. Progress is saved every second.
 * @throws the store's error when a whole batch fails: the server is gone, or refuses.
 */
export async function repair(parts: RepairParts, tally: Tally, options: RepairOptions): Promise<RepairCounts> {
  const { store, journal, pacer, monotonic } = parts;
  const { rules, from, signal } = options;
  const families = familyFacts(tally);
  const storeMs = (await store.now()) - monotonic();
  const counts = from?.counts ?? { done: 0, kept: 0, gone: 0, changed: 0, failed: 0, spared: {} };
  let lines = from?.appliedLines ?? 0;
  let appliedBytes = from?.appliedBytes ?? 0;
  let savedAtMs = monotonic();
  const save = async (): Promise<void> => {
    await journal.saveRepair({ mode: rules.mode, appliedBytes, appliedLines: lines, counts });
    savedAtMs = monotonic();
  };
  let batch: Change[] = [];
  const flush = async (endByte: number): Promise<void> => {
    const askedMs = monotonic();
    await store.ping();
    pacer.observe(monotonic() - askedMs);
    await changeAll(store, batch, counts, options.onFailure);
    appliedBytes = endByte;
    options.onProgress?.({ lines, counts });
    if (monotonic() - savedAtMs >= SAVE_MS || signal?.aborted === true) await save();
    signal?.throwIfAborted();
    await pacer.pay(batch.length);
    batch = [];
  };
  let end = appliedBytes;
  for await (const { line, endByte } of journal.lines(appliedBytes)) {
    const family: FamilyFacts | undefined = families.get(line.family);
    const change = changeFor(line, lines, rules, family, storeMs + monotonic());
    lines += 1;
    end = endByte;
    if (typeof change === 'string') counts.spared[change] = (counts.spared[change] ?? 0) + 1;
    else batch.push(change);
    if (batch.length >= BATCH) await flush(endByte);
  }
  await flush(end);
  await save();
  return counts;
}

async function changeAll(
  store: AuditedStore,
  batch: readonly Change[],
  counts: RepairCounts,
  onFailure: RepairOptions['onFailure'],
): Promise<void> {
  if (batch.length === 0) return;
  const outcomes = await store.change(batch);
  let failure: Error | undefined;
  let failures = 0;
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof Error) {
      failure = outcome;
      failures += 1;
      onFailure?.(batch[index]?.key ?? '', outcome);
    } else counts[outcome] += 1;
  }
  if (failure !== undefined && failures === batch.length) throw failure;
  counts.failed += failures;
}
