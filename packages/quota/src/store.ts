import type { Deadline } from './deadlines.ts';

/**
 * How well a store can count: `dated-increment` raises and dates in one operation; `increment-then-date` dates when the
 * returned total says that this call created the counter, and whenever a reply shows no deadline; `opaque` only hands bytes
 * back, so it counts by compare-and-swap, or, without that, by read-modify-write that loses updates.
 */
export type Capability = 'dated-increment' | 'increment-then-date' | 'opaque';

/** What a store can do: declared at once, confirmed by `probe`, shown to operators. */
export interface StoreProfile {
  readonly capability: Capability;
  /** The mechanism in use, for people: `INCREX`, `script`, `ma N`, `cas`. */
  readonly mechanism: string;
  /** Updates are never lost. False only for an opaque store without compare-and-swap. */
  readonly exact: boolean;
  /** `takeAll` with its marker is one step that a crash cannot cut in two. */
  readonly atomicGroups: boolean;
  /** Longest key in bytes. */
  readonly maxKeyBytes: number;
}

/** Raise one counter by as much of `amount` as stays within `limit`. */
export interface Draw {
  readonly key: string;
  /** Wanted; a positive safe integer. */
  readonly amount: number;
  /** Granted amounts are multiples of this. `unit === amount`: all or nothing; `unit === 1`: as much as fits. */
  readonly unit: number;
  /** The total that granting must not pass. `Number.MAX_SAFE_INTEGER`: no limit. */
  readonly limit: number;
  readonly deadline: Deadline;
  /** Hint: the last total this process saw, shortly ago, of this counter with its deadline set. Absent: not seen. */
  readonly seen?: number;
}

/** A counter that a store in this process keeps, within the engine's reach: while it is held, the engine may raise `total` itself. */
export interface HeldCounter {
  total: number;
  /** The store holds it; false for good once it has let go of it. */
  readonly held: boolean;
}

/** The engine's memory of one counter, in which a store in this process may note where it keeps it. */
export interface Memo {
  place: HeldCounter | undefined;
}

/** What a draw did. `total` is the counter after it; `vanished` when a counter that `seen` vouched for was gone. */
export interface Drawn {
  readonly granted: number;
  readonly total: number;
  readonly vanished?: boolean;
}

/** Makes a charge happen once: written together with it, found by its repetition. `note` comes back with a replay. */
export interface Marker {
  readonly key: string;
  readonly note: string;
  readonly deadline: Deadline;
}

/**
 * `charged`: every draw got its whole amount. `refused`: nothing was spent; `refused` lists the draws that did not fit.
 * `replayed`: the marker was there, nothing was spent now. `unknown`: an earlier attempt under this marker was cut off and
 * this store cannot tell whether it was charged (only with `atomicGroups: false`); nothing was spent now.
 */
export interface GroupDrawn {
  readonly outcome: 'charged' | 'refused' | 'replayed' | 'unknown';
  /** In the order of the draws. */
  readonly draws: readonly Drawn[];
  /** Indices of the draws that did not fit. */
  readonly refused: readonly number[];
  /** The note of the marker that was found. */
  readonly note?: string;
}

/** Lower one counter by `amount`. */
export interface Return {
  readonly key: string;
  readonly amount: number;
  readonly deadline: Deadline;
}

/** What `swap` found: `swapped`, and the value that the key holds after the call (`undefined`: absent). */
export interface Swapped {
  readonly swapped: boolean;
  readonly value: string | undefined;
}

/** What an operator should know; a field is absent where the store cannot say. */
export interface StoreHealth {
  /** Changes when the store restarted or another server answers: counters may be gone. */
  readonly instance?: string;
  /** How the store makes room when full, in its own word: `noeviction`, `volatile-ttl`, `lru`. */
  readonly evictionPolicy?: string;
  /** Entries removed to make room, since the store started. */
  readonly evicted?: number;
  /** Entries without a deadline. Of the whole server, not only of quotas. */
  readonly undated?: number;
  /** All entries. */
  readonly entries?: number;
  readonly usedBytes?: number;
  readonly maxBytes?: number;
}

/**
 * The shared volatile tier, seen by the engine. Everything a call may write carries its deadline, so an undated entry cannot
 * be expressed; a write that meets an entry without a deadline dates it and keeps its count.
 *
 * Batches: the engine hands over what one tick collected; a driver may pipeline it. Items on one key apply in order. A call
 * resolves to one result per item, an `Error` for an item that failed; it rejects when all failed.
 * A refused draw spends nothing: what an unbounded increment put over the limit is taken back before the reply, and
 * no draw lowers a counter that stands above its limit. Absent counters count as zero; a store never invents one to read it.
 * Failures are `QuotaError`s: `store-unavailable`, `store-timeout`, or `store-corrupt` for a value that is no counter.
 */
export interface Store {
  /** For logs and metrics: `memory`, `redis`. */
  readonly name: string;
  readonly profile: StoreProfile;
  /** Finds out by dated scratch writes what the server really can, updates `profile` and returns it. */
  probe(): Promise<StoreProfile>;
  /** Independent counters. */
  take(draws: readonly Draw[]): Promise<readonly (Drawn | Error)[]>;
  /** One counter, answered at once: only of a store that lives in this process. `nowMs` is the engine's clock. */
  takeNow?(draw: Draw, nowMs: number, memo: Memo): Drawn | Error;
  /** Several counters (distinct keys, `unit === amount`), all or nothing, in one round trip. */
  takeAll(draws: readonly Draw[], marker?: Marker): Promise<GroupDrawn>;
  /** Gives back: never below zero, never creates an absent counter. Resolves to totals; `undefined`: was absent. */
  giveBack(returns: readonly Return[]): Promise<readonly (number | undefined | Error)[]>;
  /** Totals; `undefined`: absent. */
  read(keys: readonly string[]): Promise<readonly (number | undefined | Error)[]>;
  /** A value that is no counter (ledger of reservations, mark of a reset). */
  get(key: string): Promise<string | undefined>;
  /** Writes `next` if the key holds `expected` (`undefined`: if it is absent). */
  swap(key: string, expected: string | undefined, next: string, deadline: Deadline): Promise<Swapped>;
  /** Deletes exactly these keys, never a pattern. */
  remove(keys: readonly string[]): Promise<void>;
  /** The store's clock in ms since 1970; a store without one rejects with `store-unavailable`. */
  time(): Promise<number>;
  health(): Promise<StoreHealth>;
  /** Which part of a cluster holds this key; the engine batches and breaks per lane. Absent: one lane. */
  laneOf?(key: string): string;
  /** Ends what the store itself opened; never a client that the application handed in. */
  close(): Promise<void>;
}
