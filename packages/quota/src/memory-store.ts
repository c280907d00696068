import type { Deadline } from './deadlines.ts';
import { QuotaError } from './errors.ts';
import { hostClock, hostTimers, type Clock, type Timers } from './host.ts';
import { MemoryEntries, type MemoryEntry } from './memory-entries.ts';
import type {
  Draw,
  Drawn,
  GroupDrawn,
  Marker,
  Memo,
  Return,
  Store,
  StoreHealth,
  StoreProfile,
  Swapped,
} from './store.ts';

/** How a memory store is bounded and what time it believes in. */
export interface MemoryStoreOptions {
  /** Most entries held, default 1,000,000 (about 200 bytes each). */
  readonly maxEntries?: number;
  /**
   * What happens to a new counter when the store is full of live ones. `refuse` (default): the write fails with
   * `store-unavailable`, so the quota's outage policy decides; no live counter is ever lost. `evict`: the entry with the
   * soonest deadline goes, of several the oldest; its quota may then admit more than its limit.
   */
  readonly whenFull?: 'refuse' | 'evict';
  /** Default `Date.now`. */
  readonly clock?: Clock;
  /** Default the host's. */
  readonly timers?: Timers;
}

const DEFAULT_MAX_ENTRIES = 1_000_000;

/**
 * The embedded store: counters in this process, bounded and swept. Exact within the process; a restart forgets everything.
 * Everything is O(1) amortised. Time that stands still or goes back is harmless: an entry counts until its deadline.
 */
export class MemoryStore implements Store {
  readonly name: string = 'memory';
  readonly profile: StoreProfile = {
    capability: 'dated-increment',
    mechanism: 'memory',
    exact: true,
    atomicGroups: true,
    maxKeyBytes: Number.MAX_SAFE_INTEGER,
  };
  readonly #entries: MemoryEntries;
  readonly #clock: Clock;

  /** @throws {QuotaError} `invalid-argument` when `maxEntries` is no positive whole number. */
  constructor(options: MemoryStoreOptions = {}) {
    const { maxEntries = DEFAULT_MAX_ENTRIES, whenFull = 'refuse', clock = hostClock, timers = hostTimers } = options;
    if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
      throw new QuotaError('invalid-argument', `maxEntries must be a positive whole number, got ${maxEntries}`);
    }
    this.#clock = clock;
    this.#entries = new MemoryEntries(maxEntries, whenFull === 'evict', clock, timers);
  }

  /** Entries held, due ones that are not yet swept included. */
  get size(): number {
    return this.#entries.size;
  }

  /** The deadline of an entry in epoch ms; `undefined`: absent. */
  deadlineOf(key: string): number | undefined {
    return this.#entries.live(key, this.#clock())?.deadline;
  }

  probe(): Promise<StoreProfile> {
    return Promise.resolve(this.profile);
  }

  take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    const nowMs = this.#clock();
    this.#entries.sweepSome(nowMs);
    return Promise.resolve(draws.map((draw) => this.#draw(draw, nowMs)));
  }

  takeNow(draw: Draw, nowMs: number, memo: Memo): Drawn | Error {
    this.#entries.sweepSome(nowMs);
    const drawn = this.#draw(draw, nowMs);
    const entry = this.#entries.get(draw.key);
    memo.place = entry?.value === undefined ? entry : undefined;
    return drawn;
  }

  takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn> {
    const nowMs = this.#clock();
    this.#entries.sweepSome(nowMs);
    try {
      return Promise.resolve(this.#drawGroup(draws, marker, nowMs));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  giveBack(returns: readonly Return[]): Promise<readonly (number | undefined | Error)[]> {
    const nowMs = this.#clock();
    return Promise.resolve(
      returns.map(({ key, amount }) => {
        const entry = this.#entries.live(key, nowMs);
        if (entry === undefined) return undefined;
        if (entry.value !== undefined) return notACounter(key);
        entry.total = Math.max(0, entry.total - amount);
        return entry.total;
      }),
    );
  }

  read(keys: readonly string[]): Promise<readonly (number | undefined | Error)[]> {
    const nowMs = this.#clock();
    return Promise.resolve(
      keys.map((key) => {
        const entry = this.#entries.live(key, nowMs);
        return entry?.value === undefined ? entry?.total : notACounter(key);
      }),
    );
  }

  get(key: string): Promise<string | undefined> {
    const entry = this.#entries.live(key, this.#clock());
    return Promise.resolve(entry === undefined ? undefined : (entry.value ?? String(entry.total)));
  }

  swap(key: string, expected: string | undefined, next: string, deadline: Deadline): Promise<Swapped> {
    const nowMs = this.#clock();
    this.#entries.sweepSome(nowMs);
    const found = this.#entries.live(key, nowMs);
    const value = found === undefined ? undefined : (found.value ?? String(found.total));
    if (value !== expected) return Promise.resolve({ swapped: false, value });
    if (found !== undefined) this.#entries.delete(found);
    try {
      this.#entries.create(key, deadline, nowMs).value = next;
      return Promise.resolve({ swapped: true, value: next });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#entries.delete(entry);
    }
    return Promise.resolve();
  }

  time(): Promise<number> {
    return Promise.resolve(this.#clock());
  }

  health(): Promise<StoreHealth> {
    return Promise.resolve({
      evictionPolicy: this.#entries.evicts ? 'soonest-deadline' : 'noeviction',
      evicted: this.#entries.evicted,
      undated: 0,
      entries: this.#entries.size,
    });
  }

  /** Stops the timer. The entries stay: another engine may share them, and they go with the store. */
  close(): Promise<void> {
    this.#entries.stopTimer();
    return Promise.resolve();
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
  }

  #draw(draw: Draw, nowMs: number): Drawn | Error {
    const entry = this.#entries.live(draw.key, nowMs);
    if (entry !== undefined) return raise(entry, draw);
    const vanished = (draw.seen ?? 0) > 0;
    const granted = grantable(draw, 0);
    if (granted === 0) return { granted, total: 0, vanished };
    try {
      this.#entries.create(draw.key, draw.deadline, nowMs).total = granted;
      return { granted, total: granted, vanished };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #drawGroup(draws: readonly Draw[], marker: Marker | undefined, nowMs: number): GroupDrawn {
    const found = draws.map((draw) => this.#entries.live(draw.key, nowMs));
    const totals = found.map((entry, index) => {
      if (entry?.value !== undefined) throw notACounter(draws[index]?.key ?? '');
      return entry?.total ?? 0;
    });
    const untouched = (): Drawn[] => totals.map((total) => ({ granted: 0, total }));
    const marked = marker === undefined ? undefined : this.#entries.live(marker.key, nowMs);
    if (marked !== undefined) return { outcome: 'replayed', draws: untouched(), refused: [], note: marked.value ?? '' };
    const refused = draws.flatMap((draw, index) => (draw.amount > draw.limit - (totals[index] ?? 0) ? [index] : []));
    if (refused.length > 0) return { outcome: 'refused', draws: untouched(), refused };
    const missing = found.filter((entry) => entry === undefined).length + (marker === undefined ? 0 : 1);
    const { evicts, max, size } = this.#entries;
    if (!evicts && size + missing > max) throw this.#entries.full();
    if (marker !== undefined) this.#entries.create(marker.key, marker.deadline, nowMs).value = marker.note;
    const drawn = draws.map((draw) => {
      // Looked up again: making room for one entry may have evicted another.
      const entry = this.#entries.live(draw.key, nowMs) ?? this.#entries.create(draw.key, draw.deadline, nowMs);
      entry.total += draw.amount;
      return { granted: draw.amount, total: entry.total };
    });
    return { outcome: 'charged', draws: drawn, refused: [] };
  }
}

/** The largest multiple of the draw's unit that fits under its limit. */
function grantable(draw: Draw, total: number): number {
  const room = draw.limit - total;
  if (room >= draw.amount) return draw.amount;
  return room < draw.unit ? 0 : room - (room % draw.unit);
}

/** Raises a counter that is there. */
function raise(entry: MemoryEntry, draw: Draw): Drawn | Error {
  if (entry.value !== undefined) return notACounter(draw.key);
  const granted = grantable(draw, entry.total);
  entry.total += granted;
  return { granted, total: entry.total };
}

function notACounter(key: string): QuotaError {
  return new QuotaError('store-corrupt', `the entry ${key} is no counter`);
}
