import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { z } from 'zod';
import { isPostgresUrl } from '../config/storage-url.ts';
import { aesSecretBox } from '../security/aes-secret-box.ts';
import { KEY_CHECK, opensKeyCheck } from '../security/key-check.ts';
import { DATABASE_FILE } from './backup/contents.ts';
import { SECRETS_FILE } from './files/secrets-file.ts';

/**
 * Whether the keys of a data directory are those that a database was begun with.
 * - `not-begun`: no console has used the database
 * - `no-keys`: one has, and the directory has no keys that can be read
 * - `in-use`: a console holds the SQLite file, which it does only with its own keys
 */
export type KeysFit = 'fit' | 'others' | 'no-keys' | 'not-begun' | 'in-use';

const PATIENCE_MS = 5_000;
const withKey = z.object({ encryptionKey: z.string() });

/**
 * Looks whether keys and database belong together; nothing is changed, and no key leaves this process.
 * @throws Error when the database does not answer
 */
export async function keysFit(dataDir: string, storageUrl: string): Promise<KeysFit> {
  const sealed = isPostgresUrl(storageUrl) ? await ofPostgres(storageUrl) : ofSqlite(join(dataDir, DATABASE_FILE));
  if (sealed === 'in-use') return 'in-use';
  if (sealed === null) return 'not-begun';
  const text = await readFile(join(dataDir, SECRETS_FILE), 'utf8').catch(() => '');
  try {
    const { encryptionKey } = withKey.parse(JSON.parse(text));
    return opensKeyCheck(sealed.text, aesSecretBox(encryptionKey)) ? 'fit' : 'others';
  } catch {
    return 'no-keys';
  }
}

interface Sealed {
  readonly text: string;
}

async function ofPostgres(url: string): Promise<Sealed | null> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ there: boolean }>(
      "select to_regclass('states') is not null as there",
    );
    if (tables[0]?.there !== true) return null;
    const { rows } = await client.query<{ json: string }>('select json from states where name = $1', [KEY_CHECK]);
    return rows[0] === undefined ? null : { text: rows[0].json };
  } finally {
    await client.end().catch(() => undefined);
  }
}

function ofSqlite(path: string): Sealed | 'in-use' | null {
  if (!existsSync(path)) return null;
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly: true, timeout: 100 });
    const row = database.prepare<[string], { json: string }>('select json from states where name = ?').get(KEY_CHECK);
    return row === undefined ? null : { text: row.json };
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : '';
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'in-use';
    if (code === 'SQLITE_ERROR') return null;
    throw error;
  } finally {
    database?.close();
  }
}
