/** What a console says of itself. */
export interface ConsoleSelf {
  /** New for each start. */
  readonly consoleId: string;
  /** Address that it advertises to the others, without a trailing slash. */
  readonly url: string;
  /** Name of its machine. */
  readonly host: string;
  readonly version: string;
}

/** A console of the group that was heard in the last day, and did not say that it ends. */
export interface HeardConsole extends ConsoleSelf {
  /** Since when it runs, counted up to when it was heard last, in ms. */
  readonly uptimeMs: number;
  /** How long ago that was, in ms. */
  readonly silentMs: number;
  /** Whether the database answered it then. */
  readonly databaseAnswers: boolean;
  /** What keeps it from leading the group, as it saw then; null: nothing does. */
  readonly differs: 'secrets' | 'database' | 'version' | null;
}

/** What is known of the consoles of a group just now. */
export interface RosterLook {
  /** Holds this console in any case. */
  readonly consoles: readonly HeardConsole[];
  /** How long the list took, in ms; null: it could not be had. */
  readonly answeredInMs: number | null;
  /** Why the list could not be had, or why this console could not be put on it; null: nothing is wrong. */
  readonly problem: string | null;
  /** Whether the others could put themselves on the list for long enough: before that, silence means nothing. */
  readonly judgesMissing: boolean;
}

/** The list that the consoles of a group keep of themselves. */
export interface Roster {
  readonly self: ConsoleSelf;
  /** Host and port of the server that keeps it. */
  readonly place: string;
  /** Never rejects. */
  look(): Promise<RosterLook>;
}

/** Where the list is kept. Every call may reject, after about a second at most. */
export interface RosterStore {
  /** This console is there. */
  put(console: ConsoleSelf, said: Said): Promise<void>;
  /** All that were heard in the last day, in no order. */
  list(): Promise<HeardConsole[]>;
  /** It ends. */
  remove(consoleId: string): Promise<void>;
}

/** What a console says each time. */
export type Said = Pick<HeardConsole, 'uptimeMs' | 'databaseAnswers' | 'differs'>;
