/** Which objects of a listing are copied: those that every part of it lets pass. */
export interface CopyFilter {
  /** Globs of which one must match the key without the source's prefix; empty: every key. */
  include: string[];
  /** Globs of which none may match; they win over `include`. */
  exclude: string[];
  /** Smallest and largest size, both included, in bytes; null: no bound. */
  minBytes: number | null;
  maxBytes: number | null;
  /** Last modified at or after, and before, in ms since 1970; null: no bound. */
  modifiedAfterMs: number | null;
  modifiedBeforeMs: number | null;
}

/** Lets everything pass. */
export const NO_FILTER: Readonly<CopyFilter> = {
  include: [],
  exclude: [],
  minBytes: null,
  maxBytes: null,
  modifiedAfterMs: null,
  modifiedBeforeMs: null,
};
