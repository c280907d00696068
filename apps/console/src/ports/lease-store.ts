/** What a console tells the others while it holds the lease. */
export interface Leader {
  /** Address at which the others reach it, without a trailing slash. */
  readonly url: string;
  /** Number of its term; null until it has one, and does not serve yet. */
  readonly fence: number | null;
  /** Its version of Weir. */
  readonly version: string;
  /** Fingerprint of its secrets: the consoles of a group have the same. */
  readonly secrets: string;
  /** Identity of its database: the consoles of a group have the same; null: one of an older version, which does not tell. */
  readonly database: string | null;
  /** Version to which it brings the database; null: one of an older version, which does not tell. */
  readonly schema: number | null;
}

/** What was found when a console asked for the lease. */
export type LeaseAnswer =
  /** It is ours for another `LEASE_MS`, from the moment at which it was asked for or later. */
  | { readonly held: 'own' }
  /** Somebody else's; `remainingMs` until it ends, if it is not renewed. */
  | { readonly held: 'other'; readonly holder: Leader | null; readonly remainingMs: number }
  /** Nobody's, and nothing says why: it ended, or was lost. Never answered when `takeMissing` was asked for. */
  | { readonly held: 'missing' };

/** Keeps the one lease of a group. Every call may reject, after about a second at most; it may have had its effect then. */
export interface LeaseStore {
  /** Changes when the store may have been restarted, and have lost the lease: what was seen before means nothing then. */
  readonly run: number;
  /**
   * Renews the lease if it is ours, takes it if its holder gave it back, and also if it is not there and `takeMissing`.
   * @param id of this term of this console; no two are alike
   */
  claim(id: string, holder: Leader, takeMissing: boolean): Promise<LeaseAnswer>;
  /** Who holds the lease, for whoever may not have it; `missing` also when it was given back. */
  look(): Promise<Exclude<LeaseAnswer, { held: 'own' }>>;
  /** Gives it back, so that the next one need not wait for its end; nothing happens when it is not ours. */
  release(id: string): Promise<void>;
}
