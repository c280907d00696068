import { DeadlineBuckets, type Dated } from './deadline-buckets.ts';
import type { Deadline } from './deadlines.ts';
import { QuotaError } from './errors.ts';
import { hostClock, hostTimers, MAX_TIMER_MS, type Clock, type TimerHandle, type Timers } from './host.ts';
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

class Entry implements Dated {
  readonly key: string;
  readonly deadline: number;
  total: number = 0;
  /** Set when the entry is a value and no counter. */
  value: string | undefined = undefined;
  /** Still in the store. */
  held: boolean = true;
  previous: this | undefined = undefined;
  next: this | undefined = undefined;

  constructor(key: string, deadline: number) {
    this.key = key;
    this.deadline = deadline;
  }
}

const DEFAULT_MAX_ENTRIES = 1_000_000;

/** Due entries removed by one call, so that no take pays for the sweep of a whole period. */
const SWEEP_PER_CALL = 4;

/** Due entries removed by one run of the timer, before it yields to the host. */
const SWEEP_PER_RUN = 10_000;

/** Pause between two runs while due entries remain, in ms. */
const SWEEP_PAUSE_MS = 5;

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
  readonly #entries = new Map<string, Entry>();
  readonly #buckets = new DeadlineBuckets<Entry>();
  readonly #maxEntries: number;
  readonly #evicts: boolean;
  readonly #clock: Clock;
  readonly #timers: Timers;
  #timer: TimerHandle | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #evicted = 0;
  /** Nothing is due before this time. */
  #dueMs: number = Number.POSITIVE_INFINITY;

  /** @throws {QuotaError} `invalid-argument` when `maxEntries` is no positive whole number. */
  constructor(options: MemoryStoreOptions = {}) {
    this.#maxEntries = options.maxEntries ?? DEFAULT_MAX_ENTRIES;
    if (!Number.isSafeInteger(this.#maxEntries) || this.#maxEntries < 1) {
      throw new QuotaError('invalid-argument', `maxEntries must be a positive whole number, got ${this.#maxEntries}`);
    }
    this.#evicts = options.whenFull === 'evict';
    this.#clock = options.clock ?? hostClock;
    this.#timers = options.timers ?? hostTimers;
  }

  /** Entries held, due ones that are not yet swept included. */
  get size(): number {
    return this.#entries.size;
  }

  /** The deadline of an entry in epoch ms; `undefined`: absent. */
  deadlineOf(key: string): number | undefined {
    return this.#live(key, this.#clock())?.deadline;
  }

  probe(): Promise<StoreProfile> {
    return Promise.resolve(this.profile);
  }

  take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    const nowMs = this.#clock();
    this.#sweep(nowMs, SWEEP_PER_CALL);
    return Promise.resolve(draws.map((draw) => this.#draw(draw, nowMs)));
  }

  takeNow(draw: Draw, nowMs: number, memo: Memo): Drawn | Error {
    if (nowMs >= this.#dueMs) this.#sweep(nowMs, 1);
    const known = memo.place;
    if (known instanceof Entry && known.held && known.deadline > nowMs) return raise(known, draw);
    const drawn = this.#draw(draw, nowMs);
    memo.place = this.#entries.get(draw.key);
    return drawn;
  }

  takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn> {
    const nowMs = this.#clock();
    this.#sweep(nowMs, SWEEP_PER_CALL);
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
        const entry = this.#live(key, nowMs);
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
        const entry = this.#live(key, nowMs);
        return entry?.value === undefined ? entry?.total : notACounter(key);
      }),
    );
  }

  get(key: string): Promise<string | undefined> {
    const entry = this.#live(key, this.#clock());
    return Promise.resolve(entry === undefined ? undefined : (entry.value ?? String(entry.total)));
  }

  swap(key: string, expected: string | undefined, next: string, deadline: Deadline): Promise<Swapped> {
    const nowMs = this.#clock();
    this.#sweep(nowMs, SWEEP_PER_CALL);
    const found = this.#live(key, nowMs);
    const value = found === undefined ? undefined : (found.value ?? String(found.total));
    if (value !== expected) return Promise.resolve({ swapped: false, value });
    if (found !== undefined) this.#delete(found);
    const entry = this.#create(key, deadline, nowMs);
    if (entry instanceof Error) return Promise.reject(entry);
    entry.value = next;
    return Promise.resolve({ swapped: true, value: next });
  }

  remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#delete(entry);
    }
    return Promise.resolve();
  }

  time(): Promise<number> {
    return Promise.resolve(this.#clock());
  }

  health(): Promise<StoreHealth> {
    return Promise.resolve({
      evictionPolicy: this.#evicts ? 'soonest-deadline' : 'noeviction',
      evicted: this.#evicted,
      undated: 0,
      entries: this.#entries.size,
    });
  }

  /** Stops the timer. The entries stay: another engine may share them, and they go with the store. */
  close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    return Promise.resolve();
  }

  /** Forgets everything. */
  clear(): void {
    for (const entry of this.#entries.values()) entry.held = false;
    this.#entries.clear();
    this.#buckets.clear();
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #draw(draw: Draw, nowMs: number): Drawn | Error {
    let entry = this.#live(draw.key, nowMs);
    if (entry === undefined) {
      const granted = grantable(draw, 0);
      if (granted === 0) return { granted, total: 0, vanished: (draw.seen ?? 0) > 0 };
      const created = this.#create(draw.key, draw.deadline, nowMs);
      if (created instanceof Error) return created;
      entry = created;
      entry.total = granted;
      return draw.seen === undefined ? { granted, total: granted } : { granted, total: granted, vanished: true };
    }
    return raise(entry, draw);
  }

  #drawGroup(draws: readonly Draw[], marker: Marker | undefined, nowMs: number): GroupDrawn {
    const found = draws.map((draw) => this.#live(draw.key, nowMs));
    const totals = found.map((entry, index) => {
      if (entry?.value !== undefined) throw notACounter(draws[index]?.key ?? '');
      return entry?.total ?? 0;
    });
    const untouched = (): Drawn[] => totals.map((total) => ({ granted: 0, total }));
    const marked = marker === undefined ? undefined : this.#live(marker.key, nowMs);
    if (marked !== undefined) return { outcome: 'replayed', draws: untouched(), refused: [], note: marked.value ?? '' };
    const refused = draws.flatMap((draw, index) => (draw.amount > draw.limit - (totals[index] ?? 0) ? [index] : []));
    if (refused.length > 0) return { outcome: 'refused', draws: untouched(), refused };
    const missing = found.filter((entry) => entry === undefined).length + (marker === undefined ? 0 : 1);
    if (!this.#evicts && this.#entries.size + missing > this.#maxEntries) throw full(this.#maxEntries);
    if (marker !== undefined) this.#mustCreate(marker.key, marker.deadline, nowMs).value = marker.note;
    const drawn = draws.map((draw) => {
      // Looked up again: making room for one entry may have evicted another.
      const entry = this.#live(draw.key, nowMs) ?? this.#mustCreate(draw.key, draw.deadline, nowMs);
      entry.total += draw.amount;
      return { granted: draw.amount, total: entry.total };
    });
    return { outcome: 'charged', draws: drawn, refused: [] };
  }

  #live(key: string, nowMs: number): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.deadline > nowMs) return entry;
    this.#delete(entry);
    return undefined;
  }

  #create(key: string, deadline: Deadline, nowMs: number): Entry | Error {
    if (this.#entries.size >= this.#maxEntries && !this.#makeRoom(nowMs)) return full(this.#maxEntries);
    const entry = new Entry(key, deadline);
    this.#entries.set(key, entry);
    this.#buckets.add(entry);
    // Not before the end of its second, so that nothing is swept early.
    this.#dueMs = Math.min(this.#dueMs, deadline);
    this.#schedule(nowMs);
    return entry;
  }

  #mustCreate(key: string, deadline: Deadline, nowMs: number): Entry {
    const entry = this.#create(key, deadline, nowMs);
    if (entry instanceof Error) throw entry;
    return entry;
  }

  #delete(entry: Entry): void {
    entry.held = false;
    this.#entries.delete(entry.key);
    this.#buckets.remove(entry);
  }

  #makeRoom(nowMs: number): boolean {
    this.#sweep(nowMs, 1);
    if (this.#entries.size < this.#maxEntries) return true;
    const victim = this.#evicts ? this.#buckets.soonest() : undefined;
    if (victim === undefined) return false;
    this.#delete(victim);
    this.#evicted += 1;
    return true;
  }

  /** Removes at most `most` due entries; says whether it stopped for that reason. */
  #sweep(nowMs: number, most: number): boolean {
    if (nowMs < this.#dueMs) return false;
    for (let swept = 0; swept < most; swept++) {
      const entry = this.#buckets.popDue(nowMs);
      if (entry === undefined) {
        this.#dueMs = this.#buckets.nextDueMs() ?? Number.POSITIVE_INFINITY;
        return false;
      }
      entry.held = false;
      this.#entries.delete(entry.key);
    }
    return true;
  }

  /** One timer, never longer than `MAX_TIMER_MS`, wakes for the earliest deadline, so idle memory is returned too. */
  #schedule(nowMs: number, soonestMs = 0): void {
    const dueMs = this.#buckets.nextDueMs();
    if (dueMs === undefined) return;
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(soonestMs, dueMs - nowMs));
    if (this.#timer !== undefined && this.#timerAtMs <= nowMs + delayMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = nowMs + delayMs;
    this.#timer = this.#timers.set(() => {
      this.#timer = undefined;
      const wakeMs = this.#clock();
      const more = this.#sweep(wakeMs, SWEEP_PER_RUN);
      this.#schedule(wakeMs, more ? SWEEP_PAUSE_MS : SWEEP_PAUSE_MS * 20);
    }, delayMs);
  }
}

/** The largest multiple of the draw's unit that fits under its limit. */
function grantable(draw: Draw, total: number): number {
  const room = draw.limit - total;
  if (room >= draw.amount) return draw.amount;
  return room < draw.unit ? 0 : room - (room % draw.unit);
}

/** Raises a counter that is there. */
function raise(entry: Entry, draw: Draw): Drawn | Error {
  if (entry.value !== undefined) return notACounter(draw.key);
  const granted = grantable(draw, entry.total);
  entry.total += granted;
  return { granted, total: entry.total };
}

function notACounter(key: string): QuotaError {
  return new QuotaError('store-corrupt', `the entry ${key} is no counter`);
}

function full(maxEntries: number): QuotaError {
  return new QuotaError('store-unavailable', `the memory store is full: ${maxEntries} live entries`);
}
