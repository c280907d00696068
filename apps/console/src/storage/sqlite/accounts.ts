import type { Role } from '@weir/protocol';
import type { Kysely } from 'kysely';
import type { AccountStore } from '../../ports/account-store.ts';
import type { Tables } from './schema.ts';

/** Accounts and sessions in SQLite. */
export function sqliteAccountStore(db: Kysely<Tables>): AccountStore {
  const accounts: Pick<AccountStore, 'account' | 'saveAccount'> = {
    async account(username) {
      const row = await db.selectFrom('accounts').selectAll().where('username', '=', username).executeTakeFirst();
      return row && { username: row.username, role: roleOf(row.role), passwordHash: row.password_hash };
    },
    async saveAccount({ username, role, passwordHash }) {
      await db
        .insertInto('accounts')
        .values({ username, role, password_hash: passwordHash })
        .onConflict((conflict) => conflict.column('username').doUpdateSet({ role, password_hash: passwordHash }))
        .execute();
    },
  };
  return { ...accounts, ...sessions(db) };
}

function roleOf(text: string): Role {
  return text === 'admin' || text === 'operator' ? text : 'viewer';
}

function sessions(db: Kysely<Tables>): Omit<AccountStore, 'account' | 'saveAccount'> {
  return {
    async session(tokenHash, nowMs) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.username', 'sessions.username')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { username, created_at_ms, expires_at_ms } = row;
      return {
        session: { tokenHash, username, createdAtMs: created_at_ms, expiresAtMs: expires_at_ms },
        account: { username, role: roleOf(row.role), passwordHash: row.password_hash },
      };
    },
    async insertSession({ tokenHash, username, createdAtMs, expiresAtMs }) {
      await db
        .insertInto('sessions')
        .values({ token_hash: tokenHash, username, created_at_ms: createdAtMs, expires_at_ms: expiresAtMs })
        .execute();
    },
    async endSession(tokenHash) {
      await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
    },
    async endSessionsOf(username) {
      await db.deleteFrom('sessions').where('username', '=', username).execute();
    },
    async deleteExpired(nowMs) {
      const result = await db.deleteFrom('sessions').where('expires_at_ms', '<=', nowMs).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
