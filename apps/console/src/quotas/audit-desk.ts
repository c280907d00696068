import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditRunInput, AuditRunView, RepairPlan, RepairProgress } from '@weir/protocol';
import { zoneNamed } from '@weir/quota';
import {
  auditKeys,
  DEFAULT_MAX_LIFETIME_MS,
  openFileJournal,
  Pacer,
  repair,
  reportOf,
  summarise,
  type AuditedStore,
  type FixRules,
  type Journal,
  type ListingState,
  type RepairCounts,
} from '@weir/quota-audit';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { reportView } from './audit-report.ts';

/** What the desk does not do itself. */
export interface AuditDeskParts {
  clock: Clock;
  log: Logger;
  /** Folder of the journals; each audit has its own in it. */
  folder: string;
  /** Opens a store for an audit alone. */
  open(storeId: string): Promise<{ store: AuditedStore; close(): Promise<void> }>;
  /** Writes down how an audit stands. */
  save(audit: AuditRunView): Promise<void>;
  /** Forgets an audit. */
  forget(auditId: string): Promise<void>;
}

/** Audits that are kept; their journals hold keys of the store. */
const KEPT = 20;
/** Half the pace of `weir audit`: this process has a fleet to answer, too. */
const KEYS_PER_SECOND = 5_000;
/** How often a running audit is written down, in ms. */
const SAVE_MS = 2_000;

/** Audits and repairs of this console. One at a time runs on a store. */
export class AuditDesk {
  readonly #parts: AuditDeskParts;
  readonly #audits = new Map<string, AuditRunView>();
  /** Repairs of which is being written down that they begin. */
  readonly #beginning = new Set<string>();
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();

  /** @param kept audits of earlier lives; what ran then was stopped by the end of the console */
  constructor(parts: AuditDeskParts, kept: readonly AuditRunView[]) {
    this.#parts = parts;
    for (const audit of kept.toReversed()) {
      const cut = audit.state === 'listing' || audit.state === 'fixing';
      this.#audits.set(audit.auditId, cut ? { ...audit, state: 'stopped', problem: 'the console ended' } : audit);
    }
  }

  /** Newest first. */
  all(): AuditRunView[] {
    return [...this.#audits.values()].toReversed();
  }

  get(auditId: string): AuditRunView | undefined {
    return this.#audits.get(auditId);
  }

  /** Whether something runs on a store. */
  isBusy(storeId: string): boolean {
    const running = [...this.#running.keys(), ...this.#beginning];
    return running.some((auditId) => this.#audits.get(auditId)?.storeId === storeId);
  }

  /** Begins to list and judge the keys of a store. Reads only. */
  async start(auditId: string, input: AuditRunInput, storeName: string, startedBy: string): Promise<AuditRunView> {
    const audit: AuditRunView = {
      auditId,
      storeId: input.storeId,
      storeName,
      input,
      state: 'listing',
      problem: null,
      startedBy,
      startedAtMs: this.#parts.clock.nowMs(),
      endedAtMs: null,
      progress: { keys: 0, total: null, found: 0, keysPerSecond: 0 },
      report: null,
      repair: null,
    };
    this.#audits.set(auditId, audit);
    this.#run(auditId, (store, journal, signal) => this.#list(auditId, store, journal, signal), 'done');
    await this.#parts.save(audit);
    await this.#forgetOld();
    return audit;
  }

  /** What a repair would do now. */
  async plan(auditId: string, rules: FixRules): Promise<RepairPlan> {
    return this.#with(auditId, async (store, journal) => {
      const { listing, done } = await this.#listed(journal, rules);
      const { changes, spared } = await summarise({ store, journal }, listing.tally, rules, done?.appliedBytes);
      return { mode: rules.mode, changes, spared: { ...spared } };
    });
  }

  /**
   * Begins to repair what was listed; goes on where an interrupted repair of the same kind was. The store is busy from now on.
   * @param before is done before anything is changed
   */
  async repair(auditId: string, rules: FixRules, before: () => Promise<void>): Promise<AuditRunView> {
    this.#beginning.add(auditId);
    try {
      await before();
    } finally {
      this.#beginning.delete(auditId);
    }
    this.#change(auditId, { state: 'fixing', problem: null, endedAtMs: null });
    this.#run(auditId, (store, journal, signal) => this.#fix(auditId, store, journal, rules, signal), 'fixed');
    const audit = this.#audits.get(auditId);
    if (audit === undefined) throw new Error('The audit is gone.');
    await this.#parts.save(audit);
    return audit;
  }

  /** Stops what runs of an audit, and waits for its end. */
  async stop(auditId: string, reason: string): Promise<void> {
    const running = this.#running.get(auditId);
    running?.stop.abort(new Error(reason));
    await running?.done;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((auditId) => this.stop(auditId, 'the console ended')));
  }

  #change(auditId: string, part: Partial<AuditRunView>): void {
    const audit = this.#audits.get(auditId);
    if (audit !== undefined) this.#audits.set(auditId, { ...audit, ...part });
  }

  #run(
    auditId: string,
    work: (store: AuditedStore, journal: Journal, signal: AbortSignal) => Promise<void>,
    end: 'done' | 'fixed',
  ): void {
    const stop = new AbortController();
    const { clock, log } = this.#parts;
    const saving = this.#saveNowAndThen(auditId);
    const run = async (): Promise<void> => {
      try {
        await this.#with(auditId, (store, journal) => work(store, journal, stop.signal));
        this.#change(auditId, { state: end, problem: null });
      } catch (error) {
        const problem = (error instanceof Error ? error.message || error.name : String(error)).slice(0, 300);
        this.#change(auditId, { state: stop.signal.aborted ? 'stopped' : 'failed', problem });
      }
      saving.cancel();
      this.#change(auditId, { endedAtMs: clock.nowMs() });
      this.#running.delete(auditId);
      const audit = this.#audits.get(auditId);
      if (audit !== undefined) await this.#parts.save(audit);
    };
    const done = run().catch((error: unknown) => {
      log.error({ auditId, error: String(error) }, 'how an audit ended could not be written down');
    });
    this.#running.set(auditId, { stop, done });
  }

  /** So that a console that is killed knows how far it was. */
  #saveNowAndThen(auditId: string): { cancel(): void } {
    const { clock, log } = this.#parts;
    const tick = (): void => {
      const audit = this.#audits.get(auditId);
      if (audit !== undefined) {
        this.#parts.save(audit).catch((error: unknown) => {
          log.error({ auditId, error: String(error) }, 'how far an audit is could not be written down');
        });
      }
      timer = clock.after(SAVE_MS, tick);
    };
    let timer = clock.after(SAVE_MS, tick);
    return { cancel: () => timer.cancel() };
  }

  async #with<T>(auditId: string, work: (store: AuditedStore, journal: Journal) => Promise<T>): Promise<T> {
    const audit = this.#audits.get(auditId);
    if (audit === undefined) throw new Error('The audit is gone.');
    const opened = await this.#parts.open(audit.storeId);
    try {
      const journal = await openFileJournal(this.#folderOf(auditId));
      try {
        return await work(opened.store, journal);
      } finally {
        await journal.close();
      }
    } finally {
      await opened.close();
    }
  }

  #pacer(): Pacer {
    const { clock } = this.#parts;
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
    return new Pacer(KEYS_PER_SECOND, () => clock.steadyMs(), sleep);
  }

  async #list(auditId: string, store: AuditedStore, journal: Journal, signal: AbortSignal): Promise<void> {
    const { input } = this.#audits.get(auditId) ?? {};
    if (input === undefined) return;
    await journal.begin();
    const parts = { store, pacer: this.#pacer(), monotonic: () => this.#parts.clock.steadyMs() };
    const options = {
      policy: { maxLifetimeMs: DEFAULT_MAX_LIFETIME_MS },
      claimed: input.counters,
      signal,
      ...(input.match === undefined ? {} : { match: input.match }),
      ...(input.zone === undefined ? {} : { zone: zoneNamed(input.zone) }),
      onProgress: ({ keys, total, found, keysPerSecond }: Progress) => {
        const bound = input.match === undefined ? (total ?? null) : null;
        this.#change(auditId, { progress: { keys, total: bound, found, keysPerSecond } });
      },
    };
    const { tally, atMs } = await auditKeys(parts, options, { journal, about: auditId });
    this.#change(auditId, { report: reportView(reportOf(tally, atMs)) });
  }

  async #fix(
    auditId: string,
    store: AuditedStore,
    journal: Journal,
    rules: FixRules,
    signal: AbortSignal,
  ): Promise<void> {
    const { listing, done } = await this.#listed(journal, rules);
    const parts = { store, journal, pacer: this.#pacer(), monotonic: () => this.#parts.clock.steadyMs() };
    const counts = await repair(parts, listing.tally, {
      rules,
      signal,
      ...(done === undefined ? {} : { from: done }),
      onProgress: (progress) => this.#change(auditId, { repair: progressOf(rules, progress.counts) }),
    });
    this.#change(auditId, { repair: progressOf(rules, counts) });
  }

  async #listed(
    journal: Journal,
    rules: FixRules,
  ): Promise<{ listing: ListingState; done: Parameters<typeof repair>[2]['from'] }> {
    const saved = await journal.load();
    if (saved?.listing.phase !== 'listed') throw new Error('the plan of this audit is incomplete: audit again');
    const { listing } = saved;
    // A repair that is complete is begun anew: what was put right is found to be right.
    const interrupted = saved.repair !== undefined && saved.repair.appliedBytes < listing.planBytes;
    return { listing, done: interrupted && saved.repair?.mode === rules.mode ? saved.repair : undefined };
  }

  async #forgetOld(): Promise<void> {
    const old = this.all()
      .slice(KEPT)
      .filter(({ auditId }) => !this.#running.has(auditId));
    for (const { auditId } of old) {
      this.#audits.delete(auditId);
      await rm(this.#folderOf(auditId), { recursive: true, force: true });
      await this.#parts.forget(auditId);
    }
  }

  #folderOf(auditId: string): string {
    return join(this.#parts.folder, auditId);
  }
}

interface Progress {
  readonly keys: number;
  readonly total: number | undefined;
  readonly found: number;
  readonly keysPerSecond: number;
}

function progressOf({ mode }: FixRules, { spared, ...counts }: RepairCounts): RepairProgress {
  return { mode, ...counts, spared: { ...spared } };
}
