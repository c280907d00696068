/** A period that a counter counts. */
export interface NamedPeriod {
  readonly startMs: number;
  /** End, exclusive; the latest that the name can mean. */
  readonly endMs: number;
  /** Read from a wall clock whose zone is not known: the real end may be up to 12 h later. */
  readonly civil: boolean;
}

/**
 * Why a name is taken for a counter's.
 *
 * - `known`: the shape of a limiter that we know. `claimed`: the user said so (`--counters`).
 * - `stamp`: home-made, with a period in it. `weak-stamp`: with a number in it that may be a period.
 * - `word`: home-made, no period, but a word such as `ratelimit` in it.
 *
 * The last three are believed only when the other keys of their family bear them out.
 */
export type Evidence = 'known' | 'claimed' | 'stamp' | 'weak-stamp' | 'word';

/** What a name tells, if it may be a counter's. */
export interface CounterName {
  /** For people, and what keys are grouped by. */
  readonly family: string;
  readonly evidence: Evidence;
  /** Nothing but this limiter writes such names: a value that is no number is worth reporting. */
  readonly distinctive: boolean;
  /** The name holds a word that limiters use. */
  readonly worded: boolean;
  /** Who or what is counted, as far as the name can be taken apart. */
  readonly subject: string;
  readonly period?: NamedPeriod;
  /** Length of the limiter's window, in ms, where the name says it but not which window. */
  readonly windowMs?: number;
}

/**
 * What a name was read as: a counter's; another entry of a limiter that is no counter (`companion`); one that would be of this
 * home-made family, had it the right numbers in it (`contrary`), which speaks against the family; or nothing (`undefined`).
 */
export type Reading =
  | { readonly is: 'counter'; readonly name: CounterName; readonly contrary?: Contrary }
  | { readonly is: 'companion' }
  | ({ readonly is: 'contrary' } & Contrary);

/** The family that a name speaks against. */
export interface Contrary {
  readonly family: string;
  readonly evidence: 'stamp' | 'weak-stamp';
}
