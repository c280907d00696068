import type { Role } from '@weir/protocol';
import type { Kysely, Selectable } from 'kysely';
import type { Account, AccountStore } from '../../ports/account-store.ts';
import type { Tables } from './schema.ts';

/** Accounts and sessions in SQL. */
export function sqlAccountStore(db: Kysely<Tables>): AccountStore {
  return { ...accounts(db), ...sessions(db) };
}

type AccountCalls = 'account' | 'accounts' | 'saveAccount' | 'deleteAccount' | 'countWithRole';

function accounts(db: Kysely<Tables>): Pick<AccountStore, AccountCalls> {
  return {
    async account(username) {
      const row = await db.selectFrom('accounts').selectAll().where('username', '=', username).executeTakeFirst();
      return row && accountOf(row);
    },
    async accounts(nowMs) {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('username').execute();
      const counts = await db
        .selectFrom('sessions')
        .select(({ fn }) => ['username', fn.countAll<number>().as('sessions')])
        .where('expires_at_ms', '>', nowMs)
        .groupBy('username')
        .execute();
      const byName = new Map(counts.map(({ username, sessions }) => [username, sessions]));
      return rows.map((row) => ({ account: accountOf(row), sessions: byName.get(row.username) ?? 0 }));
    },
    async saveAccount(account) {
      const row = {
        role: account.role,
        password_hash: account.passwordHash,
        created_at_ms: account.createdAtMs,
        created_by: account.createdBy,
        password_changed_at_ms: account.passwordChangedAtMs,
        last_login_at_ms: account.lastLoginAtMs,
      };
      await db
        .insertInto('accounts')
        .values({ username: account.username, ...row })
        .onConflict((conflict) => conflict.column('username').doUpdateSet(row))
        .execute();
    },
    async deleteAccount(username) {
      await db.deleteFrom('accounts').where('username', '=', username).execute();
    },
    async countWithRole(role) {
      const counted = await db
        .selectFrom('accounts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('role', '=', role)
        .executeTakeFirstOrThrow();
      return counted.count;
    },
  };
}

function accountOf(row: Selectable<Tables['accounts']>): Account {
  return {
    username: row.username,
    role: roleOf(row.role),
    passwordHash: row.password_hash,
    createdAtMs: row.created_at_ms,
    createdBy: row.created_by,
    passwordChangedAtMs: row.password_changed_at_ms,
    lastLoginAtMs: row.last_login_at_ms,
  };
}

function roleOf(text: string): Role {
  return text === 'admin' || text === 'operator' ? text : 'viewer';
}

function sessions(db: Kysely<Tables>): Omit<AccountStore, AccountCalls> {
  return {
    async session(tokenHash, nowMs) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('accounts', 'accounts.username', 'sessions.username')
        .selectAll('accounts')
        .select(['sessions.created_at_ms as begun_at_ms', 'sessions.expires_at_ms'])
        .where('token_hash', '=', tokenHash)
        .where('expires_at_ms', '>', nowMs)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { username, begun_at_ms, expires_at_ms } = row;
      return {
        session: { tokenHash, username, createdAtMs: begun_at_ms, expiresAtMs: expires_at_ms },
        account: accountOf(row),
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
