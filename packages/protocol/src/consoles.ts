import { z } from 'zod';
import { count, id, timestampMs } from './identifiers.ts';
import { groupSeat } from './session.ts';

/**
 * What is wrong with a console that is there. `same-address`: another console advertises the same address, so what is for the one may
 * reach the other. The others mean that it cannot take over: `database-away`: the database does not answer it · `other-secrets`,
 * `other-database`: it differs from the leader · `older-version`: a newer console has changed the database.
 */
export const CONSOLE_PROBLEMS = [
  'same-address',
  'database-away',
  'other-secrets',
  'other-database',
  'older-version',
] as const;
export type ConsoleProblem = (typeof CONSOLE_PROBLEMS)[number];

/** One console, as it says itself. */
export const consoleView = z.object({
  /** New for each start of a console. */
  consoleId: id,
  /** Address that it advertises to the others; of one that is alone, the address of its pages. */
  url: z.string(),
  /** Name of its machine. */
  host: z.string(),
  version: z.string(),
  seat: groupSeat.shape.seat,
  /** `missing`: not heard for 15 s, and it did not say that it ends. It stays in the list for a day. */
  state: z.enum(['here', 'missing']),
  startedAtMs: timestampMs,
  heardAtMs: timestampMs,
  problems: z.array(z.enum(CONSOLE_PROBLEMS)),
});
export type ConsoleView = z.infer<typeof consoleView>;

/** A console took the lead. */
export const takeover = z.object({
  atMs: timestampMs,
  /** Number of the term that began. */
  fence: z.number().int().positive(),
  url: z.string(),
  host: z.string(),
  version: z.string(),
});
export type Takeover = z.infer<typeof takeover>;

/** Takeovers that one answer holds at most. */
export const MAX_TAKEOVERS = 50;

/** How long ago a takeover may be to be counted, in ms: a day. */
export const TAKEOVERS_FOR_MS: number = 24 * 3_600_000;

/** What consoles of a group have together. */
export const groupView = z.object({
  /** Number of the leader's term. */
  fence: z.number().int().positive(),
  /** When it began; null when it was not written down. */
  leadsSinceMs: timestampMs.nullable(),
  redis: z.object({
    /** Host, port, and database by its number if it is not 0. */
    place: z.string(),
    /** How long it took to list the consoles, in ms; null: it refused. */
    answeredInMs: z.number().nonnegative().nullable(),
    /** What it says when it refuses to list the consoles, or to keep that this one is there; null: nothing is wrong. */
    problem: z.string().nullable(),
  }),
  /** False for 15 s after the leader could say that it is there itself: nobody is called missing before. */
  judgesMissing: z.boolean(),
  /** Of the last day, newest first, at most `MAX_TAKEOVERS`. */
  takeovers: z.array(takeover),
  /** How many there were in the last day. */
  takeoversInDay: count,
});
export type GroupView = z.infer<typeof groupView>;

/** Which consoles there are, and which of them leads. */
export const consolesView = z.object({
  database: z.object({
    kind: z.enum(['sqlite', 'postgresql']),
    /** Path of the file; host, port and name of the database. */
    place: z.string(),
    /** How long the leader waited for it just now, in ms. */
    answeredInMs: z.number().nonnegative(),
  }),
  /** The leader first; one that is alone is its own leader. */
  consoles: z.array(consoleView).min(1),
  /** Null for a console that is alone. */
  group: groupView.nullable(),
});
export type ConsolesView = z.infer<typeof consolesView>;
