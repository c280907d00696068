/**
 * A store as the audit sees it: list keys, look at some, ask for the time, and change one entry under a condition. Keys are
 * the bytes of the key, one latin1 character each, so that no key is changed by being read.
 */
export interface AuditedStore {
  /** For people: `redis`, `memcached`. */
  readonly kind: string;
  /** Whether a listing can go on at a cursor after this process has ended. */
  readonly resumable: boolean;
  /** Lists keys, a page at a time; stops when the caller stops. Keys may come twice when the store is rebuilt meanwhile. */
  list(from: string | undefined, match: string | undefined): AsyncGenerator<Page, void, undefined>;
  /** Looks at keys; one result per request, `undefined` for a key that is gone. */
  look(requests: readonly LookRequest[]): Promise<readonly (Look | undefined)[]>;
  /** About how many keys there are, for the progress; `undefined` when the store cannot say. */
  count(): Promise<number | undefined>;
  /** The store's clock in ms since 1970. */
  now(): Promise<number>;
  /** Does nothing; how long it takes says how busy the store is. */
  ping(): Promise<void>;
  /** Makes changes, each only if the entry still is as it was found; one outcome per change. */
  change(changes: readonly Change[]): Promise<readonly Outcome[]>;
}

/** Keys and where to go on after them. */
export interface Page {
  readonly keys: readonly ListedKey[];
  /** Go on here; `undefined` after the last page, or when the store is not `resumable`. */
  readonly next: string | undefined;
}

/** A key with what the listing says about it. */
export interface ListedKey {
  readonly key: string;
  /** Which server holds it. */
  readonly node: string;
  /** What a store tells in its listing; absent: ask for it. */
  readonly listed?: { readonly deadlineMs: number | undefined; readonly sizeBytes: number };
}

/** A key to look at. */
export interface LookRequest extends ListedKey {
  /** Measure its memory, too. */
  readonly sized: boolean;
}

/** What a look found. */
export interface Look {
  /** In ms since 1970; `undefined`: none. */
  readonly deadlineMs: number | undefined;
  /** The first 64 characters; `null`: it is no string. */
  readonly value: string | null;
  readonly sizeBytes: number | undefined;
}

/** A change to one entry, and what must still be true of it. */
export type Change = { readonly key: string; readonly node: string } & (
  | {
      readonly do: 'date';
      readonly deadlineMs: number;
      /** `undated`: only if it still has no deadline. `later`: only if it has none or a later one. */
      readonly only: 'undated' | 'later';
    }
  | {
      readonly do: 'delete';
      /** Only if this is still its value. */
      readonly value: string;
      /** Only if it still has no deadline, or still has one. */
      readonly undated: boolean;
    }
);

/**
 * What a change came to: `done`; `gone`: the key is not there any more; `kept`: it is as it should be already (somebody
 * dated it); `changed`: it is not what was found, so it was left alone.
 */
export type Outcome = 'done' | 'gone' | 'kept' | 'changed' | Error;
