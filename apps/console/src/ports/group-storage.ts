import type { Storage } from './storage.ts';

/** The storage of one term of a leader: changes are refused with LeadershipLost once another term has begun. */
export interface TermStorage extends Storage {
  /** From now on every call is refused with LeadershipLost. */
  seal(): void;
}

/** What is in a database before a console of a group changes anything in it. */
export interface FoundDatabase {
  /** Host, port and name, for people. */
  readonly name: string;
  readonly isEmpty: boolean;
  /** Null for one that no group has used. */
  readonly identity: string | null;
  /** Terms that a group has had on it. */
  readonly terms: number;
}

/** The database of a group of consoles. */
export interface GroupStorage {
  /** For whoever does not lead: what is there before anybody does. Its `close` ends all connections, those of terms too. */
  readonly shared: Storage;
  /** Drawn at random when the database was made: a console elsewhere that has another one has another database. */
  readonly identity: string;
  /** Version to which this console brings the database, when it leads and not before. */
  readonly schema: number;
  /**
   * Number of a new term; changes of earlier ones are refused from then on. An older database is brought forward by it: the
   * console that led may be an older one, and knows only the database that it was.
   * @throws NewerDatabase, and nothing was written; UnusableDatabase when it could not be brought forward; StorageUnavailable
   */
  nextFence(): Promise<number>;
  /** Number of the newest term; 0 when nobody has led on this database yet. @throws StorageUnavailable */
  newestFence(): Promise<number>;
  /**
   * The storage of a term.
   * @param onLost told when the database knows a newer term
   */
  under(fence: number, onLost: () => void): TermStorage;
}
