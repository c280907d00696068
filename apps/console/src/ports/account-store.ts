import type { Role } from '@weir/protocol';

/** A person who may log in. Times and `createdBy` are null where they were not written down yet. */
export interface Account {
  username: string;
  role: Role;
  passwordHash: string;
  createdAtMs: number | null;
  createdBy: string | null;
  passwordChangedAtMs: number | null;
  lastLoginAtMs: number | null;
}

/** A login that has not ended. */
export interface StoredSession {
  /** Keyed hash of the cookie's token. */
  tokenHash: string;
  username: string;
  createdAtMs: number;
  expiresAtMs: number;
}

/** Accounts and their sessions. */
export interface AccountStore {
  account(username: string): Promise<Account | undefined>;
  /** All accounts by name, each with the number of its sessions that have not expired. */
  accounts(nowMs: number): Promise<{ account: Account; sessions: number }[]>;
  /** Adds or replaces by name. */
  saveAccount(account: Account): Promise<void>;
  /** Deletes an account; its sessions must have been ended. */
  deleteAccount(username: string): Promise<void>;
  countWithRole(role: Role): Promise<number>;
  /** The session and its account, if it has not expired. */
  session(tokenHash: string, nowMs: number): Promise<{ session: StoredSession; account: Account } | undefined>;
  insertSession(session: StoredSession): Promise<void>;
  endSession(tokenHash: string): Promise<void>;
  endSessionsOf(username: string): Promise<void>;
  /** Deletes expired sessions; returns how many there were. */
  deleteExpired(nowMs: number): Promise<number>;
}
