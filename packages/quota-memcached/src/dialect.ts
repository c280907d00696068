import type { Capability } from '@weir/quota';
import type { Expiry } from './expiry.ts';
import type { NotDone } from './replies.ts';

/** A counter as a reply shows it. */
export interface Count {
  readonly total: number;
  /** The reply shows that it has no deadline. The classic protocol never shows it. */
  readonly undated: boolean;
  /** For a change that must not meet somebody else's; absent in the classic protocol. */
  readonly cas: string | undefined;
}

/** A counter after a raise, with what it held before. */
export interface Raised extends Count {
  /** 0 also when this raise created it. May lie over 2^53 - 1, and is then not exact, only larger than every limit. */
  readonly before: number;
}

/** A value with the token for `replace`. */
export interface Held {
  readonly latin1: string;
  readonly cas: string;
}

/**
 * What the store needs of one server, in the words of the protocol that it speaks. Failures are `QuotaError`s; `store-corrupt`
 * for a counter that holds no number or one over 2^53 - 1.
 */
export interface Dialect {
  readonly capability: Capability;
  /** For people. */
  readonly mechanism: string;
  /** Raises by `amount`; an absent counter is created with it and the deadline, in one step. */
  raise(key: string, amount: number, expiry: Expiry): Promise<Raised>;
  /** Raises a counter that is still as `count` shows it; `undefined` when this protocol cannot. */
  readonly raiseUnchanged: ((key: string, amount: number, count: Count) => Promise<Count | NotDone>) | undefined;
  /** Lowers by `amount`, not below zero, creating nothing. With `count`: only if it is still like that, where possible. */
  lower(key: string, amount: number, count?: Count): Promise<Count | NotDone>;
  look(key: string): Promise<Count | undefined>;
  /** Gives a counter without a deadline this one and keeps its count; `undefined`: it is gone, or this protocol cannot. */
  date(key: string, expiry: Expiry): Promise<Count | undefined>;
  fetch(key: string): Promise<Held | undefined>;
  /** Writes a value where there is none. */
  add(key: string, latin1: string, expiry: Expiry): Promise<'stored' | NotDone>;
  /** Writes a value over the one that was fetched with this token. */
  replace(key: string, latin1: string, expiry: Expiry, cas: string): Promise<'stored' | NotDone>;
  remove(key: string): Promise<void>;
}
