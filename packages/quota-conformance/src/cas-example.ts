import {
  QuotaError,
  takeAllStepwise,
  type Deadline,
  type Draw,
  type Drawn,
  type GroupDrawn,
  type Marker,
  type Return,
  type Store,
  type StoreHealth,
  type StoreProfile,
  type Swapped,
} from '@weir/quota';

/** What an opaque store hands back: bytes, and a version that changes with every write. */
export interface Versioned {
  readonly value: string;
  readonly version: string;
}

/**
 * An opaque store: it keeps bytes until a time and knows nothing about them. Many key-value services look like this.
 * Without `putIf` two writers overwrite each other.
 */
export interface OpaqueBackend {
  get(key: string): Promise<Versioned | undefined>;
  /** Writes if the version is still this one (`undefined`: if the key is absent); says whether it did. */
  putIf?(key: string, value: string, version: string | undefined, expiresAtMs: number): Promise<boolean>;
  put(key: string, value: string, expiresAtMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** A value as this store writes it: its deadline, because such services date every write anew, and its text. */
interface Record {
  readonly deadline: number;
  readonly text: string;
}

/** Attempts to write one key that others keep changing. */
const MAX_ATTEMPTS = 10_000;

/**
 * Example of a store on an opaque service: counters by compare-and-swap, exact; without `putIf` by read-modify-write, which
 * loses updates, so the engine refuses quotas on it unless they say `accuracy: "approximate"`.
 */
export class OpaqueStore implements Store {
  readonly name: string = 'opaque';
  readonly profile: StoreProfile;
  readonly #backend: OpaqueBackend;
  /** The last change of each key by this process; changes of one key wait for each other instead of racing. */
  readonly #lines = new Map<string, Promise<unknown>>();

  constructor(backend: OpaqueBackend) {
    this.#backend = backend;
    const exact = backend.putIf !== undefined;
    this.profile = {
      capability: 'opaque',
      mechanism: exact ? 'compare-and-swap' : 'read-modify-write',
      exact,
      atomicGroups: false,
      maxKeyBytes: 250,
    };
  }

  probe(): Promise<StoreProfile> {
    return Promise.resolve(this.profile);
  }

  async take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]> {
    return Promise.all(draws.map((draw) => this.#change(draw.key, (record) => drawFrom(record, draw)).catch(asError)));
  }

  takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn> {
    return takeAllStepwise(this, draws, marker);
  }

  async giveBack(returns: readonly Return[]): Promise<readonly (number | undefined | Error)[]> {
    return Promise.all(
      returns.map(({ key, amount, deadline }) =>
        this.#change(key, (record) => {
          if (record === undefined) return { result: undefined };
          const total = Math.max(0, totalOf(key, record) - amount);
          return { result: total, next: { deadline: record.deadline || deadline, text: String(total) } };
        }).catch(asError),
      ),
    );
  }

  async read(keys: readonly string[]): Promise<readonly (number | undefined | Error)[]> {
    return Promise.all(
      keys.map((key) =>
        this.#change(key, (record) => ({ result: record === undefined ? undefined : totalOf(key, record) })).catch(
          asError,
        ),
      ),
    );
  }

  async get(key: string): Promise<string | undefined> {
    return decode((await this.#backend.get(key))?.value)?.text;
  }

  swap(key: string, expected: string | undefined, next: string, deadline: Deadline): Promise<Swapped> {
    return this.#change<Swapped>(key, (record) => {
      if (record?.text !== expected) return { result: { swapped: false, value: record?.text } };
      return { result: { swapped: true, value: next }, next: { deadline, text: next } };
    });
  }

  async remove(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#backend.delete(key)));
  }

  time(): Promise<number> {
    return Promise.reject(new QuotaError('store-unavailable', 'an opaque store has no clock'));
  }

  health(): Promise<StoreHealth> {
    return Promise.resolve({});
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Reads, computes, writes if nobody wrote meanwhile; else again. A change without `next` only reads. */
  #change<T>(key: string, compute: (record: Record | undefined) => { result: T; next?: Record }): Promise<T> {
    const run = async (): Promise<T> => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const found = await this.#backend.get(key);
        const { result, next } = compute(decode(found?.value));
        if (next === undefined) return result;
        const value = `${next.deadline} ${next.text}`;
        if (this.#backend.putIf === undefined) await this.#backend.put(key, value, next.deadline);
        else if (!(await this.#backend.putIf(key, value, found?.version, next.deadline))) continue;
        return result;
      }
      throw new QuotaError('store-unavailable', `${key} was changed by others ${MAX_ATTEMPTS} times meanwhile`);
    };
    const before = this.#lines.get(key) ?? Promise.resolve();
    const line = before.then(run, run);
    const settled: Promise<void> = line.then(
      () => this.#leave(key, settled),
      () => this.#leave(key, settled),
    );
    this.#lines.set(key, settled);
    return line;
  }

  #leave(key: string, line: Promise<unknown>): void {
    if (this.#lines.get(key) === line) this.#lines.delete(key);
  }
}

/** Text that others wrote has no deadline of ours: 0, so that the next write dates it. */
function decode(value: string | undefined): Record | undefined {
  if (value === undefined) return undefined;
  const found = /^(\d+) ([^]*)$/.exec(value);
  return found === null ? { deadline: 0, text: value } : { deadline: Number(found[1]), text: found[2] ?? '' };
}

function totalOf(key: string, record: Record): number {
  if (/^\d{1,16}$/.test(record.text)) return Number(record.text);
  throw new QuotaError('store-corrupt', `the entry ${key} is no counter`);
}

function drawFrom(record: Record | undefined, draw: Draw): { result: Drawn; next?: Record } {
  const total = record === undefined ? 0 : totalOf(draw.key, record);
  const room = draw.limit - total;
  const granted = room >= draw.amount ? draw.amount : room < draw.unit ? 0 : room - (room % draw.unit);
  const vanished = record === undefined && (draw.seen ?? 0) > 0;
  const result = { granted, total: total + granted, vanished };
  const undated = record?.deadline === 0;
  if (granted === 0 && !undated) return { result };
  return { result, next: { deadline: record?.deadline || draw.deadline, text: String(total + granted) } };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** An opaque service in memory, for tests and as an example: bytes with a version and an expiry. */
export class MemoryBackend implements OpaqueBackend {
  readonly #entries = new Map<string, { value: string; version: number; expiresAtMs: number }>();
  readonly #clock: () => number;
  #version = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get(key: string): Promise<Versioned | undefined> {
    const entry = this.peek(key);
    return Promise.resolve(entry === undefined ? undefined : { value: entry.value, version: String(entry.version) });
  }

  putIf(key: string, value: string, version: string | undefined, expiresAtMs: number): Promise<boolean> {
    const entry = this.peek(key);
    if ((entry === undefined ? undefined : String(entry.version)) !== version) return Promise.resolve(false);
    this.#write(key, value, expiresAtMs);
    return Promise.resolve(true);
  }

  put(key: string, value: string, expiresAtMs: number): Promise<void> {
    this.#write(key, value, expiresAtMs);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.#entries.delete(key);
    return Promise.resolve();
  }

  /** The entry as it is held, for inspection. */
  peek(key: string): { value: string; version: number; expiresAtMs: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAtMs > this.#clock()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  clear(): void {
    this.#entries.clear();
  }

  #write(key: string, value: string, expiresAtMs: number): void {
    this.#version += 1;
    this.#entries.set(key, { value, version: this.#version, expiresAtMs });
  }
}
