import { open, stat } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { UnusableDatabase } from '../../ports/unusable-database.ts';
import { MIGRATIONS } from '../sql/migrations.ts';

/** "Weir" in ASCII: marks the file as ours, so that a database of another program is never migrated. */
const APPLICATION_ID = 0x57_65_69_72;

/** Files above this size are not checked page by page at start: it would take seconds. */
const CHECK_AT_MOST_BYTES = 256 * 1_048_576;

/**
 * Opens the database at `path`, makes it when it is not there, and brings it to the newest version.
 * The process holds it alone: a second console on the same file is refused.
 * @throws UnusableDatabase for a database of a newer version, of another program, a damaged one, or one in use
 */
export async function openDatabase(
  path: string,
  migrations: readonly string[] = MIGRATIONS,
): Promise<Database.Database> {
  await refuseForeignFile(path, migrations.length);
  let database: Database.Database | undefined;
  try {
    await refuseUnusableFile(path);
    if (path !== ':memory:') await makePrivate(path);
    database = new Database(path, { timeout: 1_000 });
    // Exclusive locking keeps a second console away, and ends with the process, however it ends.
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database.pragma('foreign_keys = ON');
    database.pragma('temp_store = MEMORY');
    migrate(database, path, migrations);
    return database;
  } catch (error) {
    database?.close();
    throw explained(error, path);
  }
}

/**
 * Looks whether the database at `path` could be opened, and changes nothing.
 * @throws UnusableDatabase as openDatabase does
 */
export async function checkDatabase(path: string): Promise<void> {
  await refuseForeignFile(path, MIGRATIONS.length);
  try {
    await refuseUnusableFile(path);
  } catch (error) {
    throw explained(error, path);
  }
}

/** Makes the file, if it is not there, for its owner alone; SQLite gives its journal the same mode. */
async function makePrivate(path: string): Promise<void> {
  await (await open(path, 'a', 0o600)).close();
}

/** Reads the header without SQLite, which would touch the file (its journal, at least). */
async function refuseForeignFile(path: string, newest: number): Promise<void> {
  const header = Buffer.alloc(100);
  let length: number;
  try {
    const file = await open(path, 'r');
    try {
      length = (await file.read(header, 0, 100, 0)).bytesRead;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw new UnusableDatabase(`The database ${path} cannot be read: ${String(error)}`, { cause: error });
  }
  if (length === 0) return;
  if (length < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\u0000') {
    throw new UnusableDatabase(
      `The file ${path} is not a SQLite database, or it is damaged. Restore it from a backup, or move it away to start anew.`,
    );
  }
  const applicationId = header.readUInt32BE(68);
  const version = header.readUInt32BE(60);
  if (applicationId !== APPLICATION_ID && (applicationId !== 0 || version !== 0)) {
    throw new UnusableDatabase(foreign(path));
  }
  if (version > newest) throw new UnusableDatabase(newer(path, version, newest));
}

async function refuseUnusableFile(path: string): Promise<void> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size === 0 || size > CHECK_AT_MOST_BYTES) return;
  const reader = new Database(path, { readonly: true, timeout: 1_000 });
  try {
    const found = reader.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') throw new UnusableDatabase(damaged(path, String(found)));
    const version = Number(reader.pragma('user_version', { simple: true }));
    const tables = reader.prepare<[], { n: number }>('select count(*) as n from sqlite_schema').get()?.n ?? 0;
    if (version === 0 && tables > 0) throw new UnusableDatabase(foreign(path));
  } finally {
    reader.close();
  }
}

function foreign(path: string): string {
  return `The database ${path} belongs to another program. Choose another data directory.`;
}

function newer(path: string, version: number, newest: number): string {
  return (
    `The database ${path} has version ${version}, and this console knows versions up to ${newest}. ` +
    'It was written by a newer console: start that one, or restore a backup from before the upgrade.'
  );
}

function damaged(path: string, found: string): string {
  return `The database ${path} is damaged (${found}). Restore it from a backup, or move it away to start anew.`;
}

function explained(error: unknown, path: string): Error {
  if (error instanceof UnusableDatabase) return error;
  if (!(error instanceof Database.SqliteError)) {
    const message = error instanceof Error ? error.message : String(error);
    return new UnusableDatabase(`The database ${path} cannot be opened: ${message}`, { cause: error });
  }
  if (error.code.startsWith('SQLITE_BUSY') || error.code.startsWith('SQLITE_LOCKED')) {
    return new UnusableDatabase(
      `The database ${path} is in use by another console. Stop it, or choose another data directory.`,
      {
        cause: error,
      },
    );
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB') {
    return new UnusableDatabase(damaged(path, error.message), { cause: error });
  }
  return new UnusableDatabase(`The database ${path} cannot be opened: ${error.message}`, { cause: error });
}

function migrate(database: Database.Database, path: string, migrations: readonly string[]): void {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version > migrations.length) throw new UnusableDatabase(newer(path, version, migrations.length));
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    database.transaction(() => {
      database.exec(sql);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${index + 1}`);
    })();
  }
  // The header is then in the file itself, where an older console looks before it touches anything.
  if (version < migrations.length) database.pragma('wal_checkpoint(TRUNCATE)');
}
