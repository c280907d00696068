import type { Role } from '@weir/protocol';

/** A person who may log in. */
export interface Account {
  username: string;
  role: Role;
  passwordHash: string;
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
  saveAccount(account: Account): Promise<void>;
  /** The session and its account, if it has not expired. */
  session(tokenHash: string, nowMs: number): Promise<{ session: StoredSession; account: Account } | undefined>;
  insertSession(session: StoredSession): Promise<void>;
  endSession(tokenHash: string): Promise<void>;
  endSessionsOf(username: string): Promise<void>;
  /** Deletes expired sessions; returns how many there were. */
  deleteExpired(nowMs: number): Promise<number>;
}
